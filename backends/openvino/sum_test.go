//go:build !windows

package openvino_test

import (
	"os"
	"path/filepath"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// lay lays files out in a new folder: a value with a leading > is a link to the rest, and | a pipe.
func lay(layout map[string]string) string {
	GinkgoHelper()
	folder, err := filepath.EvalSymlinks(GinkgoT().TempDir())
	Expect(err).NotTo(HaveOccurred())
	for name, content := range layout {
		path := filepath.Join(folder, name)
		Expect(os.MkdirAll(filepath.Dir(path), 0o700)).To(Succeed())
		switch content[0] {
		case '>':
			err = os.Symlink(content[1:], path)
		case '|':
			err = syscall.Mkfifo(path, 0o600)
		default:
			err = os.WriteFile(path, []byte(content), 0o600)
		}
		Expect(err).NotTo(HaveOccurred())
	}
	return folder
}

var _ = DescribeTable("A model in several files, one of which cannot be read,",
	func(model string, layout map[string]string, want string) {
		_, err := sum(filepath.Join(lay(layout), model))
		Expect(err).To(MatchError(ContainSubstring(want)))
	},
	Entry("is a link out of the folder", "m/m.xml", map[string]string{
		"m/m.xml": "x", "m/m.bin": ">../secret", "secret": "s"}, "m.bin is a link out"),
	Entry("is a device", "m.xml", map[string]string{"m.xml": "x", "m.bin": ">/dev/zero"},
		"m.bin is a link out"),
	Entry("is a pipe", "m.xml", map[string]string{"m.xml": "x", "m.bin": "|"},
		"m.bin is not a regular file but a pipe"),
	Entry("is a link to nothing", "m.xml", map[string]string{"m.xml": "x", "m.bin": ">absent"},
		"m.bin is missing"),
	Entry("is the model's own", "m.xml", map[string]string{"m.xml": ">/dev/zero"},
		"m.xml: not a regular file but a device"),
	Entry("is PaddlePaddle's", "m.pdmodel", map[string]string{"m.pdmodel": "x", "m.pdiparams": "|"},
		"not a regular file"),
	Entry("is in a folder", "m", map[string]string{"m/saved_model.pb": "x",
		"m/variables/variables.index": ">../../secret", "secret": "s"}, "variables.index is a link out"),
	Entry("is a linked folder", "m", map[string]string{"m/saved_model.pb": "x",
		"m/variables": ">assets", "m/assets/a": "a"}, "variables is not a regular file but a folder"),
)

var _ = DescribeTable("A model in several files has another sum once bytes change places:",
	func(model string, one, other map[string]string) {
		first, err := sum(filepath.Join(lay(one), model))
		Expect(err).NotTo(HaveOccurred())
		Expect(sum(filepath.Join(lay(other), model))).NotTo(Equal(first))
	},
	Entry("weights", "m.xml", map[string]string{"m.xml": "12", "m.bin": "34"},
		map[string]string{"m.xml": "1", "m.bin": "234"}),
	Entry("no weights", "m.xml", map[string]string{"m.xml": "12", "m.bin": "34"},
		map[string]string{"m.xml": "1234"}),
	Entry("a folder's files", "m", map[string]string{"m/saved_model.pb": "1", "m/a": "23"},
		map[string]string{"m/saved_model.pb": "1", "m/b": "23"}),
)

var _ = It("sums up a model whose files a cache links one by one", func() {
	folder := lay(map[string]string{"main/m.xml": ">../blobs/1", "main/m.bin": ">../blobs/2",
		"blobs/1": "x", "blobs/2": "w"})
	plain := lay(map[string]string{"m.xml": "x", "m.bin": "w"})
	first, err := sum(filepath.Join(plain, "m.xml"))
	Expect(err).NotTo(HaveOccurred())
	Expect(sum(filepath.Join(folder, "main/m.xml"))).To(Equal(first))
})
