package backends_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/sessions"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// sharingEngines lists the engines of one kind that the specs about shared sessions run.
type sharingEngines struct {
	Require func()
	Plain   backends.Engine   // shares its sessions
	Same    []backends.Engine // share sessions with Plain, because their options mean the same
	Other   []backends.Engine // each shares sessions only with itself
	Alone   []backends.Engine // share no sessions
}

// opens calls f and returns the number of sessions that were created meanwhile.
func opens(f func()) int {
	before := sessions.Shared.Stats().Made
	f()
	return sessions.Shared.Stats().Made - before
}

// adds returns the model y = x + c. size is the number of elements, or the name of a dynamic
// dimension.
func adds(c float32, size any) []byte {
	return onnxtest.Model{Opsets: map[string]int64{"": 19}, Graph: onnxtest.Graph{
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{size}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{size}}},
		Initializers: []onnxtest.Tensor{{Name: "c", Type: 1, Dims: []int64{1},
			Raw: tensor.Of(c).Bytes()}},
		Nodes: []onnxtest.Node{{Op: "Add", In: []string{"x", "c"}, Out: []string{"y"}}},
	}}.Bytes()
}

func written(path string, c float32) *loaders.Model {
	GinkgoHelper()
	Expect(os.WriteFile(path, adds(c, 2), 0o600)).To(Succeed())
	return loaders.ONNX(path)
}

// gives runs the model on x and returns its output.
func gives(ctx context.Context, e backends.Engine, m *loaders.Model, x ...float32) []float32 {
	GinkgoHelper()
	var entries []tensor.Entry
	if len(x) > 0 {
		entries = append(entries, tensor.Entry{Name: "x", Tensor: tensor.Of(x...)})
	}
	set, err := tensor.NewSet(entries...)
	Expect(err).NotTo(HaveOccurred())
	run, err := backends.RunIn(ctx, e, m, fixtures.Of(set))
	Expect(err).NotTo(HaveOccurred())
	sum, err := m.SHA256()
	Expect(err).NotTo(HaveOccurred())
	Expect(run.Provenance.Model).To(Equal(m.Name()))
	Expect(run.Provenance.ModelSHA256).To(Equal(sum))
	Expect(run.Subject().Model).To(BeIdenticalTo(m))
	y, _ := run.Outputs()[0].Get("y")
	values, err := tensor.Values[float32](y)
	Expect(err).NotTo(HaveOccurred())
	return values
}

