package filelock_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelparity/modelparity/internal/filelock"
)

// holder is the argument under which this test binary takes a lock and keeps it until it dies.
const holder = "hold-the-lock"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == holder {
		err := filelock.With(context.Background(), os.Args[2], func() error {
			fmt.Println("held")
			time.Sleep(time.Hour)
			return nil
		})
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestOneAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	count := path + ".count" // a file, because the lock is between processes
	turn := func() error {
		text, _ := os.ReadFile(count) // the first turn finds none
		n, _ := strconv.Atoi(string(text))
		return os.WriteFile(count, []byte(strconv.Itoa(n+1)), 0o600)
	}
	done := make(chan error)
	for range 8 {
		go func() {
			var err error
			for range 100 {
				if err == nil {
					err = filelock.With(t.Context(), path, turn)
				}
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if text, err := os.ReadFile(count); err != nil || string(text) != "800" {
		t.Errorf("%s of 800 turns were taken alone, %v", text, err)
	}
}

func TestALockEndsWithItsProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	cmd := exec.Command(os.Args[0], holder, path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held\n" {
		t.Fatal(line, err)
	}
	taken := make(chan error, 1)
	go func() { taken <- filelock.With(t.Context(), path, func() error { return nil }) }()
	select {
	case err := <-taken:
		t.Fatalf("two processes hold the lock: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err = filelock.With(short, path, func() error { return nil })
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), path) {
		t.Errorf("the wait ended with %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if err := <-taken; err != nil {
		t.Error(err)
	}
}
