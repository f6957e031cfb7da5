package golden_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/runs"
)

// FuzzRead holds that no golden file panics, and that one that is read can be written.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"digits.json", "format1.json", "tree.json",
		"polygraphy/scalar_mul/outputs.json", "polygraphy/fp32_gemm/inputs.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	tree, err := os.ReadFile(filepath.Join("testdata", "tree.json"))
	if err != nil {
		f.Fatal(err)
	}
	for _, lie := range [][2]string{
		{`"parts":["`, `"parts":["0123456789abcdef","`},
		{`"parts":[`, `"parts":[],"old":[`},
		{`"parts":[`, `"parts":null,"old":[`},
		{`"parts":["`, `"parts":["x`},
		{`"tree":{"sha256":"`, `"tree":{"sha256":"00`},
		{`"tree":{`, `"tree":{},"old":{`},
		{`"tree":{`, `"sha256":"","tree":{`},
		{`"shape":[3]`, `"shape":[1152921504606846975]`},
		{`"shape":[3]`, `"shape":[9223372036854775807,9223372036854775807]`},
		{`"shape":[3]`, `"shape":[0]`},
		{`"type":"float32"`, `"type":"string"`},
		{`"type":"float32"`, `"type":"int4"`},
		{`"needs":["tree"]`, `"needs":["tree","tree"]`},
	} {
		if !bytes.Contains(tree, []byte(lie[0])) {
			f.Fatal(lie[0])
		}
		f.Add(bytes.Replace(tree, []byte(lie[0]), []byte(lie[1]), 1))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "run.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		saved, err := runs.ReadRuns(context.Background(), path)
		if err != nil {
			return
		}
		for _, named := range saved {
			if len(named.Run.Iterations()) == 0 || named.Run.Iterations()[0].Outputs.Len() == 0 {
				return // may be read, to say so, but not written
			}
		}
		if err := runs.WriteRuns(filepath.Join(t.TempDir(), "again.json"), saved[:1]); err != nil {
			for _, iteration := range saved[0].Run.Iterations() {
				if iteration.Outputs.Len() == 0 {
					return
				}
			}
			t.Fatal(err)
		}
	})
}

// FuzzReview holds that no entry of a review, whoever wrote it, panics or has a file written that
// is not a golden file of the tree.
func FuzzReview(f *testing.F) {
	entry := func(file, is string) []byte {
		return fmt.Appendf(nil, `{"format": 1, "file": %q, "was": "", "is": %q, "change": {"path": %q, `+
			`"kind": "created", "moved": [{"output": "x", "iteration": 0, "max_abs": 1, "max_rel": `+
			`"NaN"}]}}`, file, is, file)
	}
	text, err := os.ReadFile(filepath.Join("testdata", "digits.json"))
	if err != nil {
		f.Fatal(err)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(text))
	for _, file := range []string{"pkg/testdata/golden/a.json", "../a.json", "/a.json", "go.mod",
		"out/a.json", "", "a/../../a.json", `..\a.json`, "pkg/testdata/golden/con.json"} {
		f.Add(entry(file, sum))
		f.Add(entry(file, ""))
	}
	f.Add([]byte("["))
	f.Fuzz(func(t *testing.T, data []byte) {
		outer := t.TempDir()
		root, review := filepath.Join(outer, "root"), filepath.Join(outer, "review")
		for path, content := range map[string][]byte{
			filepath.Join(root, "go.mod"):                     []byte("module x\n"),
			filepath.Join(outer, "outside", "keep"):           []byte("x"),
			filepath.Join(review, "entries", "a.json"):        data,
			filepath.Join(review, "files", sum+".json"):       text,
			filepath.Join(root, "testdata", "golden", "keep"): []byte("x"),
		} {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(filepath.Join(outer, "outside"), filepath.Join(root, "out")); err != nil {
			t.Skip("this system has no links: ", err)
		}
		t.Setenv(goldentree.EnvReview, review)
		t.Chdir(root)
		before := filesBelow(t, outer)
		changes, err := golden.Accept(context.Background(), true)
		if err != nil {
			changes = nil
		}
		wrote := 0
		for path := range filesBelow(t, outer) {
			if before[path] || filepath.Dir(path) == review { // its lock and its summary
				continue
			}
			wrote++
			if inside, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(inside) ||
				filepath.Ext(path) != ".json" || goldentree.Look(context.Background(), path).Problem != "" {
				t.Errorf("%s was written", path)
			}
		}
		if wrote > len(changes) {
			t.Errorf("%d files were written for %d changes", wrote, len(changes))
		}
	})
}

// filesBelow is the regular files below a folder.
func filesBelow(t *testing.T, folder string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(folder, func(path string, item fs.DirEntry, err error) error {
		if err == nil && item.Type().IsRegular() {
			found[path] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
