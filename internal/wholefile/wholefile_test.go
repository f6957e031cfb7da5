package wholefile_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/internal/wholefile"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v, want %q", path, got, err, want)
	}
}

func TestWriterThatFailsLeavesTheOldFileAndNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := wholefile.Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	err := wholefile.Write(path, func(w io.Writer) error {
		return errors.Join(text("half of the n")(w), full)
	})
	if !errors.Is(err, full) {
		t.Error(err)
	}
	holds(t, path, "old")
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Error(entries, err)
	}
}

func TestAbandonLeavesTheOldFileAndNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := wholefile.Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	err := wholefile.Write(path, func(w io.Writer) error {
		err := text("half of the n")(w)
		wholefile.Abandon()
		if entries, wrong := os.ReadDir(filepath.Dir(path)); wrong != nil || len(entries) != 1 {
			t.Error("while the writer still works: ", entries, wrong)
		}
		return errors.Join(err, text("ew")(w))
	})
	if want := "write " + path + ": context canceled"; !errors.Is(err, context.Canceled) ||
		err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
	holds(t, path, "old")
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Error(entries, err)
	}
	if err := wholefile.Write(path, text("new")); err != nil { // such as the report of the interrupt
		t.Error(err)
	}
	holds(t, path, "new")
}

func TestUpdateWritesOnlyWhatDiffers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	long := strings.Repeat("x", 200_000) // more than a buffer
	for _, row := range []struct {
		reason, text string
		written      bool
	}{
		{"there was none", long, true},
		{"the same bytes", long, false},
		{"longer by one", long + "y", true},
		{"shorter by one", long, true},
		{"another last byte", long[1:] + "y", true},
		{"empty", "", true},
		{"empty again", "", false},
	} {
		written, err := wholefile.Update(path, text(row.text))
		if err != nil || written != row.written {
			t.Errorf("%s: written %v, %v", row.reason, written, err)
		}
		holds(t, path, row.text)
	}
}

func TestLinksAndRightsStay(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "x"), filepath.Join(folder, "link")
	if err := errors.Join(os.WriteFile(path, nil, 0o640), os.Symlink("x", link)); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.WriteBytes(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new")
	if target, err := os.Readlink(link); err != nil || target != "x" {
		t.Error(target, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Error(info.Mode(), err)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	err := wholefile.Write(filepath.Join(t.TempDir(), "none", "x"), text(""))
	if err == nil || !strings.HasSuffix(err.Error(), "none does not exist") {
		t.Error(err)
	}
	if os.Geteuid() == 0 {
		return // root may write everywhere
	}
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	err = wholefile.Write(filepath.Join(folder, "x"), text(""))
	if err == nil || !strings.Contains(err.Error(), "cannot be written to") {
		t.Error(err)
	}
}

func TestAppendAddsToTheFileAndLeavesItAloneWithoutData(t *testing.T) {
	path := filepath.Join(t.TempDir(), "summary.md")
	if err := wholefile.Append(path, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("appending nothing created the file:", err)
	}
	for _, line := range []string{"one\n", "two\n"} {
		if err := wholefile.Append(path, []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, path, "one\ntwo\n")
	err := wholefile.Append(filepath.Join(t.TempDir(), "no", "such.md"), []byte("x"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
