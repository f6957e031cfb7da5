//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/modelparity/modelparity/internal/testing/trtmock"
)

// TestInterruptEndsEveryCommand lets each command wait for a FIFO that nobody writes to, as it
// would for a slow disk or for a call that cannot be cancelled, and interrupts it.
func TestInterruptEndsEveryCommand(t *testing.T) {
	for _, row := range []struct {
		fifo string
		args []string
	}{
		{"x.json", []string{"inspect", "x.json"}},
		{"x.npz", []string{"inspect", "x.npz"}},
		{"x.safetensors", []string{"inspect", "x.safetensors"}},
		{"x.json", []string{"compare", "x.json", "x.json"}},
		{"x.json", []string{"run", "m.onnx", "--onnxrt", "--load-outputs", "x.json"}},
		{"x.json", []string{"run", "m.onnx", "--onnxrt", "--load-inputs", "x.json",
			"--save-outputs", "y.json"}},
		{"x.json", []string{"cut", "m.onnx", "-o", "y.onnx", "--to", "r", "--load-inputs", "x.json",
			"--graph-optimization-level", "none"}},
	} {
		for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			t.Run(row.args[0]+" "+signal.String(), func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				fifo := filepath.Join(folder, row.fifo)
				if err := syscall.Mkfifo(fifo, 0o600); err != nil {
					t.Skip("this file system has no FIFOs: ", err)
				}
				if err := os.WriteFile(filepath.Join(folder, "m.onnx"), trtmock.Chain(), 0o600); err != nil {
					t.Fatal(err)
				}
				interrupt(t, folder, fifo, signal, row.args)
			})
		}
	}
}

func interrupt(t *testing.T, folder, fifo string, signal os.Signal, args []string) {
	command := exec.Command("modelparity", args...)
	command.Dir = folder
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() })
	defer stuck.Stop()
	writer := whenRead(t, fifo)
	defer writer.Close() // until then, the command waits for what is written
	start := time.Now()
	if err := command.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	err := command.Wait()
	// A second is what a user is promised; a machine that runs other tests may need another one.
	took, code := time.Since(start), command.ProcessState.ExitCode()
	if took > 2*time.Second || code != unusable {
		t.Errorf("%q ended %v after %v: %v", args, took, signal, err)
	}
}

// whenRead opens a FIFO to write as soon as somebody reads it: before that, the system refuses.
func whenRead(t *testing.T, fifo string) *os.File {
	for range 3000 {
		writer, err := os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			return writer
		}
		if !errors.Is(err, syscall.ENXIO) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("nobody reads ", fifo)
	return nil
}
