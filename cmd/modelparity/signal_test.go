//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestInterruptEndsEveryCommand lets each command wait for a FIFO that nobody writes to, as it
// would for a slow disk or for a call that cannot be cancelled, and interrupts it.
func TestInterruptEndsEveryCommand(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"x.json", "x.npz", "x.safetensors"} {
		if err := syscall.Mkfifo(filepath.Join(folder, name), 0o600); err != nil {
			t.Skip("this file system has no FIFOs: ", err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "m.onnx"), chain(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"inspect", "x.json"}, {"inspect", "x.npz"}, {"inspect", "x.safetensors"},
		{"compare", "x.json", "x.json"},
		{"run", "m.onnx", "--onnxrt", "--load-outputs", "x.json"},
		{"run", "m.onnx", "--onnxrt", "--load-inputs", "x.json", "--save-outputs", "y.json"},
		{"cut", "m.onnx", "-o", "y.onnx", "--to", "r", "--load-inputs", "x.json",
			"--expected-graph-optimization-level", "none"},
	} {
		for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			t.Run(args[0]+" "+signal.String(), func(t *testing.T) {
				t.Parallel()
				interrupt(t, folder, signal, args)
			})
		}
	}
}

func interrupt(t *testing.T, folder string, signal os.Signal, args []string) {
	command := exec.Command("modelparity", args...)
	command.Dir = folder
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond) // for it to be where it waits
	start := time.Now()
	if err := command.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(10*time.Second, func() { _ = command.Process.Kill() })
	defer stuck.Stop()
	err := command.Wait()
	// A second is what a user is promised; a machine that runs other tests may need another one.
	if took := time.Since(start); took > 2*time.Second || command.ProcessState.ExitCode() != unusable {
		t.Errorf("%q ended %v after %v: %v", args, took, signal, err)
	}
}
