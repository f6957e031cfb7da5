package accuracy_test

import (
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/tensor"
)

func TestAccuracy(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "internal/cli/accuracy")
}

// set is a set of names, each followed by its tensor.
func set(entries ...any) *tensor.Set {
	GinkgoHelper()
	var all []tensor.Entry
	for i := 0; i < len(entries); i += 2 {
		all = append(all, tensor.Entry{Name: entries[i].(string), Tensor: entries[i+1].(*tensor.Tensor)})
	}
	s, err := tensor.NewSet(all...)
	Expect(err).NotTo(HaveOccurred())
	return s
}

func temporary(name string) string { return filepath.Join(GinkgoT().TempDir(), name) }