// Backends share a session only for the same model bytes and the same options, and no run can see
// state that another run left.
var _ = DescribeTableSubtree("Sessions of the same model", Serial, func(e sharingEngines) {
	BeforeEach(func() {
		e.Require()
		Expect(sessions.Shared.Empty()).To(Succeed())
	})

	memory := func() *loaders.Model { return loaders.ONNXBytes("m", adds(1, 2)) }

	It("are made once, by content", func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		one, same := written(filepath.Join(folder, "1"), 1), written(filepath.Join(folder, "2"), 1)
		other := written(filepath.Join(folder, "3"), 2)
		Expect(opens(func() {
			Expect(gives(ctx, e.Plain, one, 1, 2)).To(Equal([]float32{2, 3}))
		})).To(Equal(1))
		Expect(opens(func() {
			for _, m := range []*loaders.Model{one, same, memory()} {
				Expect(gives(ctx, e.Plain, m, 3, 4)).To(Equal([]float32{4, 5}))
			}
		})).To(BeZero())
		Expect(opens(func() {
			Expect(gives(ctx, e.Plain, other, 1, 2)).To(Equal([]float32{3, 4}))
		})).To(Equal(1))
	})

	It("follow the file's current content", func(ctx SpecContext) {
		path := filepath.Join(GinkgoT().TempDir(), "m.onnx")
		Expect(gives(ctx, e.Plain, written(path, 1), 1, 2)).To(Equal([]float32{2, 3}))
		Expect(gives(ctx, e.Plain, written(path, 2), 1, 2)).To(Equal([]float32{3, 4}))
	})

	It("are made for each set of options and each environment", func(ctx SpecContext) {
		gives(ctx, e.Plain, memory(), 1, 2)
		for _, same := range e.Same {
			Expect(opens(func() { gives(ctx, same, memory(), 1, 2) })).To(BeZero(), same.String())
		}
		for _, other := range e.Other {
			Expect(opens(func() { gives(ctx, other, memory(), 1, 2) })).To(Equal(1), other.String())
			Expect(opens(func() { gives(ctx, other, memory(), 1, 2) })).To(BeZero(), other.String())
		}
		for _, alone := range e.Alone {
			Expect(opens(func() {
				gives(ctx, alone, memory(), 1, 2)
				gives(ctx, alone, memory(), 1, 2)
			})).To(Equal(2), alone.String())
		}
		GinkgoT().Setenv("MODELPARITY_SHARING_TEST", "1")
		Expect(opens(func() { gives(ctx, e.Plain, memory(), 1, 2) })).To(Equal(1))
	})

	It("are made each time for an unshared engine", func(ctx SpecContext) {
		gives(ctx, e.Plain, memory(), 1, 2)
		Expect(opens(func() {
			gives(ctx, backends.Unshared(e.Plain), memory(), 1, 2)
		})).To(Equal(1))
	})

	It("are not shared if the weights are in a separate file, which may change",
		func(ctx SpecContext) {
			folder := GinkgoT().TempDir()
			path := filepath.Join(folder, "out.onnx")
			inside := loaders.ONNXBytes("m", onnxtest.Model{Opsets: map[string]int64{"": 19},
				Graph: onnxtest.Graph{
					Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{2}}},
					Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{1, 2}}},
					Initializers: []onnxtest.Tensor{{Name: "c", Type: 1, Dims: []int64{1, 2},
						Raw: onnxtest.Float32s(1, 1)}},
					Nodes: []onnxtest.Node{{Op: "Add", In: []string{"x", "c"}, Out: []string{"y"}}}}}.Bytes())
			written, err := inside.SaveExternal(path, loaders.External{Threshold: 1})
			Expect(err).NotTo(HaveOccurred())
			Expect(written).To(HaveLen(2))
			Expect(opens(func() {
				gives(ctx, e.Plain, loaders.ONNX(path), 1, 2)
				gives(ctx, e.Plain, loaders.ONNX(path), 1, 2)
			})).To(Equal(2))
		})

	It("are made again after many runs", func(ctx SpecContext) {
		m := loaders.ONNXBytes("m", adds(1, "n"))
		made := opens(func() {
			for i := range 300 {
				x := make([]float32, 1+i%5)
				y := gives(ctx, e.Plain, m, x...)
				Expect(y).To(HaveLen(len(x)))
				Expect(y).To(HaveEach(BeEquivalentTo(1)))
			}
		})
		Expect(made).To(Equal(2), "256 runs share one")
	})

	It("are not shared after a failure", func(ctx SpecContext) {
		m := loaders.ONNXBytes("m", onnxtest.Model{Opsets: map[string]int64{"": 19},
			Graph: onnxtest.Graph{
				Inputs: []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"n"}},
					{Name: "z", Elem: 1, Dims: []any{"m"}}},
				Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{"k"}}},
				Nodes:   []onnxtest.Node{{Op: "Add", In: []string{"x", "z"}, Out: []string{"y"}}},
			}}.Bytes())
		of := func(n int) fixtures.Inputs {
			set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of[float32](1, 2)},
				tensor.Entry{Name: "z", Tensor: tensor.Of(make([]float32, n)...)})
			Expect(err).NotTo(HaveOccurred())
			return fixtures.Of(set)
		}
		b, err := e.Plain.Open(ctx, m, of(2))
		Expect(err).NotTo(HaveOccurred())
		_, err = b.Run(ctx, of(2))
		Expect(err).NotTo(HaveOccurred())
		_, err = b.Run(ctx, of(3))
		Expect(err).To(HaveOccurred())
		Expect(opens(func() {
			_, err := backends.RunIn(ctx, e.Plain, m, of(2))
			Expect(err).NotTo(HaveOccurred())
		})).To(Equal(1))
		Expect(b.Close()).To(Succeed())
	})

	It("serve concurrent runs, each with its own backend to close", func(ctx SpecContext) {
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of[float32](1, 2)})
		Expect(err).NotTo(HaveOccurred())
		first, err := e.Plain.Open(ctx, memory(), fixtures.Of(set))
		Expect(err).NotTo(HaveOccurred())
		Expect(opens(func() {
			var group sync.WaitGroup
			for i := range 8 {
				group.Go(func() {
					defer GinkgoRecover()
					at := float32(i)
					for range 25 {
						Expect(gives(ctx, e.Plain, memory(), at, 2*at)).To(Equal([]float32{at + 1, 2*at + 1}))
					}
				})
			}
			group.Wait()
		})).To(BeZero())
		Expect(first.Close()).To(Succeed())
		_, err = first.Run(ctx, fixtures.Of(set))
		Expect(err).To(MatchError(backends.ErrClosed))
		Expect(opens(func() { gives(ctx, e.Plain, memory(), 1, 2) })).To(BeZero())
	})

	It("stay few", func(ctx SpecContext) {
		for i := range 12 {
			gives(ctx, e.Plain, loaders.ONNXBytes("m", adds(float32(i), 2)), 1, 2)
		}
		Expect(sessions.Shared.Stats().Idle).To(BeNumerically("<=", 8))
	})
},
	Entry("OpenVINO", sharingEngines{
		Require: func() { openvino.Require(GinkgoT()) },
		Plain:   openvino.Engine(),
		Same: []backends.Engine{openvino.Engine(openvino.Threads(1)),
			openvino.Engine(openvino.Precision(openvino.Float32)), openvino.Engine(openvino.WarmUp(1))},
		Other: []backends.Engine{openvino.Engine(openvino.Threads(2)),
			openvino.Engine(openvino.Precision(openvino.Own)),
			openvino.Engine(openvino.ExecutionMode(openvino.Performance))},
		Alone: []backends.Engine{openvino.Engine(openvino.StaticShapes()),
			openvino.Engine(openvino.Property("PERF_COUNT", "YES"))},
	}),
	Entry("tract", sharingEngines{
		Require: func() { tract.Require(GinkgoT()) },
		Plain:   tract.Engine(),
		Same:    []backends.Engine{tract.Engine(tract.WarmUp(1))},
		Other:   []backends.Engine{tract.Engine(tract.FP16())},
	}),
)
