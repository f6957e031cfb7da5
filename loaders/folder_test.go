package loaders_test

import (
	"errors"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// place lays files and links out in a new folder: a value with a leading > is a link to the rest.
func place(layout map[string]string) string {
	folder, err := filepath.EvalSymlinks(GinkgoT().TempDir())
	Expect(err).NotTo(HaveOccurred())
	for name, content := range layout {
		path := filepath.Join(folder, name)
		Expect(os.MkdirAll(filepath.Dir(path), 0o700)).To(Succeed())
		if content[0] != '>' {
			Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
		} else if err := os.Symlink(content[1:], path); err != nil {
			Skip("this system has no links: " + err.Error())
		}
	}
	return folder
}

const (
	weights = "\x00\x00\x80?\x00\x00\x00@" // 1 and 2
	secret  = "secrets!"
)

// linked is the model of add, whose weights are at w.bin.
func linked() string { return string(external("w.bin", "", "")) }

var _ = DescribeTable("external data by links",
	func(path string, layout map[string]string) {
		folder := place(layout)
		model := loaders.ONNX(filepath.Join(folder, path))
		weight, err := model.Weight("w")
		Expect(err).NotTo(HaveOccurred())
		Expect(weight.Float64s()).To(Equal([]float64{1, 2}))
		sum, err := model.SHA256()
		Expect(err).NotTo(HaveOccurred())

		// Wherever it is saved, it is a model of its own.
		for _, other := range []string{filepath.Dir(model.Path()), filepath.Join(folder, "new")} {
			Expect(os.MkdirAll(other, 0o700)).To(Succeed())
			saved := loaders.ONNX(filepath.Join(other, "saved.onnx"))
			Expect(model.Save(saved.Path())).To(Succeed())
			Expect(saved.Weight("w")).To(HaveExactValue(weight))
		}

		// An engine is told of no link.
		bare, err := model.WithoutLinks()
		Expect(err).NotTo(HaveOccurred())
		Expect(bare.Weight("w")).To(HaveExactValue(weight))
		files, err := bare.ExternalData()
		Expect(err).NotTo(HaveOccurred())
		if bare != model {
			Expect(filepath.EvalSymlinks(files[0])).To(Equal(files[0]))
			Expect(sum).NotTo(BeEmpty())
		}
	},
	Entry("a file in the folder", "m.onnx", map[string]string{
		"m.onnx": linked(), "w.bin": ">data.bin", "data.bin": weights}),
	Entry("a file below", "m.onnx", map[string]string{
		"m.onnx": linked(), "w.bin": ">sub/data.bin", "sub/data.bin": weights}),
	Entry("a way out and in again", "a/m.onnx", map[string]string{
		"a/m.onnx": linked(), "a/w.bin": ">../a/data.bin", "a/data.bin": weights}),
	Entry("the model's folder itself", "link/m.onnx", map[string]string{
		"link": ">real", "real/m.onnx": linked(), "real/w.bin": weights}),
	Entry("as Hugging Face's cache has it", "snapshots/main/m.onnx", map[string]string{
		"snapshots/main/m.onnx": ">../../blobs/1f0c", "snapshots/main/w.bin": ">../../blobs/9ab2",
		"blobs/1f0c": linked(), "blobs/9ab2": weights}),
	Entry("as Bazel links its runfiles", "runfiles/pkg/m.onnx", map[string]string{
		"runfiles/pkg/m.onnx": ">../../out/pkg/m.onnx", "runfiles/pkg/w.bin": ">../../out/pkg/w.bin",
		"out/pkg/m.onnx": linked(), "out/pkg/w.bin": weights}),
	Entry("by several links", "a/m.onnx", map[string]string{
		"a/m.onnx": ">../b/m.onnx", "b/m.onnx": ">../c/m.onnx", "c/m.onnx": linked(),
		"a/w.bin": ">../b/w.bin", "b/w.bin": ">../c/w.bin", "c/w.bin": weights}),
	Entry("a link to the model alone", "a/m.onnx", map[string]string{
		"a/m.onnx": ">../b/m.onnx", "b/m.onnx": linked(), "b/w.bin": weights}),
)

var _ = DescribeTable("external data that a link leads out to",
	func(path string, layout map[string]string) {
		folder := place(layout)
		model := loaders.ONNX(filepath.Join(folder, path))
		Expect(model.Load()).To(MatchError(ContainSubstring("link out of the model's folder")))
		_, err := model.Weight("w")
		Expect(err).To(HaveOccurred())
		saved := filepath.Join(folder, "saved.onnx")
		Expect(model.Save(saved)).NotTo(Succeed())
		Expect(saved).NotTo(BeAnExistingFile())
	},
	Entry("a file", "m/m.onnx", map[string]string{
		"m/m.onnx": linked(), "m/w.bin": ">../secret", "secret": secret}),
	Entry("an absolute one", "m/m.onnx", map[string]string{
		"m/m.onnx": linked(), "m/w.bin": ">/etc/passwd"}),
	Entry("a link to a link", "m/m.onnx", map[string]string{
		"m/m.onnx": linked(), "m/w.bin": ">v.bin", "m/v.bin": ">../secret", "secret": secret}),
	Entry("a folder", "m/m.onnx", map[string]string{
		"m/m.onnx": string(external("sub/w.bin", "", "")), "m/sub": ">../out", "out/w.bin": secret}),
	Entry("above a folder below", "m/m.onnx", map[string]string{
		"m/m.onnx": linked(), "m/w.bin": ">sub/../../secret", "m/sub/x": "x", "secret": secret}),
	Entry("a folder whose name only begins alike", "m/m.onnx", map[string]string{
		"m/m.onnx": linked(), "m/w.bin": ">../m2/w.bin", "m2/w.bin": secret}),
	Entry("of the file that the model is a link to", "a/m.onnx", map[string]string{
		"a/m.onnx": ">../b/m.onnx", "b/m.onnx": linked(), "b/w.bin": ">../secret", "secret": secret}),
	Entry("a folder on the way of the model's links", "a/m.onnx", map[string]string{
		"a/m.onnx": ">../b/m.onnx", "b/m.onnx": ">../c/m.onnx", "c/m.onnx": linked(),
		"a/w.bin": ">../b/w.bin", "b/w.bin": secret}),
)

var _ = Describe("external data that changes once it was checked", func() {
	for name, swap := range map[string]func(folder string) error{
		"the file becomes a link out": func(folder string) error {
			return errors.Join(os.Remove(filepath.Join(folder, "m/sub/w.bin")),
				os.Symlink("../../secret", filepath.Join(folder, "m/sub/w.bin")))
		},
		"its folder becomes a link out": func(folder string) error {
			return errors.Join(os.RemoveAll(filepath.Join(folder, "m/sub")),
				os.Symlink("../out", filepath.Join(folder, "m/sub")))
		},
	} {
		It("is not followed: "+name, func() {
			folder := place(map[string]string{"m/m.onnx": string(external("sub/w.bin", "", "")),
				"m/sub/w.bin": weights, "secret": secret, "out/w.bin": secret})
			model := loaders.ONNX(filepath.Join(folder, "m/m.onnx"))
			Expect(model.Load()).To(Succeed())
			Expect(swap(folder)).To(Succeed())
			_, err := model.Weight("w")
			Expect(err).To(MatchError(ContainSubstring("out of the model's folder")))
			_, err = model.SHA256()
			Expect(err).To(HaveOccurred())
			_, err = model.WithoutLinks()
			Expect(err).To(HaveOccurred())
			Expect(model.Save(filepath.Join(folder, "saved.onnx"))).NotTo(Succeed())
			marked, err := model.Mark()
			Expect(err).NotTo(HaveOccurred())
			Expect(marked.Load()).NotTo(Succeed())
		})
	}
})

// HaveExactValue matches a tensor of the same type, shape and bytes.
func HaveExactValue(want *tensor.Tensor) OmegaMatcher {
	return WithTransform(func(t *tensor.Tensor) string { return t.GomegaString() },
		Equal(want.GomegaString()))
}
