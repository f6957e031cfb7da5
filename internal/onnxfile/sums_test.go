package onnxfile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/filestate"
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

var _ = Describe("The checksum of a model's file", func() {
	bytes := func(producer string) []byte {
		return onnxtest.Model{Producer: producer, Graph: onnxtest.Graph{
			Outputs: []onnxtest.Value{{Name: "y"}}}}.Bytes()
	}
	sumOf := func(path string) string {
		GinkgoHelper()
		sum, err := loaders.ONNX(path).SHA256()
		Expect(err).NotTo(HaveOccurred())
		data, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		memory, err := loaders.ONNXBytes("m", data).SHA256()
		Expect(err).NotTo(HaveOccurred())
		Expect(sum).To(Equal(memory))
		return sum
	}
	hashed := func(f func()) int {
		before := onnxfile.SumsKept()
		f()
		return onnxfile.SumsKept() - before
	}

	BeforeEach(func() {
		if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
			Skip("the state of a file is not known here, so each model is hashed")
		}
	})

	It("is taken once while the file stays, and again once it is written", func() {
		path := filepath.Join(GinkgoT().TempDir(), "m.onnx")
		Expect(os.WriteFile(path, bytes("one"), 0o600)).To(Succeed())
		info, err := os.Stat(path)
		Expect(err).NotTo(HaveOccurred())
		time.Sleep(filestate.Quiet + 20*time.Millisecond)
		var first string
		Expect(hashed(func() { first = sumOf(path) })).To(Equal(1))
		Expect(hashed(func() { Expect(sumOf(path)).To(Equal(first)) })).To(BeZero())
		time.Sleep(20 * time.Millisecond) // of the file system's clock
		Expect(os.WriteFile(path, bytes("two"), 0o600)).To(Succeed())
		Expect(os.Chtimes(path, info.ModTime(), info.ModTime())).To(Succeed())
		Expect(sumOf(path)).NotTo(Equal(first), "as long, and as old by the modification's time")
	})

	It("is computed again for a file that was just written", func() {
		path := filepath.Join(GinkgoT().TempDir(), "m.onnx")
		seen := map[string]bool{}
		for _, producer := range []string{"one", "two", "six", "ten"} { // within one tick
			Expect(os.WriteFile(path, bytes(producer), 0o600)).To(Succeed())
			Expect(hashed(func() { seen[sumOf(path)] = true })).To(BeZero())
		}
		Expect(seen).To(HaveLen(4))
	})
})
