package transforms_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/surgeon"
	"github.com/modelparity/modelparity/internal/testing/flagtest"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// These are the weights of the large model. Together they exceed a protobuf message.
const (
	side        = 8192
	layers      = 9
	weightBytes = side * side * 4
	message     = 2 << 30
)

// largeModel writes a chain of products with weights in a sparse external file, which takes no disk
// space and reads as zeros.
func largeModel(path string) error {
	g := onnxtest.Graph{Inputs: []onnxtest.Value{{Name: "t0", Elem: 1, Dims: []any{"rows", side}}}}
	for i := range layers {
		weight, out := fmt.Sprint("w", i), fmt.Sprint("t", i+1)
		g.Nodes = append(g.Nodes, onnxtest.Node{Op: "MatMul", Name: fmt.Sprint("layer", i),
			In: []string{fmt.Sprint("t", i), weight}, Out: []string{out}})
		g.Initializers = append(g.Initializers, onnxtest.Tensor{Name: weight, Type: 1,
			Dims: []int64{side, side}, Location: "weights",
			Offset: fmt.Sprint(i * weightBytes), Length: fmt.Sprint(weightBytes)})
	}
	g.Outputs = []onnxtest.Value{{Name: fmt.Sprint("t", layers), Elem: 1, Dims: []any{"rows", side}}}
	if err := os.WriteFile(path, onnxtest.Model{Graph: g}.Bytes(), 0o600); err != nil {
		return err
	}
	weights := filepath.Join(filepath.Dir(path), "weights")
	if err := os.WriteFile(weights, nil, 0o600); err != nil {
		return err
	}
	return os.Truncate(weights, layers*weightBytes)
}

// `make large` runs these specs, which need 5 GB of disk and 9 GB of memory.
var _ = Describe("a model beyond 2 GiB", Ordered, func() {
	if os.Getenv("MODELPARITY_LARGE") == "" {
		return // other targets do not run it, so skipping would be noise
	}
	var folder, original string
	var python *checker

	BeforeAll(func() {
		ort.Require(GinkgoT())
		python = startChecker()
		folder = GinkgoT().TempDir()
		original = filepath.Join(folder, "original.onnx")
		Expect(largeModel(original)).To(Succeed())
	})

	// valid checks a written model with ONNX's checker, with ONNX Runtime, and by the size of its
	// message.
	valid := func(ctx SpecContext, path string, data int64) *loaders.Model {
		GinkgoHelper()
		m := loaders.ONNX(path)
		Expect(m.Size()).To(BeNumerically("<", 1<<20))
		external, err := m.ExternalData()
		Expect(err).NotTo(HaveOccurred())
		Expect(external).To(HaveExactElements(path + ".data"))
		info, err := os.Stat(external[0])
		Expect(err).NotTo(HaveOccurred())
		Expect(info.Size()).To(Equal(data))
		Expect(python.refuses(path)).To(BeEmpty())
		run, err := plain(ctx, m, fixtures.Random(m, fixtures.Shape("t0", 2, side)))
		Expect(err).NotTo(HaveOccurred())
		y, there := run.Outputs()[0].Get(fmt.Sprint("t", layers))
		Expect(there).To(BeTrue())
		Expect(y.Shape()).To(Equal(tensor.Shape{2, side}))
		return m
	}
	remove := func(path string) {
		GinkgoHelper()
		Expect(os.Remove(path)).To(Succeed())
		Expect(os.Remove(path + ".data")).To(Succeed())
	}

	It("is changed and saved in another folder with its weights", func(ctx SpecContext) {
		path := filepath.Join(GinkgoT().TempDir(), "clean.onnx")
		var f surgeon.Flags
		Expect(flagtest.Set(f.Sanitizing(), "--cleanup --toposort --fold-constants")).To(Succeed())
		done, err := f.Operate(ctx, "sanitize", original, path)
		Expect(err).NotTo(HaveOccurred())
		Expect(done.Written).To(Equal([]string{path, path + ".data"}))
		m := valid(ctx, path, layers*weightBytes)
		Expect(m.Declared("t5")).To(HaveKeyWithValue("t5",
			HaveField("String()", "t5 tensor(float)[rows,8192]")))
		remove(path)
	})

	It("has weights made up in memory put next to it, unasked", func(ctx SpecContext) {
		bare, names, err := edit.StripWeights(loaders.ONNX(original))
		Expect(err).NotTo(HaveOccurred())
		Expect(names).To(HaveLen(layers))
		full, _, err := edit.ReconstructWeights(bare, 1)
		Expect(err).NotTo(HaveOccurred())
		Expect(full.Size()).To(BeNumerically(">", message))
		path := filepath.Join(folder, "full.onnx")
		Expect(full.Save(path)).To(Succeed())
		m := valid(ctx, path, layers*weightBytes)
		want, err := full.Weight("w8")
		Expect(err).NotTo(HaveOccurred())
		got, err := m.Weight("w8")
		Expect(err).NotTo(HaveOccurred())
		Expect(bytes.Equal(got.Bytes(), want.Bytes())).To(BeTrue())
		Expect(full.Save("/dev/null")).To(MatchError(ContainSubstring("this is no regular file")))
		remove(path)
	})

	It("fits one message in float16", func(ctx SpecContext) {
		half, _, err := edit.ToFloat16(loaders.ONNX(original), edit.Float16{})
		Expect(err).NotTo(HaveOccurred())
		path := filepath.Join(folder, "half.onnx")
		written, err := half.SaveExternal(path, loaders.External{})
		Expect(err).NotTo(HaveOccurred())
		Expect(written).To(Equal([]string{path, path + ".data"}))
		valid(ctx, path, layers*weightBytes/2)
		remove(path)
	})

	It("is refused with a remedy where its weights would be in one message", func() {
		_, _, err := edit.Prune(loaders.ONNX(original))
		Expect(err).To(MatchError(And(ContainSubstring("over protobuf's limit of 2147483647"),
			HaveSuffix("extract and change a part of the model"))))
		Expect(strings.Count(err.Error(), "\n")).To(BeZero())
	})
})
