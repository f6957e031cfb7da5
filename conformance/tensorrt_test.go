package conformance_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
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

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/loaders"
)

// The same cases on TensorRT. It supports a part of ONNX, and says so in its parser; what this
// test is about is that no case gives wrong numbers unnoticed. Every case runs in a child process,
// because some releases of TensorRT end the process over some models.

// recordVariable names the environment variable with the file that the outcomes are written to.
const recordVariable = "MODELPARITY_TENSORRT_RECORD"

// workerVariable makes a test binary run the cases whose names it reads.
const workerVariable = "MODELPARITY_TENSORRT_WORKER"

// Further stages, beside those of ONNX Runtime.
const (
	parser  stage = "parser"  // the ONNX parser refuses the model
	build   stage = "build"   // the builder gives no engine
	crash   stage = "crash"   // the process ended
	timeout stage = "timeout" // no answer within caseLimit
)

// caseLimit is how long one case may take.
const caseLimit = 90 * time.Second

// outcome is how far a case got.
type outcome struct {
	Case    string `json:"case"`
	Stage   stage  `json:"stage"`
	Why     string `json:"why"`
	Version string `json:"version,omitempty"` // of the TensorRT that ran it
}

func TestNodeCasesOnTensorRT(t *testing.T) {
	if os.Getenv(workerVariable) != "" {
		serve(t)
		return
	}
	trt.Require(t)
	archive := os.Getenv(wheelVariable)
	if archive == "" {
		archive = "testdata/digest.zip"
	}
	cases, err := readCases(archive)
	if err != nil {
		t.Fatal(err)
	}
	names, outcomes := make(chan string), make(chan outcome)
	go func() {
		defer close(names)
		for _, c := range cases {
			names <- c.name
		}
	}()
	var workers sync.WaitGroup
	for range max(1, runtime.NumCPU()/2) {
		workers.Go(func() { work(t, names, outcomes) })
	}
	go func() {
		workers.Wait()
		close(outcomes)
	}()
	count := map[stage]int{}
	var got []outcome
	version := ""
	for o := range outcomes {
		count[o.Stage]++
		got = append(got, o)
		if o.Version != "" {
			version = o.Version
		}
		if o.Stage == mismatch || o.Stage == broken {
			t.Logf("%s: %s: %s", o.Case, o.Stage, o.Why)
		}
	}
	slices.SortFunc(got, func(a, b outcome) int { return strings.Compare(a.Case, b.Case) })
	record(t, version, got)
	for _, stage := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%5d of %d: %s", count[stage], len(cases), stage)
	}
	if len(got) != len(cases) || count[broken] > 0 || count[passes] == 0 {
		t.Errorf("%d of %d cases have an outcome, %d could not be read, %d pass",
			len(got), len(cases), count[broken], count[passes])
	}
	listed, err := readOutcomes(fmt.Sprintf("testdata/tensorrt-%s.tsv", version))
	if err != nil {
		t.Fatalf("no list says what to expect of this version: look through the outcomes, and "+
			"make it of the file that %s names: %v", recordVariable, err)
	}
	for _, surprise := range listed.surprises(got) {
		t.Error(surprise)
	}
}

// record writes the outcomes as a list to be kept beside the others in testdata.
func record(t *testing.T, version string, got []outcome) {
	path := os.Getenv(recordVariable)
	if path == "" {
		return
	}
	text := fmt.Sprintf("# The node cases that do not pass on TensorRT %s, and why. Columns: case, "+
		"how far it gets\n# (parser, build, run, mismatch, crash, timeout), reason.\n", version)
	for _, o := range got {
		if o.Stage != passes {
			text += fmt.Sprintf("%s\t%s\t%s\n", o.Case, o.Stage, o.reason())
		}
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Error(err)
	}
}

// work answers for the names that it gets, by a child process that is started anew when it ends.
func work(t *testing.T, names <-chan string, outcomes chan<- outcome) {
	var child *worker
	for name := range names {
		if child == nil {
			var err error
			if child, err = start(); err != nil {
				t.Error(err)
				return
			}
		}
		o := child.ask(name)
		if o.Stage == crash || o.Stage == timeout {
			child.kill()
			child = nil
		}
		outcomes <- o
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

func start() (*worker, error) {
	w := &worker{command: exec.Command(os.Args[0], "-test.run=^TestNodeCasesOnTensorRT$"),
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

// ask has the child run one case.
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

// serve is the child: it answers for every name on the standard input.
func serve(t *testing.T) {
	archive := os.Getenv(wheelVariable)
	if archive == "" {
		archive = "testdata/digest.zip"
	}
	cases, err := readCases(archive)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]testCase{}
	for _, c := range cases {
		byName[c.name] = c
	}
	for scanner := bufio.NewScanner(os.Stdin); scanner.Scan(); {
		o := byName[scanner.Text()].checkTensorRT(context.Background())
		o.Case = scanner.Text()
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("\n" + answerPrefix + string(text))
	}
}

// checkTensorRT runs a case on TensorRT and says how far it got, and why no further.
func (c testCase) checkTensorRT(ctx context.Context) outcome {
	model := loaders.ONNXBytes(c.name, c.files["model.onnx"])
	inputs, err := c.values("input", model.Inputs)
	if err != nil {
		return outcome{Stage: broken, Why: err.Error()}
	}
	expected, err := c.values("output", model.Outputs)
	if err != nil {
		return outcome{Stage: broken, Why: err.Error()}
	}
	fed := fixtures.Of(inputs)
	engine, err := trt.New(ctx, model, fed, trt.NoEngineCache(), trt.OptimizationLevel(0))
	if refused := (*trtabi.ParserError)(nil); errors.As(err, &refused) {
		return outcome{Stage: parser, Why: err.Error()}
	}
	if err != nil {
		return outcome{Stage: build, Why: err.Error()}
	}
	defer engine.Close()
	actual, err := engine.Run(ctx, fed)
	if err != nil {
		return outcome{Stage: run, Why: err.Error()}
	}
	o := outcome{Stage: passes, Version: actual.Provenance.Version}
	matcher := tolerances(expected).Of(expected)
	matched, err := matcher.Match(actual)
	switch {
	case err != nil:
		o.Stage, o.Why = mismatch, err.Error()
	case !matched:
		o.Stage, o.Why = mismatch, matcher.FailureMessage(actual)
	}
	return o
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
