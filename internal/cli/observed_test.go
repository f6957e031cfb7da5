package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/runs"
)

// TestWhatObservesARunDoesNotChangeIt holds a run with -v, --report and --log-file, and one of more
// iterations, to the provenance and to the bits of one without. Its own outputs are saved, or held
// to the saved ones of another model on other inputs, so that the notes name every checksum.
func TestWhatObservesARunDoesNotChangeIt(t *testing.T) {
	ort.Require(t)
	g := NewWithT(t)
	models, err := filepath.Abs("testdata/polygraphy/models")
	g.Expect(err).NotTo(HaveOccurred())
	t.Chdir(t.TempDir())
	text, err := os.ReadFile(filepath.Join(models, "fp32_gemm.onnx"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.WriteFile("net.onnx", text, 0o600)).To(Succeed())
	g.Expect(os.WriteFile("again.onnx", append(text, 0x1a, 0), 0o600)).To(Succeed(),
		"an empty name of the producer changes the file alone")
	do := func(args ...string) string {
		t.Helper()
		_, stdout, stderr := modelparity(t, append([]string{"run", "again.onnx", "--onnxrt"},
			args...)...)
		g.Expect(stderr).To(BeEmpty(), strings.Join(args, " "))
		return stdout
	}
	for _, iterations := range []int{1, 2, 8, 9} {
		n := fmt.Sprint("--iterations=", iterations)
		status, _, stderr := modelparity(t, "run", "net.onnx", "--onnxrt", n, "--seed=2",
			"--save-outputs=other.json")
		g.Expect(status).To(Equal(equal), stderr)
		var usual string
		var first *runs.Named
		for combination := range 1 << 3 {
			args := []string{n, "--seed=1"}
			for i, flag := range []string{"-v", "--report=report.json", "--log-file=log.txt"} {
				if combination>>i&1 == 1 {
					args = append(args, flag)
				}
			}
			// Every number and note of a comparison with other outputs; -v prints more lines.
			found := do(append(args, "--load-outputs=other.json")...)
			g.Expect(found).To(And(ContainSubstring("the models differ: again.onnx (sha256"),
				ContainSubstring("the inputs differ: ")))
			if usual == "" {
				usual = found
			}
			if combination&1 == 0 {
				g.Expect(found).To(Equal(usual), strings.Join(args, " "))
			} else {
				for line := range strings.Lines(usual) {
					if strings.HasPrefix(line, "note: ") {
						g.Expect(found).To(ContainSubstring(line), strings.Join(args, " "))
					}
				}
			}
			do(append(args, "--onnxrt", "--save-outputs=own.json")...)
			both, err := runs.ReadRuns(context.Background(), "own.json")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(both).To(HaveLen(2))
			own := both[combination%2]
			if first == nil {
				first = &own
			}
			g.Expect(own.Run.Provenance).To(Equal(first.Run.Provenance), strings.Join(args, " "))
			g.Expect(own.Run.Len()).To(Equal(iterations))
			for i, set := range own.Run.Outputs() {
				for j := range set.Len() {
					g.Expect(bytes.Equal(set.At(j).Tensor.Bytes(),
						first.Run.Outputs()[i].At(j).Tensor.Bytes())).To(BeTrue(), strings.Join(args, " "))
				}
			}
		}
	}
}
