package runs_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/tensor"
)

func TestRuns(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Saved runs")
}

func set(entries ...any) *tensor.Set {
	GinkgoHelper()
	var all []tensor.Entry
	for i := 0; i < len(entries); i += 2 {
		all = append(all, tensor.Entry{Name: entries[i].(string), Tensor: entries[i+1].(*tensor.Tensor)})
	}
	s, err := tensor.NewSet(all...)
	Expect(err).NotTo(HaveOccurred())
	return s
}

// runOf is a run of the given outputs, one set per iteration.
func runOf(sets ...*tensor.Set) *backends.Run {
	run := backends.NewRun(backends.Provenance{Backend: "onnxruntime", Version: "1.31.1",
		Provider: "CPUExecutionProvider", Model: "digits.onnx"})
	for _, s := range sets {
		run.Append(backends.Iteration{Outputs: s, Runtime: 1500 * time.Microsecond})
	}
	return run
}

func temporary(name string) string { return filepath.Join(GinkgoT().TempDir(), name) }

func contents(path string) string {
	GinkgoHelper()
	data, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	return string(data)
}

// every is a set of each element type, and of unusual shapes.
func every() *tensor.Set {
	var entries []any
	for _, elem := range tensor.ElementTypes() {
		if elem == tensor.String {
			continue
		}
		data := make([]byte, elem.Bytes(3))
		for i := range data {
			data[i] = byte(i & 1)
		}
		t, err := tensor.FromBytes(elem, tensor.Shape{3}, data)
		Expect(err).NotTo(HaveOccurred())
		entries = append(entries, elem.String(), t)
	}
	text, err := tensor.FromStrings(tensor.Shape{2, 1}, []string{"é<日", ""})
	Expect(err).NotTo(HaveOccurred())
	none, err := tensor.New(tensor.Shape{0, 4}, []float32{})
	Expect(err).NotTo(HaveOccurred())
	return set(append(entries, "tëxt", text, "none", none, "scalar", tensor.Scalar(2.5))...)
}

func must(name string, t *tensor.Tensor) *tensor.Set {
	s, err := tensor.NewSet(tensor.Entry{Name: name, Tensor: t})
	if err != nil {
		panic(err)
	}
	return s
}
