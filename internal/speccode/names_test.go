package speccode_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/modelparity/modelparity/internal/speccode"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		reason, has, text, file, pkg, name string
	}{
		{"an empty folder", "", "", "net_test.go", "net_test", "net"},
		{"no identifier", "", "", "3 nets_test.go", "model3nets_test", "3_nets"},
		{"an earlier spec", "a_test.go", "package first_test\n", "b_test.go", "first_test", "b"},
		{"a package", "a.go", "package first\n", "a-b_test.go", "first_test", "a_b"},
		{"a file that is in no build", "gen.go", "//go:build ignore\n\npackage main\n", "b_test.go",
			"b_test", "b"},
	} {
		folder := t.TempDir()
		if c.has != "" {
			if err := os.WriteFile(filepath.Join(folder, c.has), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		pkg, name := speccode.Names(filepath.Join(folder, c.file))
		if pkg != c.pkg || name != c.name {
			t.Errorf("%s: got %s and %s, want %s and %s", c.reason, pkg, name, c.pkg, c.name)
		}
	}
	if pkg, _ := speccode.Names(filepath.Join(t.TempDir(), "none", "net_test.go")); pkg != "net_test" {
		t.Errorf("a folder that is not there: got %s", pkg)
	}
}
