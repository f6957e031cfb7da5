package search_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/relations/search"
	"github.com/modelparity/modelparity/tensor"
)

// confused is ONNX Runtime with a fault for certain graphs and inputs.
func confused(graph func([]loaders.Node) bool, inputs func(float64) bool) backends.Engine {
	return fake.Engine(fake.Opens(func(ctx context.Context, m fixtures.Declaration,
		in fixtures.Inputs) (backends.Backend, error) {
		b, err := ort.Engine().Open(ctx, m, in)
		if err != nil {
			return nil, err
		}
		nodes, err := m.(*loaders.Model).Nodes()
		if err == nil && graph(nodes) {
			return wrongOn{b, inputs}, nil
		}
		return b, err
	}))
}

// wrongOn adds 1 to all outputs if an input has a certain value.
type wrongOn struct {
	backends.Backend
	inputs func(float64) bool
}

func (w wrongOn) Run(ctx context.Context, in fixtures.Inputs) (*backends.Run, error) {
	wrong := false
	for set, err := range in.All() {
		if err != nil {
			return nil, err
		}
		for _, t := range set.All() {
			wrong = wrong || slices.ContainsFunc(t.Float64s(), w.inputs)
		}
	}
	run, err := w.Backend.Run(ctx, in)
	if err != nil || !wrong {
		return run, err
	}
	return run.Changed(func(set *tensor.Set) (*tensor.Set, error) {
		var entries []tensor.Entry
		for name, t := range set.All() {
			values, err := tensor.Values[float32](t)
			if err != nil {
				return nil, err
			}
			values = slices.Clone(values)
			for i := range values {
				values[i]++
			}
			changed, err := tensor.New(t.Shape(), values)
			if err != nil {
				return nil, err
			}
			entries = append(entries, tensor.Entry{Name: name, Tensor: changed})
		}
		return tensor.NewSet(entries...)
	})
}

// before reports whether a node of the second operator reads a result of the first.
func before(first, second string) func([]loaders.Node) bool {
	return func(nodes []loaders.Node) bool {
		made := map[string]bool{}
		for _, n := range nodes {
			if n.Op == second && slices.ContainsFunc(n.Inputs, func(s string) bool { return made[s] }) {
				return true
			}
			if n.Op == first {
				for _, name := range n.Outputs {
					made[name] = true
				}
			}
		}
		return false
	}
}

// reversed reports whether the node has the tensor as its second input.
func reversed(node, tensor string) func([]loaders.Node) bool {
	return func(nodes []loaders.Node) bool {
		return slices.ContainsFunc(nodes, func(n loaders.Node) bool {
			return n.Name == node && n.Inputs[1] == tensor
		})
	}
}

// edited are the models to edit.
var edited = map[string]func(ctx context.Context) backends.Subject{
	"digits": func(ctx context.Context) backends.Subject {
		m := loaders.ONNX("../../example_test/digits/testdata/digits.onnx")
		return backends.Subject{Engine: ort.Engine(), Model: m, Inputs: fixtures.Random(m)}
	},
	"digits-int8": func(ctx context.Context) backends.Subject {
		m := loaders.ONNX("../../example_test/digits-int8/testdata/digits_int8.onnx")
		return backends.Subject{Engine: ort.Engine(), Model: m, Inputs: fixtures.Random(m)}
	},
	"encoder": func(ctx context.Context) backends.Subject {
		m := loaders.ONNX("../../example_test/dynamic/testdata/encoder.onnx")
		return backends.Subject{Engine: ort.Engine(), Model: m, Inputs: fixtures.Random(m,
			fixtures.Shape("tokens", 2, 5), fixtures.ValRange(0, 63))}
	},
}

