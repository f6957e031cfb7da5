//go:build unix

package wholefile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/modelparity/modelparity/internal/wholefile"
)

func TestLinkToNothingYetStays(t *testing.T) {
	folder := t.TempDir()
	link := filepath.Join(folder, "link")
	if err := errors.Join(os.Mkdir(filepath.Join(folder, "sub"), 0o700),
		os.Symlink("second", link), os.Symlink("sub/x", filepath.Join(folder, "second"))); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.WriteBytes(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, filepath.Join(folder, "sub", "x"), "new")
	if target, err := os.Readlink(link); err != nil || target != "second" {
		t.Error(target, err)
	}
}

func TestLinksInACircleAreAnError(t *testing.T) {
	folder := t.TempDir()
	a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	if err := errors.Join(os.Symlink("b", a), os.Symlink("a", b)); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.WriteBytes(a, nil); err == nil || !strings.Contains(err.Error(), "links") {
		t.Error(err)
	}
}

func TestFIFOIsWrittenToAndStays(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip("this file system has no FIFOs: ", err)
	}
	for _, write := range []func() error{
		func() error { return wholefile.WriteBytes(fifo, []byte("through")) },
		func() error { _, err := wholefile.Update(fifo, text("through")); return err },
	} {
		read := make(chan string)
		go func() {
			data, err := os.ReadFile(fifo)
			if err != nil {
				data = []byte(err.Error())
			}
			read <- string(data)
		}()
		if err := write(); err != nil {
			t.Fatal(err)
		}
		if got := <-read; got != "through" {
			t.Errorf("read %q", got)
		}
	}
	if err := wholefile.Remove(fifo); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(fifo); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Error("the FIFO is gone", info, err)
	}
}

func TestDeviceAndFolderStay(t *testing.T) {
	folder := t.TempDir()
	link := filepath.Join(folder, "null")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.WriteBytes(link, []byte("x")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode()&fs.ModeDevice == 0 {
		t.Fatal("the null device is gone", info, err)
	}
	if err := wholefile.WriteBytes(folder, nil); err == nil ||
		!strings.Contains(err.Error(), "this is a folder") {
		t.Error(err)
	}
	for _, path := range []string{folder, link, filepath.Join(folder, "none")} {
		if err := wholefile.Remove(path); err != nil {
			t.Error(path, err)
		}
	}
	if _, err := os.Lstat(link); err != nil {
		t.Error("the link is gone", err)
	}
}

// A report that goes to /dev/stdout goes behind what was printed, also where that is a file: it
// must not take the file's place, nor start at its beginning.
func TestOwnDescriptorIsSharedAndNotReplaced(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "log"), filepath.Join(folder, "link")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	descriptor := "/proc/self/fd/" + strconv.Itoa(int(f.Fd()))
	if _, err := os.Stat(descriptor); err != nil {
		t.Skip("this system does not list open files: ", err)
	}
	if err := os.Symlink(descriptor, link); err != nil {
		t.Fatal(err)
	}
	_, before := io.WriteString(f, "before ")
	if err := errors.Join(before, wholefile.Write(link, text("report"))); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, " after"); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "before report after")
	if !wholefile.IsStream(link) || wholefile.IsStream(path) {
		t.Error("a descriptor is a stream, and its file is none")
	}
}
