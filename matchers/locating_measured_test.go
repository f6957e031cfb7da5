package matchers_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

// brainLayer is ONNX Runtime, which computes one layer with operands in bfloat16.
func brainLayer(layer string) backends.Engine {
	return fake.Engine(fake.Named("brain"), fake.Opens(func(ctx context.Context,
		m fixtures.Declaration, in fixtures.Inputs) (backends.Backend, error) {
		changed, err := edit.Nodes(m.(*loaders.Model), func(n loaders.Node) (edit.NodeEdit, error) {
			if n.Name != layer {
				return edit.NodeEdit{}, nil
			}
			e := edit.NodeEdit{Inputs: map[string]string{}}
			for _, name := range n.Inputs[:2] {
				e.Inputs[name] = name + "/rounded"
				e.Before = append(e.Before,
					edit.NewNode{Op: "Cast", Inputs: []string{name}, Outputs: []string{name + "/brain"},
						To: tensor.BFloat16},
					edit.NewNode{Op: "Cast", Inputs: []string{name + "/brain"},
						Outputs: []string{name + "/rounded"}, To: tensor.Float32})
			}
			return e, nil
		})
		if err != nil {
			return nil, err
		}
		return opened(ort.Engine().Open(ctx, changed, in))
	}))
}

// opened gives a backend's runs the fake engine, so that it is searched.
func opened(b backends.Backend, err error) (backends.Backend, error) {
	if err != nil {
		return nil, err
	}
	return anonymous{b}, nil
}

// rounds is ONNX Runtime, which computes a model with everything in a format.
func rounds(format precision.Format) backends.Engine {
	return fake.Engine(fake.Named("rounds"), fake.Opens(func(ctx context.Context,
		m fixtures.Declaration, in fixtures.Inputs) (backends.Backend, error) {
		subject := backends.Subject{Engine: ort.Engine(), Model: m, Inputs: in}
		changed, err := precision.Round(ctx, subject, format)
		if err != nil {
			return opened(ort.Engine().Open(ctx, m, in)) // a part that has nothing to round
		}
		return opened(ort.Engine().Open(ctx, changed, in))
	}))
}

var _ = Describe("Locating by what is measured", func() {
	model := loaders.ONNX("../example_test/digits/testdata/digits.onnx")
	inputs := fixtures.Random(model, fixtures.Shape("image", 8, 1, 8, 8), fixtures.Seed(7))
	BeforeEach(func() { ort.Require(GinkgoT()) })

	// spoiled is the model with one weight of a layer times a factor.
	spoiled := func(weight string, factor float32) *loaders.Model {
		GinkgoHelper()
		changed, err := edit.ReplaceConstants(model, func(c loaders.Constant) (*tensor.Tensor, error) {
			if c.Name != weight {
				return nil, nil
			}
			var values []float32
			for _, v := range c.Values.Float64s() {
				values = append(values, float32(v))
			}
			values[11] *= factor
			return tensor.New(c.Values.Shape(), values)
		})
		Expect(err).NotTo(HaveOccurred())
		return changed
	}
	inside := func(m types.GomegaMatcher, run *backends.Run) string {
		GinkgoHelper()
		_, text, found := strings.Cut(failure(m, run), "\ninside the models")
		Expect(found).To(BeTrue())
		return text
	}
	at := func(node string) OmegaMatcher {
		return MatchRegexp(`is the first tensor out of tolerance, computed by \w+ "` + node +
			`" \(node \d+[^)]*\): the node alone is out of tolerance`)
	}

	It("names a wrong weight and a layer in bfloat16 by noise", func(ctx SpecContext) {
		m := MatchWithinNoise().Of(ort.Run(ctx, model, inputs)).Locating()
		run, err := ort.Run(ctx, spoiled("conv2.weight", 1.01), inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(inside(m, run)).To(And(at("conv2"),
			ContainSubstring("note: tensors are judged by the noise of ")))
		run, err = backends.RunIn(ctx, brainLayer("hidden"), model, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(inside(m, run)).To(at("hidden"))
	})

	It("names a wrong weight in an engine of lower precision by the format's error",
		func(ctx SpecContext) {
			for _, format := range []precision.Format{precision.TF32, precision.FP16} {
				m := NoWorseThan(format).Of(ort.Run(ctx, model, inputs)).Locating()
				run, err := backends.RunIn(ctx, rounds(format), model, inputs)
				Expect(err).NotTo(HaveOccurred())
				Expect(run).To(m)
				run, err = backends.RunIn(ctx, rounds(format), spoiled("conv2.weight", 3), inputs)
				Expect(err).NotTo(HaveOccurred())
				Expect(inside(m, run)).To(And(at("conv2"),
					ContainSubstring("note: tensors are judged by the rounding error of "+string(format))))
			}
		})

	It("names the node on the rows whose decisions flipped", func(ctx SpecContext) {
		m := MatchDecisions(decisions.TopK{K: 1, Output: "logits"}).Of(ort.Run(ctx, model, inputs)).
			Locating()
		run, err := ort.Run(ctx, spoiled("hidden.weight", 60), inputs)
		Expect(err).NotTo(HaveOccurred())
		text := inside(m, run)
		Expect(text).To(And(MatchRegexp(`^, on rows \[\d( \d)*\] of iteration 0:`),
			at("hidden")))
		Expect(text).NotTo(ContainSubstring("on rows [0 1 2 3 4 5 6 7]"))
		Expect(text).NotTo(MatchRegexp(`float32\[8,`))

		within := MatchDecisionsWithinNoise(decisions.TopK{K: 1, Output: "logits"})
		Expect(inside(within.Of(ort.Run(ctx, model, inputs)).Locating(), run)).To(Equal(text))
	})

	It("searches whole iterations if the rows cannot run by themselves", func(ctx SpecContext) {
		batch := func(name string, factor float32) *loaders.Model {
			weight := onnxtest.Tensor{Name: "w", Type: 1, Dims: []int64{4},
				Raw: onnxtest.Float32s(1, 1, factor, 1)}
			value := func(name string) []onnxtest.Value {
				return []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{2, 4}}}
			}
			return loaders.ONNXBytes(name, onnxtest.Model{Graph: onnxtest.Graph{
				Nodes: []onnxtest.Node{
					{Op: "Neg", Name: "first", In: []string{"x"}, Out: []string{"a"}},
					{Op: "Mul", Name: "second", In: []string{"a", "w"}, Out: []string{"y"}}},
				Inputs: value("x"), Outputs: value("y"), Initializers: []onnxtest.Tensor{weight}}}.Bytes())
		}
		right, wrong := batch("right.onnx", 1), batch("wrong.onnx", 100)
		two := fixtures.Random(right, fixtures.Iterations(2))
		run, err := ort.Run(ctx, wrong, two)
		Expect(err).NotTo(HaveOccurred())
		m := MatchDecisions(decisions.TopK{K: 1}).Of(ort.Run(ctx, right, two)).Locating()
		Expect(inside(m, run)).To(And(
			MatchRegexp(`^, on all rows of iteration \d \(its rows cannot run separately\)`),
			at("second")))
	})
})
