package cli

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
	"github.com/modelparity/modelparity/internal/files"
)

type flag = arguments.Flag

// requests are the flags of the commands that say in a request what they write.
var requests = map[string]func() []flag{
	"run":       flagsIn[runRequest],
	"compare":   flagsIn[compareRequest],
	"convert":   flagsIn[convertRequest],
	"locate":    flagsIn[locateRequest],
	"reduce":    flagsIn[reduceRequest],
	"cut":       flagsIn[cutRequest],
	"surgeon":   flagsIn[surgeonRequest],
	"twin":      flagsIn[twinRequest],
	"vote":      flagsIn[voteRequest],
	"bisect":    flagsIn[bisectRequest],
	"golden":    flagsIn[goldenRequest],
	"report":    flagsIn[reportRequest],
	"tolerance": flagsIn[toleranceRequest],
	"search":    flagsIn[searchRequest],
	"relations": flagsIn[relationsRequest],
	"repair":    flagsIn[repairRequest],
	"mutate":    flagsIn[mutateRequest],
	"decode":    flagsIn[decodeRequest],
	"inspect":   flagsIn[inspectRequest],

	"template":       flagsIn[templateRequest],
	"check accuracy": flagsIn[accuracyRequest],
	"check lint":     flagsIn[lintRequest],
	"data merge":     flagsIn[mergeRequest],
	"data to-input":  flagsIn[mergeRequest],
	"data concat":    flagsIn[concatRequest],
	"debug reduce":   flagsIn[reduceRequest],
	"debug build":    flagsIn[buildRequest],
	"debug repeat":   flagsIn[repeatRequest],

	"debug precision": flagsIn[precisionRequest],
}

// flagsIn are the flags of the command with the request.
func flagsIn[R any, P interface {
	*R
	request
}]() []flag {
	return flagsOf("other", P(new(R)).sections())
}

// writeNothing are the commands that write no file that a flag names.
var writeNothing = []string{"setup", "doctor", "version", "completion"}

func TestEveryCommandIsLookedAt(t *testing.T) {
	var all []command
	for _, c := range commands() {
		if len(c.tools) == 0 {
			c.tools = []command{c}
		}
		all = append(all, c.tools...)
	}
	for _, c := range all {
		if requests[c.name] == nil && !slices.Contains(writeNothing, c.name) {
			t.Errorf("%s: say in requests which flags it has, or in writeNothing that it writes nothing",
				c.name)
		}
	}
}

// runners are the flags of everything that runs a model, each with the word that it wants.
func runners() (args []string) {
	words := map[string]string{"CMD": "true", "SCRIPT.py[:FUNCTION]": "s.py",
		"URL": "http://h/v2/models/m"}
	for _, e := range engineflags.Engines() {
		args = append(args, e.Flag)
	}
	for _, f := range engineflags.ProgramFlags(func(backends.Engine) {}) {
		if args = append(args, f.Name); words[f.Value] != "" {
			args = append(args, words[f.Value])
		}
	}
	return args
}

// switches is the switch without which a flag does nothing, if there is one.
func switches(flags []flag, f flag) []string {
	for _, other := range flags {
		if slices.Contains(f.Needs, other.Name) && other.Arity == arguments.None &&
			!slices.Contains(engineflags.Runners(), other.Name) {
			return []string{other.Name}
		}
	}
	return nil
}

// hasCheck reports whether a command judges by another.
func hasCheck(flags []flag) bool {
	return slices.ContainsFunc(flags, func(f flag) bool {
		return f.Name == "--check" && f.Apply != nil
	})
}

func TestEveryFlagWithAFileSaysWhatIsDoneWithIt(t *testing.T) {
	names := []string{"FILE", "OUT", "ENGINE", "MODEL", "DIR", "FOLDER", "PATH"}
	for command, flags := range requests {
		for _, f := range flags() {
			file := slices.Contains(names, f.Value) || strings.Contains(f.Value, ".py")
			if f.File == files.None && file && f.Name != "--output-dir" {
				t.Errorf("%s: %s %s does not say whether the file is read or written", command, f.Name,
					f.Value)
			}
		}
	}
}

