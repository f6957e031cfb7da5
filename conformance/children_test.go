package conformance_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// For engines that may crash on a model: every node case runs in a child process, which is
// restarted when it ends.

// recordVariable names the environment variable for the folder in which to write the outcomes, as
// lists to compare with those in testdata.
const recordVariable = "MODELPARITY_CONFORMANCE_RECORD"

// workerVariable makes a test binary run the cases named on its standard input.
const workerVariable = "MODELPARITY_CONFORMANCE_WORKER"

// These stages are additional to ONNX Runtime's.
const (
	crash   stage = "crash"   // the process ended
	timeout stage = "timeout" // no answer within caseLimit
)

// caseLimit limits the time of one case.
const caseLimit = 3 * time.Minute // the reference evaluator takes a minute for an LpPool

// outcome is the stage that a case reached.
type outcome struct {
	Case    string `json:"case"`
	Stage   stage  `json:"stage"`
	Why     string `json:"why"`
	Version string `json:"version,omitempty"` // of the engine that ran it
}

// hold runs all cases on the engine in child processes and compares their outcomes with the list
// for the engine's version.
func (on nodeEngine) hold(t *testing.T) {
	t.Helper()
	cases := archived(t)
	count := map[stage]int{}
	version := ""
	got := outcomesOf(t, cases)
	for _, o := range got {
		count[o.Stage]++
		if o.Version != "" {
			version = o.Version
		}
		if o.Stage == mismatch || o.Stage == broken {
			t.Logf("%s: %s: %s", o.Case, o.Stage, o.Why)
		}
	}
	on.record(t, version, got)
	for _, stage := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%5d of %d: %s", count[stage], len(cases), stage)
	}
	if len(got) != len(cases) || count[broken] > 0 || count[passes] == 0 {
		t.Errorf("%d of %d cases have an outcome, %d could not be read, %d pass",
			len(got), len(cases), count[broken], count[passes])
	}
	listed, err := readOutcomes(fmt.Sprintf("testdata/%s-%s.tsv", on.name, version))
	if err != nil {
		t.Fatalf("there is no list of outcomes for this version: check the outcomes and copy the "+
			"file that %s writes: %v", recordVariable, err)
	}
	for _, surprise := range listed.surprises(got) {
		t.Error(surprise)
	}
}

// archived returns the cases of the wheel, or of the digest.
func archived(t *testing.T) []testCase {
	t.Helper()
	archive := os.Getenv(wheelVariable)
	if archive == "" {
		archive = "testdata/digest.zip"
	}
	cases, err := readCases(archive)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// outcomesOf runs the cases in several child processes at once (see [serves]) and sorts the
// outcomes by case.
func outcomesOf(t *testing.T, cases []testCase) []outcome {
	t.Helper()
	names, answers := make(chan string), make(chan outcome)
	go func() {
		defer close(names)
		for _, c := range cases {
			names <- c.name
		}
	}()
	var workers sync.WaitGroup
	for range max(1, runtime.NumCPU()/2) {
		workers.Go(func() { work(t, names, answers) })
	}
	go func() {
		workers.Wait()
		close(answers)
	}()
	var got []outcome
	for o := range answers {
		got = append(got, o)
	}
	slices.SortFunc(got, func(a, b outcome) int { return strings.Compare(a.Case, b.Case) })
	return got
}

// record writes the outcomes as a list.
func (on nodeEngine) record(t *testing.T, version string, got []outcome) {
	folder := os.Getenv(recordVariable)
	if folder == "" {
		return
	}
	text := fmt.Sprintf("# The node cases that do not pass on %s %s, and why. Columns: case, stage\n"+
		"# (%s), reason.\n", on.title, version, stageNames())
	for _, o := range got {
		if o.Stage != passes {
			text += fmt.Sprintf("%s\t%s\t%s\n", o.Case, o.Stage, o.reason())
		}
	}
	path := fmt.Sprintf("%s/%s-%s.tsv", folder, on.name, version)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Error(err)
	}
}

// work runs the named cases in a child process, restarting it when it ends.
func work(t *testing.T, names <-chan string, answers chan<- outcome) {
	var child *worker
	for name := range names {
		if child == nil {
			var err error
			if child, err = start(t.Name()); err != nil {
				t.Error(err)
				return
			}
		}
		o := child.ask(name)
		if o.Stage == crash || o.Stage == timeout {
			child.kill()
			child = nil
		}
		answers <- o
	}
	if child != nil {
		child.kill()
	}
}

// worker is a child process.
type worker struct {
	command *exec.Cmd
	names   io.WriteCloser
	answers chan outcome
	noise   *strings.Builder
}

const answerPrefix = "ANSWER "

func start(test string) (*worker, error) {
	w := &worker{command: exec.Command(os.Args[0], "-test.run=^"+test+"$"),
		answers: make(chan outcome), noise: &strings.Builder{}}
	w.command.Env = append(os.Environ(), workerVariable+"=1")
	w.command.Stderr = w.noise
	var err error
	if w.names, err = w.command.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := w.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := w.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(w.answers)
		scanner := bufio.NewScanner(stdout)
		scanner.Buffer(nil, 1<<22)
		for scanner.Scan() {
			text, ok := strings.CutPrefix(scanner.Text(), answerPrefix)
			var o outcome
			if ok && json.Unmarshal([]byte(text), &o) == nil {
				w.answers <- o
			}
		}
	}()
	return w, nil
}

// ask runs a case in the child.
func (w *worker) ask(name string) outcome {
	if _, err := fmt.Fprintln(w.names, name); err != nil {
		return outcome{Case: name, Stage: crash, Why: err.Error()}
	}
	select {
	case o, ok := <-w.answers:
		if !ok {
			err := w.command.Wait()
			why := fmt.Sprintf("%v: %s", err, lastLine(w.noise.String()))
			return outcome{Case: name, Stage: crash, Why: why}
		}
		return o
	case <-time.After(caseLimit):
		return outcome{Case: name, Stage: timeout, Why: fmt.Sprintf("no answer in %v", caseLimit)}
	}
}

func (w *worker) kill() {
	_ = w.names.Close()
	_ = w.command.Process.Kill()
	_ = w.command.Wait()
}

// serves turns this process into a child if it was started as one: it answers every case name on
// standard input.
func serves(t *testing.T, answer func(ctx context.Context, c testCase) outcome) bool {
	t.Helper()
	if os.Getenv(workerVariable) == "" {
		return false
	}
	byName := map[string]testCase{}
	for _, c := range archived(t) {
		byName[c.name] = c
	}
	for scanner := bufio.NewScanner(os.Stdin); scanner.Scan(); {
		o := answer(t.Context(), byName[scanner.Text()])
		o.Case = scanner.Text()
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("\n" + answerPrefix + string(text))
	}
	return true
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
