package files_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/modelparity/modelparity/internal/files"
)

func TestOutputsGoWhereTheLastFlagSays(t *testing.T) {
	var o files.Outputs
	o.Put("--report", "a.json")
	o.PutUnnamed("--report", "report.json")
	o.PutUnnamed("--log-file", "log.txt")
	o.Put("--log-file", "b.txt")
	o.Folder = "out"
	o.Settle(map[string]string{"--report": "usual.json", "--log-file": "usual.txt",
		"--save-inputs": "inputs.json"})
	for flag, want := range map[string]string{"--report": filepath.Join("out", "report.json"),
		"--log-file": "b.txt", "--save-inputs": filepath.Join("out", "inputs.json"), "--other": ""} {
		if got := o.Path(flag); got != want {
			t.Errorf("%s goes to %q, want %q", flag, got, want)
		}
	}
}

func TestWithoutAFolderNothingIsUsual(t *testing.T) {
	var o files.Outputs
	o.PutUnnamed("--report", "report.json")
	o.Settle(map[string]string{"--save-inputs": "inputs.json"})
	if got := o.Path("--report"); got != "report.json" {
		t.Errorf("the report goes to %q", got)
	}
	if got := o.Path("--save-inputs"); got != "" {
		t.Errorf("inputs go to %q, and nothing asked for them", got)
	}
}

func TestOnlyOutputsGoToStandardOutput(t *testing.T) {
	var o files.Outputs
	o.Put("--report", "-")
	var a files.Account
	a.Add("--report", files.Writes, "-")
	a.Add("--load-inputs", files.Reads, "-")
	if err := o.Note(&a, nil); err != nil && runtime.GOOS != "windows" {
		t.Error(err)
	}
	a.Add("--state", files.Updates, "-")
	a.Add("--min-good", files.Writes, "-")
	const want = "--state -: this flag cannot write to standard output; give it a path\n" +
		"--min-good -: this flag cannot write to standard output; give it a path"
	o = files.Outputs{}
	if err := o.Note(&a, nil); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestConflictingOutputsAreNotWritten(t *testing.T) {
	t.Chdir(t.TempDir())
	var o files.Outputs
	o.Put("--report", "one.json")
	o.Put("--log-file", "./one.json")
	o.Put("--save-inputs", "other.json")
	o.Put("--blobs", "folder")
	var a files.Account
	if err := o.Note(&a, map[string]string{"--blobs": "*.bin"}); err != nil {
		t.Fatal(err)
	}
	a.Add("the command", files.Reads, filepath.Join("folder", "0.bin"))
	conflicts := a.Check()
	if len(conflicts) != 2 {
		t.Fatalf("conflicts: %v", conflicts)
	}
	const both = "--report and --log-file would both write one.json; use two different files"
	const read = "--blobs would write folder, which the command reads; choose a different file"
	for i, want := range []string{both, read} {
		if got := conflicts[i].Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		o.Refuse(conflicts[i])
	}
	for flag, want := range map[string]string{"--report": "", "--log-file": "", "--blobs": "",
		"--save-inputs": "other.json"} {
		if got := o.Path(flag); got != want {
			t.Errorf("%s goes to %q, want %q", flag, got, want)
		}
	}
}

func TestADashIsStandardOutput(t *testing.T) {
	var o files.Outputs
	o.Put("--report", "-")
	err := o.Note(new(files.Account), nil)
	if runtime.GOOS == "windows" {
		if err == nil {
			t.Error("Windows has no path for standard output")
		}
		return
	}
	if err != nil || !o.Piped() || o.Path("--report") != "/dev/stdout" {
		t.Errorf("%v: piped %v, %q", err, o.Piped(), o.Path("--report"))
	}
}
