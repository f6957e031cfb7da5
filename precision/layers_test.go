package precision_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

// layered is an engine of four layers, of which the second has no precision to choose. It computes
// 1 where "c" is raised, and 2 else.
type layered struct {
	backends.Engine
	raised *[]string // of each engine that was opened
	file   string
}

func newLayered() layered { return layered{fake.Engine(one(2)), new([]string), ""} }

func one(value float32) fake.Option {
	t, err := tensor.New(tensor.Shape{1}, []float32{value})
	Expect(err).NotTo(HaveOccurred())
	return fake.Output("y", t)
}

func (l layered) Capabilities() backends.Capabilities {
	return backends.Capabilities{Layers: l.layers, Raise: l.raise, Save: l.save}
}

func (layered) layers(context.Context, fixtures.Declaration) ([]string, error) {
	return []string{"a", "", "b", "c"}, nil
}

func (l layered) raise(names []string, elem tensor.ElementType) (backends.Engine, error) {
	*l.raised = append(*l.raised, strings.Join(append(names, elem.String()), " ")+l.file)
	if slices.Contains(names, "c") {
		return fake.Engine(one(1)), nil
	}
	return fake.Engine(one(2)), nil
}

func (l layered) save(path string) backends.Engine {
	l.file = " to " + path
	return l
}

var _ = Describe("Layers in a higher precision", func() {
	graph := graph(1, nil, node("Relu", "n", "y", "x"))
	inputs := fixtures.Random(graph)
	of := func(engines ...backends.Engine) (list []backends.Subject) {
		for _, e := range engines {
			list = append(list, backends.Subject{Engine: e, Model: graph, Inputs: inputs})
		}
		return list
	}

	It("are found in an engine that can be told, against a reference", func(ctx SpecContext) {
		engine := newLayered()
		var lines []string
		found, err := precision.Layers{Reverse: true, Rule: within(0.1),
			Progress: func(line string) { lines = append(lines, line) }}.
			Find(ctx, of(engine, fake.Engine(one(1))))
		Expect(err).NotTo(HaveOccurred())
		Expect(*engine.raised).To(HaveExactElements("a b c float32", "b c float32", "c float32"))
		Expect(found.Names).To(HaveExactElements("c"))
		Expect(found.Text()).To(Equal("graph.onnx: to achieve acceptable accuracy, try running the " +
			"last 1 layer(s) in higher precision\nbisect reverse over 4 layers took 3 steps\n" +
			"in float32: c\nTensorRT flags:\n" +
			"  --precision-constraints obey --layer-precisions c:float32\n"))
		Expect(lines).To(HaveLen(3))
		Expect(lines[1]).To(Equal("2 of 4 layers in float32: passes"))
	})

	It("are found by a command that judges what the engine wrote", func(ctx SpecContext) {
		engine := newLayered()
		judged := 0
		found, err := precision.Layers{Linear: true, Higher: tensor.Float16, File: "net.plan",
			Check: func(_ context.Context, file string) (bool, error) {
				Expect(file).To(Equal("net.plan"))
				judged++
				return judged < 4, nil
			}}.Find(ctx, of(engine))
		Expect(err).NotTo(HaveOccurred())
		Expect(*engine.raised).To(HaveExactElements("float16 to net.plan", "a float16 to net.plan",
			"a float16 to net.plan", "a b float16 to net.plan"))
		Expect(found).To(And(HaveField("Count", 3), HaveField("Layers", 4), HaveField("Found", true)))
	})

	It("are none where no number of them passes", func(ctx SpecContext) {
		found, err := precision.Layers{Rule: within(0.1)}.
			Find(ctx, of(newLayered(), fake.Engine(one(7))))
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Found).To(BeFalse())
		Expect(found.Text()).To(HavePrefix("graph.onnx: could not find a configuration"))
	})

	It("need what judges, and one engine of a kind", func(ctx SpecContext) {
		check := func(context.Context, string) (bool, error) { return false, nil }
		for says, l := range map[string]struct {
			precision.Layers
			engines []backends.Engine
		}{
			"there is nothing to compare the outputs of ": {engines: []backends.Engine{newLayered()}},
			"a judge command needs no reference: pass only one engine": {precision.Layers{Check: check},
				[]backends.Engine{newLayered(), fake.Engine(one(1))}},
			"got 0 engines": {},
			"got 2 engines": {engines: []backends.Engine{newLayered(), newLayered()}},
			"specify the format to round to: precision.FP16 or precision.BF16": {
				engines: []backends.Engine{fake.Engine(one(1))}},
			"a judge command decides what passes, so tolerances have no effect": {
				precision.Layers{Check: check, Tolerances: true},
				[]backends.Engine{newLayered()}},
			"the higher precision must be float32, got float16": {precision.Layers{Higher: tensor.Float16,
				Format: precision.FP16},
				[]backends.Engine{fake.Engine(one(1))}},
		} {
			_, err := l.Find(ctx, of(l.engines...))
			Expect(err).To(MatchError(ContainSubstring(says)))
		}
	})

	Describe("of a model that casts round", func() {
		BeforeEach(func() { ort.Require(GinkgoT()) })

		It("pass with the layers that are found, in both deliveries", func(ctx SpecContext) {
			model, inputs := digits(2)
			subjects := []backends.Subject{{Engine: ort.Engine(), Model: model, Inputs: inputs}}
			fixed, err := repair(ctx, model, inputs, 5e-3)
			Expect(err).NotTo(HaveOccurred())
			nodes, err := model.Nodes()
			Expect(err).NotTo(HaveOccurred())
			count := map[bool]int{}
			for _, linear := range []bool{false, true} {
				for _, reverse := range []bool{false, true} {
					found, err := precision.Layers{Linear: linear, Reverse: reverse,
						Format: precision.FP16, Rule: within(5e-3)}.Find(ctx, subjects)
					Expect(err).NotTo(HaveOccurred())
					var kept []int
					for i, n := range nodes {
						if slices.Contains(found.Names, n.Name) {
							kept = append(kept, i)
						}
					}
					Expect(kept).To(HaveLen(len(found.Names)))
					if found.Found {
						count[reverse] = found.Count
						Expect(fixed.Keeping(ctx, kept...)).To(BeTrue())
						Expect(len(kept)).To(BeNumerically(">=", fixed.Computing))
					}
				}
			}
			Expect(count).NotTo(BeEmpty())
		})

		It("are written for a command as a model with casts", func(ctx SpecContext) {
			model, inputs := digits(1)
			file := filepath.Join(GinkgoT().TempDir(), "candidate.onnx")
			found, err := precision.Layers{Format: precision.FP16, File: file,
				Check: func(_ context.Context, file string) (bool, error) {
					nodes, err := loaders.ONNX(file).Nodes()
					if err != nil {
						return false, err
					}
					first := slices.IndexFunc(nodes, func(n loaders.Node) bool { return n.Name == "conv1" })
					return nodes[first].Inputs[0] != "image", nil // it takes float16
				}}.Find(ctx, []backends.Subject{{Engine: ort.Engine(), Model: model, Inputs: inputs}})
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Names).To(HaveExactElements("conv1"))
		})
	})
})
