package bound_test

import (
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/bound"
	"github.com/modelparity/modelparity/tensor"
)

// matrix is a small matrix of float32.
type matrix [][]float32

// The transforms of Winograd's F(4×4, 3×3).
var (
	ofInput = matrix{{4, 0, -5, 0, 1, 0}, {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
		{0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}}
	ofKernel = matrix{{1. / 4, 0, 0}, {-1. / 6, -1. / 6, -1. / 6}, {-1. / 6, 1. / 6, -1. / 6},
		{1. / 24, 1. / 12, 1. / 6}, {1. / 24, -1. / 12, 1. / 6}, {0, 0, 1}}
	ofOutput = matrix{{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0},
		{0, 1, -1, 8, -8, 1}}
)

func (m matrix) times(o matrix) matrix {
	r := make(matrix, len(m))
	for i := range r {
		r[i] = make([]float32, len(o[0]))
		for k := range o {
			for j := range r[i] {
				r[i][j] += float32(m[i][k] * o[k][j])
			}
		}
	}
	return r
}

func (m matrix) turned() matrix {
	r := make(matrix, len(m[0]))
	for i := range r {
		for k := range m {
			r[i] = append(r[i], m[k][i])
		}
	}
	return r
}

// around is m·x·mᵀ.
func (m matrix) around(x matrix) matrix { return m.times(x).times(m.turned()) }

// winograd convolves an image of some channels with 3×3 kernels, without pads.
func winograd(x, w []float32, channels, size int) []float32 {
	out := size - 2
	y := make([]float32, out*out)
	for row := 0; row < out; row += 4 {
		for column := 0; column < out; column += 4 {
			sum := make(matrix, 6)
			for i := range sum {
				sum[i] = make([]float32, 6)
			}
			for c := range channels {
				tile, kernel := make(matrix, 6), make(matrix, 3)
				for i := range tile {
					from := (c*size+row+i)*size + column
					tile[i] = x[from : from+6]
				}
				for i := range kernel {
					kernel[i] = w[c*9+3*i : c*9+3*i+3]
				}
				a, b := ofInput.around(tile), ofKernel.around(kernel)
				for i := range sum {
					for j := range sum[i] {
						sum[i][j] += float32(a[i][j] * b[i][j])
					}
				}
			}
			for i, results := range ofOutput.around(sum) {
				copy(y[(row+i)*out+column:], results)
			}
		}
	}
	return y
}

var _ = Describe("a convolution by Winograd's algorithm", func() {
	It("is within the bound of an engine that may use it", func(ctx SpecContext) {
		const channels, size = 16, 18
		random := rand.New(rand.NewPCG(3, 3))
		beyond := 0
		for range 20 {
			x, w := make([]float32, channels*size*size), make([]float32, channels*9)
			terms["random"](random, x, x)
			terms["random"](random, w, w)
			for i := range x { // as behind a Relu, with a few great values
				switch x[i] = max(x[i], 0); {
				case i%size < size/2:
					x[i] = 0
				case i%97 == 0:
					x[i] *= 1000
				}
			}
			y := float32s(tensor.Shape{1, 1, size - 2, size - 2}, winograd(x, w, channels, size))
			n := node("Conv", nil, float32s(tensor.Shape{1, channels, size, size}, x),
				float32s(tensor.Shape{1, channels, 3, 3}, w))
			if ratio(ctx, n, y).Ratio > 1 {
				beyond++
			}
			fast := bound.Float32
			fast.Winograd = true
			r, err := bound.Judge(ctx, n, fast, y, nil)
			Expect(err).NotTo(HaveOccurred())
			Expect(r.Ratio).To(BeNumerically("<=", 1), "%+v", r)
			Expect(r.Usual).To(BeNumerically("<", bound.Unusual), "%+v", r)
		}
		Expect(beyond).To(BeNumerically(">", 0), "the plain bound does not hold")
	})
})
