package runfile_test

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/tensor"
)

func TestRunfile(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Files of runs")
}

// drawn are values that do not pack well.
func drawn(seed uint64, n int) *tensor.Tensor {
	r := rand.New(rand.NewPCG(seed, 1))
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(r.NormFloat64())
	}
	return tensor.Of(values...)
}

var _ = Describe("A large output", func() {
	It("is described as a small one is, of every type", func() {
		r := rand.New(rand.NewPCG(3, 4))
		for _, elem := range tensor.ElementTypes() {
			if elem == tensor.String {
				continue
			}
			n := 270_000 * 8 / elem.Bits()
			data := make([]byte, elem.Bytes(n))
			for i := range data {
				data[i] = byte(r.Uint32())
				switch {
				case elem == tensor.Bool:
					data[i] &= 1
				case elem == tensor.Float64 && i%8 == 7:
					data[i] &= 0xbf // below 2, so that no sum is infinite
				}
			}
			t, err := tensor.FromBytes(elem, tensor.Shape{n}, data)
			Expect(err).NotTo(HaveOccurred())
			tree, plain := runfile.DescribeBoth(t)
			Expect(tree).To(HaveKey("tree"))
			Expect(plain).To(HaveKey("sha256"))
			delete(tree, "tree")
			delete(plain, "sha256")
			if mean, ok := tree["mean"].(float64); ok { // added up in another order
				Expect(mean).To(BeNumerically("~", plain["mean"], 1e-9*math.Abs(mean)+1e-9), elem.String())
				delete(tree, "mean")
				delete(plain, "mean")
			}
			Expect(tree).To(Equal(plain), elem.String())
		}
	})
})
