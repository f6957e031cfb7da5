package ort_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// Without a folder ONNX Runtime looks in the working folder, for data that a scan may have missed.
var _ = It("reads no external data from the working folder", Serial, func() {
	b, err := open(model("identity_float"))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(b.Close) // which has started ONNX Runtime
	dims := []any{2}
	data := onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "Add", In: []string{"x", "w"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{2}, Location: "w.bin",
			Length: "8"}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: dims}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: dims}}}}.Bytes()
	folder := GinkgoT().TempDir()
	Expect(os.WriteFile(filepath.Join(folder, "w.bin"), make([]byte, 8), 0o600)).To(Succeed())
	GinkgoT().Chdir(folder)
	_, err = onnxruntime.NewSession(data, onnxruntime.Options{})
	Expect(err).To(HaveOccurred())
	session, err := onnxruntime.NewSession(data, onnxruntime.Options{Data: folder})
	Expect(err).NotTo(HaveOccurred())
	Expect(session.Close()).To(Succeed())
})
