package golden_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/modelparity/modelparity/golden"
)

// FuzzRead holds that no golden file panics, and that one that is read can be written.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"digits.json", "format1.json", "polygraphy/scalar_mul/outputs.json",
		"polygraphy/fp32_gemm/inputs.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "run.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		runs, err := golden.ReadRuns(path)
		if err != nil {
			return
		}
		for _, named := range runs {
			if len(named.Run.Iterations()) == 0 || named.Run.Iterations()[0].Outputs.Len() == 0 {
				return // may be read, to say so, but not written
			}
		}
		if err := golden.WriteRuns(filepath.Join(t.TempDir(), "again.json"), runs[:1]); err != nil {
			for _, iteration := range runs[0].Run.Iterations() {
				if iteration.Outputs.Len() == 0 {
					return
				}
			}
			t.Fatal(err)
		}
	})
}
