//go:build unix

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelparity/modelparity/internal/setfile"
	"github.com/modelparity/modelparity/tensor"
)

// TestInterruptEndsEveryCommand lets each command wait for a pipe that nothing reads, as it would
// for a slow disk or for a call that cannot be cancelled, and interrupts it.
func TestInterruptEndsEveryCommand(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{"many.json", "many.npz", "many.safetensors"} {
		save(t, at(name), 2000, tensor.Scalar[float32](1))
	}
	save(t, at("x.json"), 1, tensor.Of(make([]float32, numbers)...))
	if err := os.WriteFile(at("m.onnx"), wide(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		fifo string // "" is the standard output
		args []string
	}{
		{"", []string{"inspect", at("many.json")}},
		{"", []string{"inspect", at("many.npz")}},
		{"", []string{"inspect", at("many.safetensors")}},
		{"", []string{"compare", at("many.json"), at("many.json")}},
		{"y.json", []string{"run", at("m.onnx"), "--onnxrt", "--load-inputs", at("x.json"),
			"--save-outputs", "y.json"}},
		{"y.onnx", []string{"cut", at("m.onnx"), "-o", "y.onnx", "--to", "y"}},
	} {
		for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			t.Run(row.args[0]+" "+signal.String(), func(t *testing.T) {
				t.Parallel()
				command := exec.Command("modelparity", row.args...)
				command.Dir = t.TempDir()
				interrupt(t, command, row.fifo, signal)
			})
		}
	}
}

// TestInterruptLeavesNoHalfOfAFile interrupts the process as soon as its unfinished file is there.
// On a busy machine the file may be complete before the signal arrives; then it tries again.
func TestInterruptLeavesNoHalfOfAFile(t *testing.T) {
	from := filepath.Join(t.TempDir(), "x.npz")
	save(t, from, 1, tensor.Of(make([]float32, 1<<25)...))
	for range 20 {
		folder := t.TempDir()
		status, said := interruptedExport(t, from, filepath.Join(folder, "y.json"))
		entries, err := os.ReadDir(folder)
		if status == equal && len(entries) == 1 && entries[0].Name() == "y.json" {
			continue
		}
		if err != nil || len(entries) > 0 || status != unusable ||
			!strings.HasPrefix(said, "modelparity: golden: interrupted") {
			t.Errorf("status %d, %v and %v with %q", status, entries, err, said)
		}
		return
	}
	t.Error("each of 20 files was complete before the signal arrived")
}

// interruptedExport exports a file, and sends SIGTERM when the first byte is on the disk.
func interruptedExport(t *testing.T, from, to string) (status int, said string) {
	command := exec.Command("modelparity", "golden", "export", from, "-o", to)
	var stderr strings.Builder
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for begun, tries := false, 0; !begun; tries++ {
		time.Sleep(time.Millisecond)
		entries, err := os.ReadDir(filepath.Dir(to))
		if begun = len(entries) > 0; err != nil || tries > 60_000 {
			t.Fatal("nothing was written: ", err)
		}
	}
	err := command.Process.Signal(syscall.SIGTERM)
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	_ = command.Wait() // the caller judges the status
	return command.ProcessState.ExitCode(), stderr.String()
}

// save writes a file of so many tensors, or of one called x.
func save(t *testing.T, path string, count int, value *tensor.Tensor) {
	t.Helper()
	var entries []tensor.Entry
	for i := range count {
		name := "x"
		if count > 1 {
			name = fmt.Sprintf("a_scope_whose_name_is_long_%d", i)
		}
		entries = append(entries, tensor.Entry{Name: name, Tensor: value})
	}
	set, err := tensor.NewSet(entries...)
	if err != nil {
		t.Fatal(err)
	}
	err = setfile.Write(path, func(yield func(*tensor.Set, error) bool) { yield(set, nil) })
	if err != nil {
		t.Fatal(err)
	}
}

func interrupt(t *testing.T, command *exec.Cmd, fifo string, signal os.Signal) {
	written, err := command.StdoutPipe()
	if fifo != "" {
		path := filepath.Join(command.Dir, fifo)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip("this file system has no FIFOs: ", err)
		}
		written, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer written.Close()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() })
	defer stuck.Stop()
	untilWritten(t, written) // and no further, so the command waits
	start := time.Now()
	if err := command.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	state, err := command.Process.Wait() // and not for the standard output, which stays open
	if err != nil {
		t.Fatal(err)
	}
	// A second is what a user is promised; a machine that runs other tests may need another one.
	took := time.Since(start)
	if took > 2*time.Second || state.ExitCode() != unusable {
		t.Errorf("%q ended %v after %v: %v", command.Args, took, signal, state)
	}
}

// untilWritten reads the first byte of a pipe, which is at its end until something writes to it.
func untilWritten(t *testing.T, written io.Reader) {
	for range 3000 {
		n, err := written.Read(make([]byte, 1))
		if n == 1 {
			return
		}
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("nothing was written")
}