var _ = Describe("edits of graphs in a search", func() {
	// The tolerance is wide because split sums round differently; the planted faults are 1.
	wide := compare.Options{Checks: []compare.Check{compare.NormRelative(0.05)}}
	options := search.Options{Rule: wide, Trials: 400, Sizes: []int{1, 2}, Seed: 1}

	DescribeTable("find a fault that only an edit reveals",
		func(ctx SpecContext, of string, graph func([]loaders.Node) bool, value float64, side int,
			edit string) {
			ort.Require(GinkgoT())
			sides := [2]backends.Subject{edited[of](ctx), edited[of](ctx)}
			shows := func(v float64) bool { return math.Abs(v-value) < 1 }
			sides[side].Engine = confused(graph, shows)
			f, err := search.Between(ctx, sides[0], sides[1], options)
			Expect(err).NotTo(HaveOccurred())
			Expect(f.Parts()).To(BeFalse(), "the original graph does not show it")

			o := options
			o.Edits = true
			f, err = search.Between(ctx, sides[0], sides[1], o)
			Expect(err).NotTo(HaveOccurred())
			Expect(f.Parts()).To(BeTrue(), f.Text())
			name := []string{"actual", "expected"}[side]
			Expect(f.Edited).To(Equal(name))
			Expect(f.Edits).To(ConsistOf(edit))
			Expect(f.Text()).To(ContainSubstring("edited in the " + name + " graph: " + edit + "\n"))
			Expect(f.Headline()).To(ContainSubstring("with 1 edit of the " + name + " graph"))
			for _, t := range f.Inputs.All() {
				Expect(t.Shape()[0]).To(Equal(1), "the inputs are also shrunk")
				others := slices.DeleteFunc(t.Float64s(), func(v float64) bool { return v == 0 })
				Expect(others).To(HaveLen(1))
				Expect(shows(others[0])).To(BeTrue())
			}
			again, err := search.Between(ctx, sides[0], sides[1], o)
			Expect(err).NotTo(HaveOccurred())
			Expect(again.Text()).To(Equal(f.Text()), "equal seeds give equal results")
		},
		Entry("an Identity before a node", "digits", before("Identity", "Flatten"), -3.0, 0,
			`an Identity between "pool2" and node 6, Flatten "flatten"`),
		Entry("an Identity after an output", "digits", before("Softmax", "Identity"), -3.0, 1,
			`an Identity after output "probabilities" of node 10, Softmax "probabilities"`),
		Entry("a split convolution", "digits", before("Conv", "Add"), 100.0, 0,
			`node 3, Conv "conv2" split in two at index 8 of its reduction axis`),
		Entry("exchanged operands", "encoder", reversed("add_12", "mul_11"), 63.0, 1,
			`the operands of node 12, Add "add_12" exchanged`),
	)

	DescribeTable("do not affect engines on the example models",
		func(ctx SpecContext, of string, e backends.Engine, noisy bool, missing func(backends.T)) {
			missing(GinkgoT())
			s := edited[of](ctx)
			s.Engine = e
			o := options
			o.Edits, o.Trials = true, 250
			if noisy { // each difference takes nine sessions to measure
				o.Rule, o.Noise = rule, true
			}
			f, err := search.Between(ctx, s, s, o)
			Expect(err).NotTo(HaveOccurred())
			Expect(f.Parts()).To(BeFalse(), f.Text())
			Expect(f.EditRefusal).To(BeEmpty())
			Expect(f.Trials).To(BeNumerically(">", 150))
		},
		Entry("digits in ONNX Runtime", "digits", ort.Engine(), true, inORT),
		Entry("digits-int8 in ONNX Runtime", "digits-int8", ort.Engine(), false, inORT),
		Entry("encoder in ONNX Runtime", "encoder", ort.Engine(), true, inORT),
		Entry("encoder in OpenVINO", "encoder", openvino.Engine(), false, inOpenVINO),
	)

	It("are saved with the edited model, and replay byte for byte", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		s := edited["digits"](ctx)
		a := s
		a.Engine = confused(before("Conv", "Add"), func(v float64) bool { return v < -1 })
		o := options
		o.Edits = true
		o.Rule.Checks = []compare.Check{compare.Within(0.5, 0.05, compare.Elementwise)}
		f, err := search.Between(ctx, a, s, o)
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Edited).To(Equal("actual"), f.Text())
		folder := filepath.Join(GinkgoT().TempDir(), "found")
		files, err := f.Save(folder, s, s, o.Rule)
		Expect(err).NotTo(HaveOccurred())
		Expect(files).To(Equal(search.Files(folder)[:4]))
		source, err := os.ReadFile(files[2])
		Expect(err).NotTo(HaveOccurred())
		Expect(string(source)).To(And(ContainSubstring(`loaders.ONNX("search.onnx"), inputs)`),
			ContainSubstring("//   - "+f.Edits[0]+"\n"), ContainSubstring(`/digits.onnx"), inputs)`)))

		model := loaders.ONNX(files[3])
		inputs := fixtures.LoadFor(model, files[0])
		wrong, err := backends.RunIn(ctx, a.Engine, model, inputs)
		Expect(err).NotTo(HaveOccurred())
		right, err := backends.RunIn(ctx, s.Engine, model, inputs)
		Expect(err).NotTo(HaveOccurred())
		for i, name := range wrong.Outputs()[0].Names() {
			actual, _ := wrong.Outputs()[0].Get(name)
			Expect(f.Report.Outputs[i].Name).To(Equal(name))
			Expect(actual.Bytes()).To(Equal(f.Report.Outputs[i].Actual.Bytes()))
			healthy, _ := right.Outputs()[0].Get(name)
			Expect(healthy.Bytes()).NotTo(Equal(actual.Bytes()))
		}
	})

	It("are an error if no edit is possible", func(ctx SpecContext) {
		o := options
		o.Edits = true
		_, err := search.Between(ctx, subject(ctx, nil), subject(ctx, nil), o)
		Expect(err).To(MatchError(ContainSubstring("editing graphs runs ONNX models")))
	})
})

func inORT(t backends.T)      { ort.Require(t) }
func inOpenVINO(t backends.T) { openvino.Require(t) }
