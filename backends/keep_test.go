package backends_test

import (
	"bytes"
	"context"
	"runtime"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/internal/testing/peak"
	"github.com/modelparity/modelparity/tensor"
)

// large is the outputs of iteration i: 200 kB that begin with i, and a text.
func large(i int) *tensor.Set {
	values := make([]float32, 50_000)
	for k := range values {
		values[k] = float32(i + k)
	}
	words, err := tensor.FromStrings(tensor.Shape{1}, []string{"yes"})
	Expect(err).NotTo(HaveOccurred())
	set, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of(values...)},
		tensor.Entry{Name: "n", Tensor: tensor.Of(int64(i))},
		tensor.Entry{Name: "words", Tensor: words})
	Expect(err).NotTo(HaveOccurred())
	return set
}

// holds returns an error unless the run is the run of large.
func holds(run *backends.Run, iterations int) {
	GinkgoHelper()
	Expect(run.Len()).To(Equal(iterations))
	for i, outputs := range run.Outputs() {
		Expect(outputs.Names()).To(Equal([]string{"y", "n", "words"}))
		for name, want := range large(i).All() {
			got, _ := outputs.Get(name)
			Expect(got.ElementType()).To(Equal(want.ElementType()))
			Expect(got.Shape()).To(Equal(want.Shape()))
			Expect(bytes.Equal(got.Bytes(), want.Bytes())).To(BeTrue(), "iteration %d, %s", i, name)
			Expect(got.Strings()).To(Equal(want.Strings()))
		}
	}
}

var _ = Describe("A run of many iterations", func() {
	engine := fake.Engine(fake.Func(func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
		i, _ := in.Get("i")
		return large(int(i.Float64At(0))), nil
	}))
	counted := func(iterations int) fixtures.Inputs {
		sets := make([]*tensor.Set, iterations)
		for i := range sets {
			set, err := tensor.NewSet(tensor.Entry{Name: "i", Tensor: tensor.Scalar(int64(i))})
			Expect(err).NotTo(HaveOccurred())
			sets[i] = set
		}
		return fixtures.Of(sets...)
	}
	makes := map[string]func(ctx context.Context, iterations int) *backends.Run{
		"that an engine makes": func(ctx context.Context, iterations int) *backends.Run {
			run, err := backends.RunIn(ctx, engine, nil, counted(iterations))
			Expect(err).NotTo(HaveOccurred())
			return run
		},
		"that is put together": func(_ context.Context, iterations int) *backends.Run {
			run := &backends.Run{}
			for i := range iterations {
				run.Append(backends.Iteration{Outputs: large(i)})
			}
			return run
		},
		"that is changed": func(_ context.Context, iterations int) *backends.Run {
			run := &backends.Run{}
			for range iterations {
				run.Append(backends.Iteration{Outputs: large(0)})
			}
			i := -1
			run, err := run.Changed(func(*tensor.Set) (*tensor.Set, error) {
				i++
				return large(i), nil
			})
			Expect(err).NotTo(HaveOccurred())
			return run
		},
	}
	for name, of := range makes {
		It("takes no more memory than one of fewer, "+name, func(ctx SpecContext) {
			measured := func(iterations int) int {
				var run *backends.Run
				n := peak.Of(func() { run = of(ctx, iterations) })
				runtime.KeepAlive(run)
				return n
			}
			few, many := measured(200), measured(800)
			Expect(few).To(BeNumerically(">", spill.Bound*3/4)) // which shows that memory is measured
			Expect(many-few).To(BeNumerically("<", 30<<20), "of 120 MB more, and garbage")
			holds(of(ctx, 200), 200)
		})
	}

	It("keeps its first iteration in memory, however large", func() {
		run := backends.NewRun(backends.Provenance{})
		t, err := tensor.FromBytes(tensor.Uint8, tensor.Shape{spill.Bound + 1},
			make([]byte, spill.Bound+1))
		Expect(err).NotTo(HaveOccurred())
		set, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: t})
		Expect(err).NotTo(HaveOccurred())
		run.Append(backends.Iteration{Outputs: set}, backends.Iteration{Outputs: set})
		Expect(run.Outputs()[0]).To(BeIdenticalTo(set))
		second, _ := run.Outputs()[1].Get("y")
		Expect(spill.InMemory(second)).To(BeFalse())
		Expect(second.Size()).To(Equal(spill.Bound + 1))
	})
})
