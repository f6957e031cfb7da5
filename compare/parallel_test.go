package compare_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// large is more than a block of work, and no multiple of anything.
const large = 1<<16 + 1235

// randomTensor has values of any type over a wide range, and a NaN and an infinity where asked.
func randomTensor(r *rand.Rand, elem tensor.ElementType, shape tensor.Shape,
	odd bool) *tensor.Tensor {
	n, err := shape.Elements()
	must(err)
	switch elem {
	case tensor.String:
		values := make([]string, n)
		for i := range values {
			values[i] = fmt.Sprint(r.IntN(3))
		}
		t, err := tensor.FromStrings(shape, values)
		must(err)
		return t
	case tensor.Float32, tensor.Float64:
		values := make([]float64, n)
		for i := range values {
			values[i] = r.NormFloat64() * math.Exp2(float64(r.IntN(40)-20))
			if odd && r.IntN(1000) == 0 {
				values[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0}[r.IntN(4)]
			}
		}
		if elem == tensor.Float64 {
			t, err := tensor.New(shape, values)
			must(err)
			return t
		}
		narrow := make([]float32, n)
		for i := range values {
			narrow[i] = float32(values[i])
		}
		t, err := tensor.New(shape, narrow)
		must(err)
		return t
	}
	data := make([]byte, elem.Bytes(n))
	for i := range data {
		data[i] = byte(r.Uint32())
		if elem == tensor.Bool {
			data[i] &= 1
		}
	}
	t, err := tensor.FromBytes(elem, shape, data)
	must(err)
	return t
}

var allStats = []compare.Stat{compare.Elementwise, compare.Max, compare.Mean, compare.Median,
	compare.Quantile(0.9)}

var _ = Describe("work on many cores", func() {
	It("gives the same report, to the last bit, for every number of workers", func() {
		r := rand.New(rand.NewPCG(5, 6))
		// One type for each arithmetic and each way of conversion; more would be more of the same.
		types := []tensor.ElementType{tensor.Float16, tensor.Float32, tensor.Float64,
			tensor.Int8, tensor.Int64, tensor.Uint64, tensor.Bool, tensor.String}
		if raceDetector { // the workers share what they share whatever the type
			types = []tensor.ElementType{tensor.Float16, tensor.Int64, tensor.String}
		}
		for _, elem := range types {
			expected := randomTensor(r, elem, tensor.Shape{large}, false)
			actual := randomTensor(r, elem, tensor.Shape{large}, false)
			steps, atol := 4, 1.0
			if elem == tensor.Bool {
				steps, atol = 0, 0.5 // or no difference would be too large
			}
			checks := []compare.Check{compare.ULP(steps), compare.WithinSum(atol, 0.1)}
			for _, stat := range allStats {
				checks = append(checks, compare.Within(atol, 0.1, stat))
			}
			if elem != tensor.String {
				checks = append(checks, compare.L2(1), compare.CosineSimilarity(0.5), compare.PSNR(1),
					compare.SNR(1), compare.NormRelative(1), compare.TopKAgreement(3, 1))
			}
			var first string
			for _, workers := range []int{1, 3} {
				previous := runtime.GOMAXPROCS(workers)
				out, err := compare.Tensors(actual, expected, compare.Options{Checks: checks})
				Expect(err).NotTo(HaveOccurred())
				text, err := json.Marshal(out)
				runtime.GOMAXPROCS(previous)
				Expect(err).NotTo(HaveOccurred())
				if first == "" {
					first = string(text)
				}
				Expect(string(text)).To(Equal(first), "%v with %d workers", elem, workers)
			}
		}
	})

	It("finds order statistics as a sort does", func() {
		r := rand.New(rand.NewPCG(7, 8))
		for _, elem := range []tensor.ElementType{tensor.Float32, tensor.Float64, tensor.Float16,
			tensor.Int8, tensor.Int64} {
			for _, n := range []int{1, 2, 1023, 1025, 5000, large} {
				expected := randomTensor(r, elem, tensor.Shape{n}, false)
				actual := randomTensor(r, elem, tensor.Shape{n}, false)
				errors := make([]float64, n)
				for i := range errors {
					errors[i] = absoluteError(actual, expected, i)
				}
				slices.Sort(errors)
				for _, q := range []float64{0, 1} {
					out, err := compare.Tensors(actual, expected, compare.Options{
						Checks: []compare.Check{compare.Within(0, 0, compare.Quantile(q))}})
					Expect(err).NotTo(HaveOccurred())
					want := errors[int(q*float64(n-1))]
					if math.IsNaN(errors[0]) {
						want = math.NaN()
					}
					Expect(fmt.Sprint(out.Results[0].Abs)).To(Equal(fmt.Sprint(want)),
						"%v n=%d q=%v", elem, n, q)
				}
				if n%2 == 1 {
					out, err := compare.Tensors(actual, expected, compare.Options{
						Checks: []compare.Check{compare.Within(0, 0, compare.Median)}})
					Expect(err).NotTo(HaveOccurred())
					want := errors[n/2]
					if math.IsNaN(errors[0]) {
						want = math.NaN()
					}
					Expect(fmt.Sprint(out.Results[0].Abs)).To(Equal(fmt.Sprint(want)), "%v n=%d", elem, n)
				}
			}
		}
	})

	It("keeps memory far below the inputs, also for the median", func() {
		allocated := func(n int) uint64 {
			x, y := noisy(n)
			actual, expected := tensor.Of(x...), tensor.Of(y...)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := compare.Tensors(actual, expected, compare.Options{
				Checks: []compare.Check{compare.Within(1, 1, compare.Median)}})
			runtime.ReadMemStats(&after)
			Expect(err).NotTo(HaveOccurred())
			return after.TotalAlloc - before.TotalAlloc
		}
		const small, big = 1 << 18, 1 << 22
		// Buffers of a fixed size are kept from one call to the next, unless they are collected or the
		// next call is on another processor.
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		for _, n := range []int{big, small} {
			Expect(allocated(n)).To(BeNumerically("<", 16<<20), "%d elements, the first time", n)
		}
		if raceDetector {
			return // which has them thrown away at random
		}
		growth := int64(allocated(big)) - int64(allocated(small))
		Expect(growth).To(BeNumerically("<", 8*(big-small)/100), "grew by %d bytes", growth)
	})
})

// absoluteError is |a−b| by big detours around the code under test.
func absoluteError(a, b *tensor.Tensor, i int) float64 {
	switch a.ElementType() {
	case tensor.Float64, tensor.Int8:
		return math.Abs(a.Float64At(i) - b.Float64At(i))
	case tensor.Int64:
		x, _ := tensor.Values[int64](a)
		y, _ := tensor.Values[int64](b)
		if x[i] > y[i] {
			return float64(uint64(x[i] - y[i]))
		}
		return float64(uint64(y[i] - x[i]))
	}
	return math.Abs(float64(float32(a.Float64At(i)) - float32(b.Float64At(i))))
}
