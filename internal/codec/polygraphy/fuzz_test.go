package polygraphy_test

import (
	"bytes"
	"encoding/base64"
	"os"
	"testing"

	"github.com/modelparity/modelparity/internal/codec/polygraphy"
)

func base64Of(data string) string { return base64.StdEncoding.EncodeToString([]byte(data)) }

func seeds(f *testing.F, names ...string) {
	for _, name := range names {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

// FuzzInputs holds that no file panics, and that what was read is read again from what is written.
func FuzzInputs(f *testing.F) {
	seeds(f, "inputs.json", "inputs_0_27.json")
	f.Fuzz(func(t *testing.T, document []byte) {
		for set, err := range polygraphy.Inputs(bytes.NewReader(document), int64(len(document))) {
			if err != nil {
				return
			}
			var out bytes.Buffer
			w := polygraphy.NewWriter(&out)
			w.Inputs(all(set))
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			for again, err := range polygraphy.Inputs(&out, int64(out.Len())) {
				if err != nil || again.GomegaString() != set.GomegaString() {
					t.Fatalf("%v was read again as %v, %v", set, again, err)
				}
			}
		}
	})
}

// FuzzResults holds that no file panics.
func FuzzResults(f *testing.F) {
	seeds(f, "outputs_0_27.json")
	f.Fuzz(func(t *testing.T, document []byte) {
		polygraphy.ReadResults(bytes.NewReader(document), int64(len(document)))
	})
}
