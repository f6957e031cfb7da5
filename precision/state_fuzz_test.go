package precision

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/loaders"
)

// FuzzState reads files that anybody may have written: whatever is in one, it is an error, or what
// is taken from it are numbers that a search can have measured.
func FuzzState(f *testing.F) {
	w := &searching{opened: &opened{format: FP16, engine: fake.Engine(),
		model: loaders.ONNX("../example_test/digits/testdata/digits.onnx")}, names: []string{"y"}}
	of, judged, err := w.identity()
	if err != nil {
		f.Fatal(err)
	}
	const head = `{"of":"`
	f.Add(head + of + `","measured":{"0":[1e-3],"1":["Infinity"]},"judged":"` + judged +
		`","trials":[{"x.":{"margins":[0.5],"passes":false}},null]}`)
	f.Add(head + of + `","measured":null,"judged":"` + judged + `","trials":null}`)
	f.Add(head + of + `","measured":{"0":[-1],"1":["NaN"],"2":[],"x":[1]}}`)
	f.Add(`{"of":1}`)
	f.Add(``)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "state.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := openState(path, w)
		if err != nil {
			return
		}
		w.state = s
		for j := range s.Measured {
			errors, ok := w.known(j)
			if ok && j != noGroup && (len(errors) != 1 || !(errors[0] >= 0)) {
				t.Errorf("%v was measured", errors)
			}
		}
		for by, trials := range s.Trials {
			for name := range trials {
				r := w.recorded(name, form(by))
				if r != nil && len(r.Margins) != 1 {
					t.Errorf("%v was tried", r)
				}
			}
			if err := s.judged("x", form(by), &trial{}); err != nil {
				t.Error(err)
			}
		}
		if err := s.measured(1, nil); err != nil {
			t.Error(err)
		}
	})
}
