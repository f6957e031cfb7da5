package loaders_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/skips"
)

// cachedTest is a test in a user's module that only reads a model's inputs.
const cachedTest = `package user

import (
	"testing"

	"github.com/modelparity/modelparity/loaders"
)

func TestModel(t *testing.T) {
	if err := loaders.ONNX("testdata/model.onnx").Load(); err != nil {
		t.Fatal(err)
	}
}
`

var _ = Describe("go test's cache", func() {
	var folder string

	// put writes a file with an old time: go test does not cache results that depend on new files.
	put := func(name string, data []byte, age time.Duration) {
		path := filepath.Join(folder, name)
		Expect(os.MkdirAll(filepath.Dir(path), 0o700)).To(Succeed())
		Expect(os.WriteFile(path, data, 0o600)).To(Succeed())
		then := time.Now().Add(-age)
		Expect(os.Chtimes(path, then, then)).To(Succeed())
	}
	goTool := func(args ...string) string {
		GinkgoHelper()
		command := exec.Command("go", args...)
		command.Dir = folder
		command.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
		out, err := command.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
		return string(out)
	}

	BeforeEach(func() {
		skips.Long(GinkgoT())
		folder = GinkgoT().TempDir()
		root, err := filepath.Abs("..")
		Expect(err).NotTo(HaveOccurred())
		sums, err := os.ReadFile("../go.sum")
		Expect(err).NotTo(HaveOccurred())
		put("go.sum", sums, time.Hour)
		put("user_test.go", []byte(cachedTest), time.Hour)
		goTool("mod", "init", "example.com/user")
		goTool("mod", "edit", "-require=github.com/modelparity/modelparity@v0.0.0",
			"-replace=github.com/modelparity/modelparity="+root)
	})

	It("is not used if the model changed", func() {
		put("testdata/model.onnx", add().Bytes(), time.Hour)
		Expect(goTool("test", ".")).NotTo(ContainSubstring("(cached)"))
		Expect(goTool("test", ".")).To(ContainSubstring("(cached)"), "otherwise this spec proves nothing")
		put("testdata/model.onnx", add().Bytes(), time.Minute)
		Expect(goTool("test", ".")).NotTo(ContainSubstring("(cached)"))
	})

	It("is not used if external data changed", func() {
		put("testdata/model.onnx", external("w.bin", "", ""), time.Hour)
		put("testdata/w.bin", []byte("12345678"), time.Hour)
		goTool("test", ".")
		Expect(goTool("test", ".")).To(ContainSubstring("(cached)"), "otherwise this spec proves nothing")
		put("testdata/w.bin", []byte("12345679"), time.Minute)
		Expect(goTool("test", ".")).NotTo(ContainSubstring("(cached)"))
	})
})
