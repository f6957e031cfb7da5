package edit_test

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/loaders"
)

func TestEdit(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "edit")
}

// write puts data into a file of a fresh folder and names the model in it.
func write(data []byte) *loaders.Model {
	path := filepath.Join(GinkgoT().TempDir(), "model.onnx")
	Expect(os.WriteFile(path, data, 0o600)).To(Succeed())
	return loaders.ONNX(path)
}

// named is an output of which only the name is known.
func named(names ...string) (values []loaders.Value) {
	for _, name := range names {
		values = append(values, loaders.Value{Name: name, Kind: loaders.Untyped})
	}
	return values
}

func operators(m *loaders.Model) (ops []string) {
	nodes, err := m.Nodes()
	Expect(err).NotTo(HaveOccurred())
	for _, n := range nodes {
		ops = append(ops, n.Op)
	}
	return ops
}
