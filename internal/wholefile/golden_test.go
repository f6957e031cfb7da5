package wholefile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/internal/wholefile"
)

// A writer that no flag names, and that therefore is in no account, does not replace a golden file
// either.
func TestOnlyAnUpdateReplacesAGoldenFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "testdata", "golden", "x.data")
	elsewhere := filepath.Join(t.TempDir(), "x.json")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	const head = "{\n\"modelparity\":{\"format\":2,\n\"kind\" : \"golden\",\"runs\":[]}}"
	for path, old := range map[string]string{
		elsewhere:                         head,
		filepath.Join(folder, "0.npy.gz"): "data",
		filepath.Join(filepath.Dir(folder), "x.json"):   "<<<<<<< ours",
		filepath.Join(filepath.Dir(folder), "b/y.json"): "{}",
	} {
		_ = os.MkdirAll(filepath.Dir(path), 0o755) // the write below fails without it
		if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := wholefile.WriteBytes(path, nil); err == nil ||
			!strings.Contains(err.Error(), "this is a golden file") {
			t.Error(path, err)
		}
		holds(t, path, old)
		if _, err := wholefile.Update(path, text("new")); err != nil {
			t.Error(err)
		}
		holds(t, path, "new")
	}
	for _, other := range []string{`{"modelparity": {"format": 2, "kind": "run"}}`,
		`{"lst": [], "kind": "golden"}`, `{"modelparity": {"x": {}}, "kind": "golden"}`} {
		if _, err := wholefile.Update(elsewhere, text(other)); err != nil {
			t.Error(err)
		}
		if err := wholefile.WriteBytes(elsewhere, nil); err != nil {
			t.Error(other, err)
		}
	}
}
