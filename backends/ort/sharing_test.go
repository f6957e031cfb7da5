package ort_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/sessions"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Sessions of the same model", Serial, func() {
	BeforeEach(func() { Expect(sessions.Shared.Empty()).To(Succeed()) })

	// opens is how many sessions are made meanwhile.
	opens := func(f func()) int {
		before := sessions.Shared.Stats().Made
		f()
		return sessions.Shared.Stats().Made - before
	}
	// adds y = x + c.
	adds := func(c float32) []byte {
		raw := tensor.Of(c).Bytes()
		return onnxtest.Model{Graph: onnxtest.Graph{
			Inputs:       []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{2}}},
			Outputs:      []onnxtest.Value{{Name: "y"}},
			Initializers: []onnxtest.Tensor{{Name: "c", Type: 1, Dims: []int64{1}, Raw: raw}},
			Nodes:        []onnxtest.Node{{Op: "Add", In: []string{"x", "c"}, Out: []string{"y"}}},
		}}.Bytes()
	}
	written := func(path string, c float32) string {
		GinkgoHelper()
		Expect(os.WriteFile(path, adds(c), 0o600)).To(Succeed())
		return path
	}
	// gives runs the model at a path, in a model value of its own, and returns y[0] for x = 1.
	gives := func(ctx context.Context, m *loaders.Model, o ...ort.Option) float32 {
		GinkgoHelper()
		result, err := ort.Run(ctx, m, x(tensor.Of[float32](1, 2)), o...)
		Expect(err).NotTo(HaveOccurred())
		y, _ := result.Outputs()[0].Get("y")
		values, err := tensor.Values[float32](y)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.Provenance.Model).To(Equal(m.Name()))
		Expect(result.Subject().Model).To(BeIdenticalTo(m))
		return values[0]
	}

	It("are opened once, by content", func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		one := written(filepath.Join(folder, "one.onnx"), 1)
		same := written(filepath.Join(folder, "same.onnx"), 1)
		other := written(filepath.Join(folder, "other.onnx"), 2)
		Expect(opens(func() {
			Expect(gives(ctx, loaders.ONNX(one))).To(BeEquivalentTo(2))
		})).To(Equal(1))
		Expect(opens(func() {
			Expect(gives(ctx, loaders.ONNX(one))).To(BeEquivalentTo(2))
			Expect(gives(ctx, loaders.ONNX(same))).To(BeEquivalentTo(2))
			Expect(gives(ctx, loaders.ONNXBytes("memory", adds(1)))).To(BeEquivalentTo(2))
			Expect(gives(ctx, loaders.ONNX(one), ort.Threads(1))).To(BeEquivalentTo(2), "the default")
		})).To(BeZero())
		Expect(opens(func() {
			Expect(gives(ctx, loaders.ONNX(other))).To(BeEquivalentTo(3))
		})).To(Equal(1))
	})

	It("notice that a file was written again", func(ctx SpecContext) {
		path := written(filepath.Join(GinkgoT().TempDir(), "m.onnx"), 1)
		info, err := os.Stat(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(gives(ctx, loaders.ONNX(path))).To(BeEquivalentTo(2))
		written(path, 2) // as long
		Expect(os.Chtimes(path, info.ModTime(), info.ModTime())).To(Succeed())
		Expect(opens(func() {
			Expect(gives(ctx, loaders.ONNX(path))).To(BeEquivalentTo(3))
		})).To(Equal(1))
	})

	It("are opened for each set of options and each environment", func(ctx SpecContext) {
		m := loaders.ONNXBytes("m", adds(1))
		gives(ctx, m)
		Expect(opens(func() { gives(ctx, m, ort.Threads(2)) })).To(Equal(1))
		Expect(opens(func() { gives(ctx, m, ort.OptimizationLevel(ort.OptimizeNone)) })).To(Equal(1))
		Expect(opens(func() { gives(ctx, m, ort.WarmUp(1)) })).To(BeZero(), "the session is the same")
		GinkgoT().Setenv("MODELPARITY_SHARING_TEST", "1")
		Expect(opens(func() { gives(ctx, m) })).To(Equal(1))
	})

	It("are opened each time where that has effects", func(ctx SpecContext) {
		m := loaders.ONNXBytes("m", adds(1))
		for _, o := range []ort.Option{ort.Config("session.set_denormal_as_zero", "1"),
			ort.Log(GinkgoWriter, slog.LevelDebug)} {
			Expect(opens(func() { gives(ctx, m, o); gives(ctx, m, o) })).To(Equal(2))
		}
	})

	It("are opened each time if asked for", func(ctx SpecContext) {
		m := loaders.ONNXBytes("m", adds(1))
		gives(ctx, m)
		alone := backends.Unshared(ort.Engine())
		Expect(alone.Text()).To(Equal(ort.Engine().Text()))
		Expect(alone).NotTo(Equal(ort.Engine()))
		Expect(opens(func() {
			_, err := backends.RunIn(ctx, alone, m, x(tensor.Of[float32](1, 2)))
			Expect(err).NotTo(HaveOccurred())
		})).To(Equal(1))
	})

	normal := onnxtest.Node{Op: "RandomNormal", Out: []string{"y"}, Attrs: []onnxtest.Attr{
		{Name: "shape", Ints: []int64{4}}, {Name: "seed", Float: new(float32(7))}}}
	const opset = 19 // of functions
	DescribeTable("are not shared where a model draws numbers, whose generators go on",
		func(ctx SpecContext, m onnxtest.Model, times int) {
			m.Graph.Outputs = []onnxtest.Value{{Name: "y"}}
			of := loaders.ONNXBytes("m", m.Bytes())
			var texts []string
			Expect(opens(func() {
				for range 2 {
					result, err := ort.Run(ctx, of, feed())
					Expect(err).NotTo(HaveOccurred())
					texts = append(texts, values(result.Outputs()[0])...)
				}
			})).To(Equal(times))
			Expect(texts).To(HaveLen(2))
			Expect(texts[0]).To(Equal(texts[1]), "the generators start again")
		},
		Entry("from a seed", onnxtest.Model{Opsets: map[string]int64{"": opset},
			Graph: onnxtest.Graph{Nodes: []onnxtest.Node{normal}}}, 2),
		Entry("in a function", onnxtest.Model{Opsets: map[string]int64{"": opset, "f": 1},
			Graph: onnxtest.Graph{Nodes: []onnxtest.Node{{Op: "Draw", Domain: "f", Out: []string{"y"}}}},
			Functions: []onnxtest.Function{{Name: "Draw", Domain: "f", Out: []string{"y"},
				Nodes: []onnxtest.Node{normal}}}}, 2),
		Entry("but in one that only could, once", onnxtest.Model{Opsets: map[string]int64{"": 11},
			Graph: onnxtest.Graph{Nodes: []onnxtest.Node{{Op: "Dropout", In: []string{"c"},
				Out: []string{"y"}}}, Initializers: []onnxtest.Tensor{{Name: "c", Type: 1,
				Dims: []int64{1}, Raw: tensor.Of[float32](1).Bytes()}}}}, 1),
	)

	It("are shared by runs of other shapes", func(ctx SpecContext) {
		m := loaders.ONNXBytes("m", onnxtest.Model{Graph: onnxtest.Graph{
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"n"}}},
			Outputs: []onnxtest.Value{{Name: "y"}},
			Nodes:   []onnxtest.Node{{Op: "Neg", In: []string{"x"}, Out: []string{"y"}}},
		}}.Bytes())
		one, err := tensor.NewSet(in("x", tensor.Of[float32](1)))
		Expect(err).NotTo(HaveOccurred())
		two, err := tensor.NewSet(in("x", tensor.Of[float32](1, 2)))
		Expect(err).NotTo(HaveOccurred())
		runs := func(sets ...*tensor.Set) int {
			return opens(func() {
				_, err := ort.Run(ctx, m, fixtures.Of(sets...))
				Expect(err).NotTo(HaveOccurred())
			})
		}
		Expect(runs(one)).To(Equal(1))
		Expect(runs(two)).To(BeZero(), "one shape a run")
		Expect(runs(one, two)).To(BeZero())
		more := 0
		for range 300 {
			more += runs(one)
		}
		Expect(more).To(Equal(1), "256 runs share one")
	})

	It("are not lent after a failure", func(ctx SpecContext) {
		b, err := open(model("fails_running"))
		Expect(err).NotTo(HaveOccurred())
		good := feed(in("x", tensor.Of[float32](1, 2, 3, 4)), in("shape", tensor.Of[int64](2, 2)))
		bad := feed(in("x", tensor.Of[float32](1, 2, 3)), in("shape", tensor.Of[int64](2, 2)))
		_, err = b.Run(ctx, good)
		Expect(err).NotTo(HaveOccurred())
		_, err = b.Run(ctx, bad)
		Expect(err).To(MatchError(ContainSubstring("cannot be reshaped")))
		Expect(opens(func() {
			_, err := ort.Run(ctx, model("fails_running"), good)
			Expect(err).NotTo(HaveOccurred())
		})).To(Equal(1))
		Expect(b.Close()).To(Succeed())
	})

	It("serve runs at the same time, each of which closes its own", func(ctx SpecContext) {
		m := loaders.ONNXBytes("m", adds(1))
		first, err := open(m)
		Expect(err).NotTo(HaveOccurred())
		Expect(opens(func() {
			var group sync.WaitGroup
			for range 8 {
				group.Go(func() {
					defer GinkgoRecover()
					for range 25 {
						Expect(gives(ctx, m)).To(BeEquivalentTo(2))
					}
				})
			}
			group.Wait()
		})).To(BeZero())
		Expect(first.Close()).To(Succeed())
		_, err = first.Run(ctx, x(tensor.Of[float32](1, 2)))
		Expect(err).To(MatchError(backends.ErrClosed))
		Expect(opens(func() { gives(ctx, m) })).To(BeZero())
	})

	It("stay few over a thousand models and specs", func(ctx SpecContext) {
		for i := range 30 {
			gives(ctx, loaders.ONNXBytes("m", adds(float32(i))))
			Expect(sessions.Shared.Stats().Idle).To(BeNumerically("<=", 8))
		}
		m := loaders.ONNXBytes("m", adds(1))
		gives(ctx, m)
		Expect(opens(func() {
			for range 1000 {
				gives(ctx, m)
			}
		})).To(BeNumerically("<=", 4))
		Expect(sessions.Shared.Stats().Idle).To(BeNumerically("<=", 8))
	})
})
