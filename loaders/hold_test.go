package loaders_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// matrix is a float tensor of any two dimensions.
func matrix(names ...string) (values []loaders.Value) {
	for _, name := range names {
		values = append(values, loaders.Value{Name: name, Type: tensor.Float32, HasShape: true,
			Dims: []loaders.Dim{{Size: -1, Symbol: "batch"}, {Size: 2}}})
	}
	return values
}

var _ = Describe("marked and cut models, checked by onnx and ONNX Runtime", func() {
	It("are valid, and compute what the model computes", func() {
		python := pythontest.With(GinkgoT(), "onnx", "onnxruntime", "numpy")
		model := write(onnxtest.Whole().Bytes())
		data := append([]byte("...."), onnxtest.Float32s(1.5, -2)...)
		Expect(os.WriteFile(filepath.Join(model.Dir(), "w.bin"), data, 0o600)).To(Succeed())

		names, err := model.Select(loaders.Selection{All: true})
		Expect(err).NotTo(HaveOccurred())
		marked, err := model.Mark(names...)
		Expect(err).NotTo(HaveOccurred())
		folder := GinkgoT().TempDir()
		files := []string{filepath.Join(folder, "marked.onnx")}
		Expect(marked.Save(files[0])).To(Succeed())
		for name, part := range map[string]struct{ in, out []loaders.Value }{
			"middle":     {matrix("a"), matrix("b", "c")},
			"body":       {matrix("a"), matrix("e")},
			"no inputs":  {nil, matrix("d", "b")},
			"function":   {matrix("b"), matrix("f")},
			"every node": {matrix("x", "a", "b", "c", "d", "e"), matrix("a", "b", "c", "d", "e", "f")},
		} {
			cut, err := model.Cut(part.in, part.out)
			Expect(err).NotTo(HaveOccurred(), name)
			path := filepath.Join(folder, strings.ReplaceAll(name, " ", "-")+".onnx")
			Expect(cut.Save(path)).To(Succeed())
			files = append(files, path)
		}
		out, err := exec.Command(python, append([]string{"testdata/hold.py"}, files...)...).
			CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
		Expect(string(out)).To(ContainSubstring("held 5 parts of 8 tensors"))
	})
})
