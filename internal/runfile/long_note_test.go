package runfile_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/tensor"
)

// The noise of 31 million elements is 165 MB of a golden file, which a comparison by a tolerance
// must not parse.
func TestLongNotesAreNotParsed(t *testing.T) {
	g := NewWithT(t)
	outputs, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of[float32](1, 2, 3)})
	g.Expect(err).NotTo(HaveOccurred())
	const long = 16 << 20
	text := strings.Repeat("ABCD+/9z", long/8)
	note := json.RawMessage(`{"sigma":"` + text + `","runs":8,"again":"` + text + `"}`)
	path := filepath.Join(t.TempDir(), "long.json")
	read := func(notes map[string]json.RawMessage) (*backends.Run, error) {
		run := backends.NewRun(backends.Provenance{Backend: "b"}, backends.Iteration{Outputs: outputs}).
			WithNotes(notes)
		all := []runfile.Runner{{Name: "b", Run: run}}
		h, err := runfile.HeadOf(runfile.KindGolden, all)
		g.Expect(err).NotTo(HaveOccurred())
		var text bytes.Buffer
		g.Expect(runfile.WriteResults(&text, h, all)).To(Succeed())
		g.Expect(os.WriteFile(path, text.Bytes(), 0o600)).To(Succeed())
		runs, _, err := runfile.ReadFile(t.Context(), path)
		if err != nil {
			return nil, err
		}
		return runs[0].Run, nil
	}
	run, err := read(map[string]json.RawMessage{"noise": note})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(run.Notes()["noise"]).To(Equal(note))

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err = runfile.ReadFile(t.Context(), path)
	runtime.ReadMemStats(&after)
	g.Expect(err).NotTo(HaveOccurred())
	allocated := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(note))
	t.Logf("reading allocates %.1f times the note", allocated)
	g.Expect(allocated).To(BeNumerically("<", 9))

	data, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	for _, change := range [][2]string{{"ABCD", "ABCE"}, {`"runs":8`, `"runs":9`}} {
		edited := bytes.Replace(data, []byte(change[0]), []byte(change[1]), 1)
		g.Expect(os.WriteFile(path, edited, 0o600)).To(Succeed())
		_, _, err = runfile.ReadFile(t.Context(), path)
		g.Expect(err).To(MatchError(ContainSubstring("the file was edited by hand")))
	}
}
