//go:build linux && cgo

package relations_test

import (
	"context"
	"errors"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/relations"
	"github.com/modelparity/modelparity/tensor"
)

// showing runs ONNX Runtime, but rejects outputs without a type, as TensorRT's parser does. It
// returns inner tensors itself, except one of ten. Its tensors from and y are wrong by 1 % in
// batches of four rows or more, and its tensor near by one unit in the last place.
type showing struct {
	from   string
	near   string
	hidden map[string]bool
	reads  *int // counts the calls that returned inner tensors
}

type showingBackend struct {
	backends.Backend
	engine showing
	model  *loaders.Model
}

var errUntyped = errors.New("an output has no type")

func (s showing) String() string   { return "showing" }
func (s showing) GoString() string { return "showing{}" }
func (s showing) Text() string     { return "showing" }

func (s showing) Open(ctx context.Context, declared fixtures.Declaration, in fixtures.Inputs) (
	backends.Backend, error) {
	model := declared.(*loaders.Model)
	outputs, err := model.Outputs()
	if err != nil {
		return nil, err
	}
	for _, o := range outputs {
		if o.Kind == loaders.Untyped {
			return nil, errUntyped
		}
	}
	of, err := ort.Engine().Open(ctx, model, in)
	return &showingBackend{of, s, model}, err
}

func (s showing) Capabilities() backends.Capabilities {
	return backends.Capabilities{RunWithTensors: func(ctx context.Context, b backends.Backend,
		in fixtures.Inputs, names []string) (*backends.Run, error) {
		*s.reads++
		shown := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return s.hidden[name]
		})
		marked, err := b.(*showingBackend).model.Mark(shown...)
		if err != nil {
			return nil, err
		}
		run, err := backends.RunIn(ctx, ort.Engine(), marked, in)
		if err != nil {
			return nil, err
		}
		return s.spoil(ctx, run, in, marked)
	}}
}

func (b *showingBackend) Run(ctx context.Context, in fixtures.Inputs) (*backends.Run, error) {
	run, err := b.Backend.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	return b.engine.spoil(ctx, run, in, b.model)
}

// spoil changes the named tensors and the output y of models with the input image, in batches of
// four or more.
func (s showing) spoil(ctx context.Context, run *backends.Run, in fixtures.Inputs,
	model *loaders.Model) (*backends.Run, error) {
	i := -1
	return backends.Collect(ctx, run.Provenance, backends.Subject{Engine: s, Model: model}, in,
		func(_ context.Context, set *tensor.Set) (*tensor.Set, error) {
			i++
			image, ok := set.Get("image")
			var entries []tensor.Entry
			for name, t := range run.Outputs()[i].All() {
				by := map[string]float32{s.from: 1.01, "y": 1.01, s.near: 1 + 0x1p-23}[name]
				if ok && image.Shape()[0] >= 4 && by != 0 {
					values, err := tensor.Values[float32](t)
					if err != nil {
						return nil, err
					}
					for j := range values {
						values[j] *= by
					}
					if t, err = tensor.New(t.Shape(), values); err != nil {
						return nil, err
					}
				}
				entries = append(entries, tensor.Entry{Name: name, Tensor: t})
			}
			return tensor.NewSet(entries...)
		})
}

var _ = Describe("Locating in an engine that returns inner tensors", func() {
	DescribeTable("reads them row by row too, without a model with more outputs",
		func(ctx SpecContext, rule relations.Rule) {
			ort.Require(GinkgoT())
			x := onGPUs["segformer"]
			nodes, err := x.model.Nodes()
			Expect(err).NotTo(HaveOccurred())
			from, reads, hidden := nodes[len(nodes)/2].Outputs[0], 0, map[string]bool{}
			for i := 1; i < len(nodes); i += 10 {
				hidden[nodes[i].Outputs[0]] = true
			}
			near := nodes[2].Outputs[0]
			Expect(hidden).NotTo(Or(HaveKey(from), HaveKey(near)))
			s := x.subject(ctx)
			s.Engine = showing{from: from, near: near, hidden: hidden, reads: &reads}
			report, err := relations.Check(ctx, s, relations.Options{Locate: true, Rule: rule},
				relations.Batch())
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Text()).To(And(
				ContainSubstring(`inside the model: "`+from+`" is the first tensor out of tolerance`),
				ContainSubstring("(9 of 86 tensors could not be read: see the notes)")))
			if !rule.Noise { // within noise, other kernels take other numbers of reads
				Expect(reads).To(BeNumerically("<", 50), "each read may build an engine")
			}
		},
		Entry("within a tolerance", relations.Rule{
			Checks: []compare.Check{compare.Within(1e-4, 1e-4, compare.Elementwise)}}),
		Entry("within noise", relations.Rule{Noise: true}))
})
