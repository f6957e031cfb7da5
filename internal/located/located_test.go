package located_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelparity/modelparity/internal/located"
)

func TestAFileIsNamedOnce(t *testing.T) {
	damaged := errors.New("unexpected end")
	missing := filepath.Join(t.TempDir(), "a.npy")
	_, gone := os.ReadFile(missing)
	for want, err := range map[string]error{
		"a: unexpected end": located.In("a", damaged),
		filepath.Join("a", "b.npy") + ": unexpected end": located.In("a",
			located.In(filepath.Join("a", "b.npy"), damaged)),
		"a.npy: unexpected end":                 located.In("a.npy", located.In("a.npy", damaged)),
		"un: unexpected end":                    located.In("un", damaged),
		"b: a: unexpected end":                  located.In("b", located.In("a", damaged)),
		"a: npy: a: unexpected end":             located.In("a", fmt.Errorf("npy: a: %w", damaged)),
		missing + ": no such file or directory": located.In(missing, gone),
		"a: " + gone.Error():                    located.In("a", gone),
		"the path of the file is empty":         located.In("", fs.ErrNotExist),
	} {
		if err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	}
	if err := located.In(missing, gone); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a missing file is not missing any more")
	}
	if err := located.In("a", damaged); !errors.Is(err, damaged) {
		t.Error("the reason is lost")
	}
}
