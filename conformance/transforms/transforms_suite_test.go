// Package transforms_test applies model changes to models from other projects' exporters. The
// results must pass ONNX's checker if the original does, and compute identical bits if the change
// promises that. By default it uses a digest in conformance/field/testdata; MODELPARITY_FIELD names
// the folder of all models from `make field`, as `make transforms` does.
package transforms_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/pythontest"
)

func TestTransforms(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "transforms of models of the field")
}

// folderVariable names the environment variable for the folder that `make field` filled.
const folderVariable = "MODELPARITY_FIELD"

// digest lists a model of each kind, fast to run.
var digest = []string{"resnet/torchscript_qdq", "bert/torchscript_dynamic", "detector/torchscript",
	"forest/zipmap", "keras/tf2onnx", "logistic/tensor"}

// models are the files to check.
func models() (files []string) {
	folder := os.Getenv(folderVariable)
	if folder == "" {
		for _, name := range digest {
			files = append(files, filepath.Join("..", "field", "testdata", name+".onnx.gz"))
		}
		return files
	}
	for _, ending := range []string{"*.onnx", "*.onnx.gz"} {
		found, err := filepath.Glob(filepath.Join(folder, "*", ending))
		if err != nil {
			panic(err) // the pattern is wrong
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	return files
}

// title is family/variant.
func title(file string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".gz"), ".onnx")
	return filepath.Base(filepath.Dir(file)) + "/" + name
}

// unpacked decompresses a model into a folder.
func unpacked(file, folder string) string {
	GinkgoHelper()
	data, err := os.ReadFile(file)
	Expect(err).NotTo(HaveOccurred())
	if strings.HasSuffix(file, ".gz") {
		reader, err := gzip.NewReader(bytes.NewReader(data))
		Expect(err).NotTo(HaveOccurred())
		data, err = io.ReadAll(reader)
		Expect(err).NotTo(HaveOccurred())
	}
	path := filepath.Join(folder, "original.onnx")
	Expect(os.WriteFile(path, data, 0o600)).To(Succeed())
	return path
}

// checker is a Python process that checks files.
type checker struct {
	to   *json.Encoder
	from *bufio.Reader
}

// startChecker starts it; it ends with the suite.
func startChecker() *checker {
	GinkgoHelper()
	command := exec.Command(pythontest.With(GinkgoT(), "onnx"),
		filepath.Join("testdata", "checker.py"))
	command.Stderr = GinkgoWriter
	to, err := command.StdinPipe()
	Expect(err).NotTo(HaveOccurred())
	from, err := command.StdoutPipe()
	Expect(err).NotTo(HaveOccurred())
	Expect(command.Start()).To(Succeed())
	DeferCleanup(func() {
		Expect(to.Close()).To(Succeed())
		Expect(command.Wait()).To(Succeed())
	})
	return &checker{json.NewEncoder(to), bufio.NewReader(from)}
}

// refuses returns the checker's messages for rejected files, by name.
func (c *checker) refuses(files ...string) (refused map[string]string) {
	GinkgoHelper()
	Expect(c.to.Encode(files)).To(Succeed())
	line, err := c.from.ReadBytes('\n')
	Expect(err).NotTo(HaveOccurred())
	Expect(json.Unmarshal(line, &refused)).To(Succeed())
	return refused
}