// TestNoOutputGoesOntoWhatIsRead directs every output of every command to each file that the
// command reads, every two outputs to one file, and each output to golden files.
func TestNoOutputGoesOntoWhatIsRead(t *testing.T) {
	t.Chdir(t.TempDir())
	const before = "as it was"
	for _, name := range []string{"it", "model.onnx"} {
		if err := os.WriteFile(name, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const head = `{"modelparity": {"format": 2, "kind": "golden"}}`
	err := os.MkdirAll("testdata/golden", 0o755)
	for _, name := range []string{"gold", "testdata/golden/y.json"} {
		err = errors.Join(err, os.WriteFile(name, []byte(head), 0o600))
	}
	err = errors.Join(err, os.Symlink("it", "link"), os.Symlink("gold", "toGold"))
	if err != nil {
		t.Skip("this system has no links: ", err)
	}
	refused := func(command string, args ...string) {
		t.Helper()
		if command == "run" { // else the flags for what runs would be answered first
			args = append(args, runners()...)
		}
		if hasCheck(requests[command]()) { // says where candidates are written, and needs a command
			args = append(args, "--check", "false")
		}
		var stdout, stderr bytes.Buffer
		status := execute(t.Context(), append(strings.Fields(command), args...), &stdout, &stderr)
		data, err := os.ReadFile("it")
		if status != unusable || !strings.Contains(stderr.String(), "write") ||
			!strings.Contains(stderr.String(), " different file") || string(data) != before || err != nil {
			t.Fatalf("%s %q: exit status %d, %q, and the file holds %q", command, args, status,
				stderr.String(), data)
		}
		if _, err := os.Stat("new"); err == nil {
			t.Fatalf("%s %q wrote a file", command, args)
		}
	}
	tried := 0
	for command, all := range requests {
		var reads, writes []flag
		for _, f := range all() {
			switch {
			case f.Value == "DIR": // what is in it, see files.txtar
			case f.File == files.Reads:
				reads = append(reads, f)
			case f.File != files.None:
				writes = append(writes, f)
			}
		}
		for i, w := range writes {
			for _, golden := range []string{"toGold", "testdata/golden/y.json",
				"testdata/golden/new.json"} {
				refused(command, "model.onnx", w.Name, golden)
				data, err := os.ReadFile(golden)
				if strings.HasSuffix(golden, "new.json") == (err == nil) || err == nil && string(data) != head {
					t.Fatalf("%s %s: the golden file %s holds %q, %v", command, w.Name, golden, data, err)
				}
			}
			refused(command, "it", w.Name, "it")
			refused(command, "it", w.Name, "link")
			refused(command, "link", w.Name+"=it")
			for _, r := range reads {
				args := append([]string{"model.onnx"}, switches(all(), r)...)
				refused(command, append(args, r.Name, "it", w.Name, "./it")...)
				refused(command, append(args, w.Name, "link", r.Name, "it")...)
				tried++
			}
			for _, other := range writes[:i] {
				if w.Shared == "" || w.Shared != other.Shared {
					refused(command, "model.onnx", w.Name, "new", other.Name, "./new")
					tried++
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d pairs of flags were tried", tried)
	}
}

// TestMutateWritesIntoAPackage has the report, and standard output, in the folder of the package.
func TestMutateWritesIntoAPackage(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("net_test.go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create("out.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer func(stdout *os.File) { os.Stdout = stdout }(os.Stdout)
	os.Stdout = out
	for args, says := range map[string]string{
		". --report r.json":                  "",
		"./... --report r.json":              "",
		". net_test.go --report net_test.go": "--report would write net_test.go",
	} {
		var r mutateRequest
		_, err := read(&r, flagsOf("mutate", r.sections()), strings.Fields(args))
		if says == "" && err != nil ||
			says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("mutate %s: %v", args, err)
		}
	}
}
