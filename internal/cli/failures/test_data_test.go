package failures

import (
	"os"
	"os/exec"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/setfile"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// asONNX loads a folder of test data as onnx.backend.test does: values by the types that the model
// declares, inputs by their place. It prints how many sets hold, to 1e-5.
const asONNX = `
import glob, os, sys
import numpy, onnx, onnxruntime
from onnx import numpy_helper
folder = sys.argv[1]
model = onnx.load(os.path.join(folder, "model.onnx"))
onnx.checker.check_model(model, full_check=True)
def load(path):
    message = onnx.TensorProto()
    message.ParseFromString(open(path, "rb").read())
    return numpy_helper.to_array(message)
def values(folder, role, declared):
    n = len(glob.glob(os.path.join(folder, role + "_*.pb")))
    assert n == len(declared), (role, n, len(declared))
    return [load(os.path.join(folder, f"{role}_{i}.pb")) for i in range(n)]
session = onnxruntime.InferenceSession(model.SerializeToString())
held = 0
for s in sorted(glob.glob(os.path.join(folder, "test_data_set_*"))):
    inputs = values(s, "input", model.graph.input)
    fed = {d.name: v for d, v in zip(model.graph.input, inputs)}
    for got, want in zip(session.run(None, fed), values(s, "output", model.graph.output)):
        if want.dtype.kind not in "fiu":
            assert got.tolist() == want.tolist(), (got, want)
        else:
            numpy.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
    held += 1
print(held)
`

var _ = Describe("ONNX's test data of a reduced model", func() {
	var folder string
	BeforeEach(func() {
		ort.Require(GinkgoT())
		folder = filepath.Join(GinkgoT().TempDir(), "case")
	})
	loaded := func(python string) string {
		GinkgoHelper()
		said, err := exec.Command(python, "-c", asONNX, folder).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(said))
		return string(said)
	}
	judged := func(ctx SpecContext, model *loaders.Model, inputs fixtures.Inputs) {
		GinkgoHelper()
		subject := backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs}
		failure, err := Judged(subject, &locate.JudgeCommand{Args: []string{"false"},
			File: filepath.Join(GinkgoT().TempDir(), "c.onnx")})
		Expect(err).NotTo(HaveOccurred())
		defer failure.Close()
		_, written, err := failure.ReduceTo(ctx, ReduceFiles{TestData: folder,
			Model: filepath.Join(GinkgoT().TempDir(), "out.onnx")}, locate.ReduceOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(written).To(ContainElements(filepath.Join(folder, "model.onnx"),
			filepath.Join(folder, "test_data_set_0")))
	}

	It("holds in onnx's way of loading it and in ours, one set for each iteration",
		func(ctx SpecContext) {
			model := loaders.ONNX("../../../example_test/dynamic/testdata/encoder.onnx")
			judged(ctx, model, fixtures.Random(model, fixtures.Seed(3), fixtures.Iterations(2)))

			part := loaders.ONNX(filepath.Join(folder, "model.onnx"))
			run, err := ort.Run(ctx, part, fixtures.LoadFor(part, folder))
			Expect(err).NotTo(HaveOccurred())
			outputs, err := part.Outputs()
			Expect(err).NotTo(HaveOccurred())
			var declared []setfile.Declared
			for _, v := range outputs {
				declared = append(declared, setfile.Declared{Name: v.Name, Type: v.Type})
			}
			i := 0
			options := setfile.Options{Role: "output", Declared: declared}
			for set, err := range setfile.Read(options, folder) {
				Expect(err).NotTo(HaveOccurred())
				Expect(set.GomegaString()).To(Equal(run.Outputs()[i].GomegaString()))
				i++
			}
			Expect(i).To(Equal(2))
			Expect(loaded(pythontest.With(GinkgoT(), "onnx", "onnxruntime"))).To(Equal("2\n"))
		})

	It("is what the expected side gives, where that has another model", func(ctx SpecContext) {
		actual, expected := network(3), network(3)
		actual.Initializers[0].Raw = make([]byte, len(actual.Initializers[0].Raw))
		a, e := side("actual", actual), side("expected", expected)
		failure, err := Differing(ctx, a, e, strict())
		Expect(err).NotTo(HaveOccurred())
		defer failure.Close()
		file := filepath.Join(GinkgoT().TempDir(), "out.onnx")
		reduced, _, err := failure.ReduceTo(ctx, ReduceFiles{TestData: folder, Model: file},
			locate.ReduceOptions{})
		Expect(err).NotTo(HaveOccurred())
		run, err := ort.Run(ctx, loaders.ONNX(filepath.Join(filepath.Dir(file), "out.expected.onnx")),
			fixtures.Of(reduced.Part.Inputs...))
		Expect(err).NotTo(HaveOccurred())
		Expect(reduced.Part.Outputs[0].GomegaString()).To(Equal(run.Outputs()[0].GomegaString()))
		own, err := ort.Run(ctx, loaders.ONNX(file), fixtures.Of(reduced.Part.Inputs...))
		Expect(err).NotTo(HaveOccurred())
		Expect(reduced.Part.Outputs[0].GomegaString()).NotTo(Equal(own.Outputs()[0].GomegaString()))
	})

	It("wants a folder without files, and says so before the search", func(ctx SpecContext) {
		Expect(os.MkdirAll(folder, 0o700)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(folder, "kept"), nil, 0o600)).To(Succeed())
		failure, err := Judged(side("actual", network(2)),
			&locate.JudgeCommand{Args: []string{"false"}})
		Expect(err).NotTo(HaveOccurred())
		defer failure.Close()
		tried := 0
		_, _, err = failure.ReduceTo(ctx, ReduceFiles{TestData: folder, Model: folder + ".onnx"},
			locate.ReduceOptions{Progress: func(locate.Step) { tried++ }})
		Expect(err).To(MatchError(ContainSubstring("the folder is not empty: it has kept")))
		Expect(tried).To(BeZero())
	})

	It("holds only tensors", func() {
		Expect(os.MkdirAll(folder, 0o700)).To(Succeed())
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of[float32](1)})
		Expect(err).NotTo(HaveOccurred())
		Expect(setfile.WriteDataSet(folder, "input", []string{"x"}, set)).To(Succeed())
		Expect(setfile.WriteDataSet(folder, "input", []string{"x", "y"}, set)).To(
			MatchError(ContainSubstring(`input "y" is not a tensor`)))
	})
})
