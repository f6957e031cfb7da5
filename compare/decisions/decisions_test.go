package decisions_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

func TestDecisions(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "compare/decisions")
}

// casesVariable names a folder with more cases than testdata has: make decisions.
const casesVariable = "MODELPARITY_DECISIONS"

// recorded reads cases that testdata/reference.py wrote.
func recorded[C any](file string, least int) []C {
	GinkgoHelper()
	folder := "testdata"
	if more := os.Getenv(casesVariable); more != "" {
		folder, least = more, 10*least
	}
	text, err := os.ReadFile(filepath.Join(folder, file))
	Expect(err).NotTo(HaveOccurred())
	var cases []C
	Expect(json.Unmarshal(text, &cases)).To(Succeed())
	Expect(len(cases)).To(BeNumerically(">=", least))
	AddReportEntry(file, len(cases))
	return cases
}

// set is the outputs of one iteration, names and tensors in turns.
func set(namesAndTensors ...any) *tensor.Set {
	GinkgoHelper()
	var entries []tensor.Entry
	for i := 0; i < len(namesAndTensors); i += 2 {
		entries = append(entries, tensor.Entry{Name: namesAndTensors[i].(string),
			Tensor: namesAndTensors[i+1].(*tensor.Tensor)})
	}
	s, err := tensor.NewSet(entries...)
	Expect(err).NotTo(HaveOccurred())
	return s
}

// shaped is a tensor of a shape.
func shaped[T tensor.Native](shape tensor.Shape, values ...T) *tensor.Tensor {
	GinkgoHelper()
	t, err := tensor.New(shape, values)
	Expect(err).NotTo(HaveOccurred())
	return t
}

// judged holds one tensor to another.
func judged(rule decisions.Rule, actual, expected *tensor.Tensor) *decisions.Findings {
	GinkgoHelper()
	f, err := decisions.Judge(rule, []*tensor.Set{set("y", actual)}, []*tensor.Set{set("y", expected)})
	Expect(err).NotTo(HaveOccurred())
	return f
}

// refused is why one tensor cannot be compared with another.
func refused(rule decisions.Rule, actual, expected *tensor.Tensor) error {
	GinkgoHelper()
	_, err := decisions.Judge(rule, []*tensor.Set{set("y", actual)}, []*tensor.Set{set("y", expected)})
	Expect(err).To(HaveOccurred())
	return err
}

// counts are the decisions, the flips beyond the margin and the excused ones.
func counts(f *decisions.Findings) []int { return []int{f.Decisions, f.Unexcused, f.Excused} }

// measured is the number of that name.
func measured(f *decisions.Findings, name string) float64 {
	GinkgoHelper()
	for _, m := range f.Measures {
		if m.Name == name {
			return m.Value
		}
	}
	Fail("no measure " + name)
	return 0
}

func table(rows ...[]float64) *tensor.Tensor {
	GinkgoHelper()
	var flat []float64
	for _, row := range rows {
		flat = append(flat, row...)
	}
	t, err := tensor.New(tensor.Shape{len(rows), len(rows[0])}, flat)
	Expect(err).NotTo(HaveOccurred())
	return t
}
