package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/modelparity/modelparity/tensor"
)

// TestMismatchesOfEveryTypeAreThoseOfItsErrors holds the passing path of each element type to the
// detour over both errors of each element.
func TestMismatchesOfEveryTypeAreThoseOfItsErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	tolerances := []float64{0, 1e-3, 0.01, 0.5, 0.999, 1, 1.5, 2, 100, 127, 128, 255, 300, 1 << 53,
		1 << 62, 1 << 63, 1 << 64, 1 << 65, math.MaxFloat64, math.Inf(1)}
	for _, elem := range []tensor.ElementType{tensor.Bool, tensor.Int8, tensor.Uint8, tensor.Int16,
		tensor.Uint16, tensor.Int32, tensor.Uint32, tensor.Int64, tensor.Uint64, tensor.Float16,
		tensor.BFloat16, tensor.Float32, tensor.Float64} {
		for n := 0; n < 200; n += 9 {
			x, y := make([]byte, elem.Bytes(n)), make([]byte, elem.Bytes(n))
			width := elem.Bytes(1)
			for i := range y {
				y[i] = byte(r.Uint32())
				if x[i] = y[i]; i%width == 0 || r.IntN(50) == 0 {
					x[i] += byte(r.IntN(5) - 2)
				}
				if elem == tensor.Bool && n%2 == 0 { // other bytes than 0 and 1 are true too
					x[i], y[i] = x[i]&1, y[i]&1
				}
			}
			a, err := tensor.FromBytes(elem, tensor.Shape{n}, x)
			if err != nil {
				t.Fatal(err)
			}
			b, err := tensor.FromBytes(elem, tensor.Shape{n}, y)
			if err != nil {
				t.Fatal(err)
			}
			p := pairOf(a, b, equality{})
			s := new(scratch)
			for _, atol := range tolerances {
				for _, rtol := range tolerances {
					got := p.mismatches(0, n, atol, rtol, s)
					if want := p.mismatchingErrors(0, n, atol, rtol, s); got != want {
						t.Fatalf("%v, %d elements, atol %v rtol %v: %d mismatches, %d by their errors\n%v\n%v",
							elem, n, atol, rtol, got, want, x, y)
					}
				}
			}
		}
	}
}
