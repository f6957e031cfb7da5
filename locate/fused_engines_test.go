package locate_test

import (
	"context"
	"errors"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A difference in any engine's fused graph", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	DescribeTable("is searched in any optimiser that names its passes",
		func(ctx SpecContext, o optimiser, want []string, note string) {
			actual, expected := side("actual", network(4)), side("expected", network(4))
			actual.Engine = optimising{of: &o}
			found, err := locate.Divergence(ctx, actual, expected, absolute(1e-3))
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Verdict).To(Equal(compare.Fail))
			if note != "" {
				Expect(found.Notes).To(ContainElement(And(ContainSubstring(note),
					HavePrefix("the fused graph was not searched: "))))
				return
			}
			Expect(found.Fused.Passes).To(Equal(want), found.Text())
		},
		Entry("one of many", optimiser{names: strings.Split("ABCDEFGHIJ", ""), wrong: "D"},
			[]string{"D"}, ""),
		Entry("two that are both wrong", optimiser{names: []string{"A", "B", "C", "D"}, wrong: "AD"},
			[]string{"A", "D"}, ""),
		Entry("the later one, if the earlier one prepares it",
			optimiser{names: []string{"A", "B", "C"}, wrong: "C", needs: "A"}, []string{"C"}, ""),
		Entry("one that only takes the place of another",
			optimiser{names: []string{"A", "B"}, instead: "Z", wrong: "BZ"}, []string{"B", "Z"}, ""),
		Entry("one that cannot be left out",
			optimiser{names: []string{"A", "B"}, stubborn: "B", wrong: "B"}, nil, "ran B"),
		Entry("an optimiser that fails", optimiser{names: []string{"A"}, wrong: "A", fails: true}, nil,
			"no memory"),
	)

	It("is not searched by tensors that exceed the memory limit", func(ctx SpecContext) {
		actual, expected := side("actual", network(4)), side("expected", network(4))
		actual.Engine = fusing([][]string{{"m2"}}, new(int))
		o := absolute(1e-3)
		o.Memory = 1024
		found, err := locate.Divergence(ctx, actual, expected, o)
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Fused).To(BeNil())
		Expect(found.Notes).To(ContainElement(
			HavePrefix("the search could not prevent fusion by marking tensors as outputs")))
	})

	DescribeTable("is healed by the fewest marks in an engine that names no passes",
		func(ctx SpecContext, layers int, want []string, fusions ...[]string) {
			actual, expected := side("actual", network(layers)), side("expected", network(layers))
			opened := 0
			actual.Engine = fusing(fusions, &opened)
			found, err := locate.Divergence(ctx, actual, expected, absolute(1e-3))
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Verdict).To(Equal(compare.Fail))
			Expect(found.Fused).NotTo(BeNil(), found.Text())
			Expect(found.Fused.Fences).To(Equal(want))
			Expect(found.Fused.Passes).To(BeEmpty())
			Expect(found.Cause).To(MatchRegexp("with .*%q as additional outputs of", want[len(want)-1]))
			Expect(found.Fused.Sessions).To(BeNumerically("<", 3*layers-1), "one by one")
			turned, err := locate.Divergence(ctx, expected, actual, absolute(1e-3))
			Expect(err).NotTo(HaveOccurred())
			Expect(turned.Fused).NotTo(BeNil(), turned.Text())
			Expect(turned.Fused.Side).To(Equal("expected"))
			Expect(turned.Fused.Fences).To(Equal(want))
			opened = 0
			fenced, err := locate.Fence(ctx, actual, expected, absolute(1e-3))
			Expect(err).NotTo(HaveOccurred())
			Expect(fenced.Fences).To(Equal(want))
			// Once unmarked, and once to learn the types of the fences.
			Expect(opened).To(Equal(fenced.Sessions + 2))
		},
		Entry("the first two nodes", 10, []string{"m0"}, []string{"m0"}),
		Entry("the last two", 10, []string{"a9"}, []string{"a9"}),
		Entry("three nodes", 10, []string{"m4"}, []string{"m4", "a4"}),
		Entry("two layers", 12, []string{"m6"}, []string{"m6", "a6", "t6", "m7", "a7"}),
		Entry("a node in 60", 20, []string{"t13"}, []string{"t13"}),
		Entry("nodes in 150", 50, []string{"a31"}, []string{"a31", "t31", "m32"}),
		Entry("two places", 20, []string{"m2", "t17"}, []string{"m2"}, []string{"t17", "m18"}),
		Entry("neighbours", 20, []string{"m9", "a9"}, []string{"m9"}, []string{"a9"}),
		Entry("three places", 40, []string{"a1", "m20", "t38"}, []string{"a1"}, []string{"m20", "a20"},
			[]string{"t38"}),
		Entry("places that share a tensor", 20, []string{"a6"}, []string{"m6", "a6"},
			[]string{"a6", "t6"}),
	)
})

var _ = Describe("A batch of marked tensors", func() {
	It("also marks the tensors that its nodes read, so that no engine fuses across its beginning",
		func(ctx SpecContext) {
			ort.Require(GinkgoT())
			faulty := network(6)
			faulty.Nodes[10].Op = "Sub"
			// The third batch begins with t1. Fused with the node before, t1 has other values.
			actual := by(side("actual", faulty), func(ctx context.Context, m *loaders.Model,
				in fixtures.Inputs) (backends.Backend, error) {
				run, err := backends.RunIn(ctx, plain, m, in)
				if err != nil {
					return nil, err
				}
				outputs := run.Outputs()[0]
				options := []fake.Option{fake.Func(
					func(context.Context, *tensor.Set) (*tensor.Set, error) { return outputs, nil })}
				inputs, err := m.Inputs()
				_, marked := outputs.Get("t1")
				if _, both := outputs.Get("a1"); marked && !both && len(inputs) == 1 {
					options = append(options, fake.Set("t1", 0, 100))
				}
				return fake.New(options...), err
			})
			found, err := locate.Divergence(ctx, actual, side("expected", network(6)), strict())
			Expect(err).NotTo(HaveOccurred())
			Expect(found.First.Tensor).To(Equal("a3"), found.Text())
			Expect(found.Isolated.Tensor).To(Equal("a3"), found.Text())
		})
})

// fusing returns an engine whose first output value is wrong if it may fuse one of the sets of
// tensors: if the model computes all of them, and none is an output. It counts what it opens.
func fusing(fusions [][]string, opened *int) backends.Engine {
	return fake.Engine(fake.Opens(func(ctx context.Context, declared fixtures.Declaration,
		in fixtures.Inputs) (backends.Backend, error) {
		*opened++
		m := declared.(*loaders.Model)
		nodes, err := m.Nodes()
		if err != nil {
			return nil, err
		}
		outputs, err := m.Outputs()
		if err != nil {
			return nil, err
		}
		inner := map[string]bool{}
		for _, n := range nodes {
			inner[n.Outputs[0]] = true
		}
		for _, v := range outputs {
			inner[v.Name] = false
		}
		options := []fake.Option{fake.Func(func(ctx context.Context, in *tensor.Set) (*tensor.Set,
			error) {
			run, err := backends.RunIn(ctx, plain, m, fixtures.Of(in))
			if err != nil {
				return nil, err
			}
			return run.Outputs()[0], nil
		})}
		for _, f := range fusions {
			if !slices.ContainsFunc(f, func(name string) bool { return !inner[name] }) {
				options = append(options, fake.Set(outputs[0].Name, 0, 100))
			}
		}
		return fake.New(options...), nil
	}))
}

// optimiser is an optimiser with passes that have one letter each.
type optimiser struct {
	names    []string
	wrong    string // the outputs are wrong if any of these runs
	needs    string // without this pass none of wrong has an effect
	instead  string // runs only if the second pass is left out
	stubborn string // is listed even if it is left out
	fails    bool
}

// optimising is an engine with an optimiser, some of whose passes are left out.
type optimising struct {
	of   *optimiser
	left string
}

func (e optimising) Text() string     { return "optimising " + e.left }
func (e optimising) String() string   { return e.Text() }
func (e optimising) GoString() string { return "optimising.Engine()" }

// runs lists the passes that run.
func (e optimising) runs() (names []string) {
	all := slices.Clone(e.of.names)
	if e.of.instead != "" && strings.Contains(e.left, e.of.names[1]) {
		all = append(all, e.of.instead)
	}
	return slices.DeleteFunc(all, func(name string) bool { return strings.Contains(e.left, name) })
}

func (e optimising) Open(ctx context.Context, m fixtures.Declaration, in fixtures.Inputs) (
	backends.Backend, error) {
	nodes, err := m.(*loaders.Model).Nodes()
	if err != nil {
		return nil, err
	}
	outputs, err := m.(*loaders.Model).Outputs()
	if err != nil {
		return nil, err
	}
	wrong := len(nodes) > 1 && len(outputs) == 1 && slices.ContainsFunc(e.runs(),
		func(name string) bool { return strings.Contains(e.of.wrong, name) }) &&
		(e.of.needs == "" || !strings.Contains(e.left, e.of.needs))
	if wrong {
		return fusing([][]string{nil}, new(int)).Open(ctx, m, in)
	}
	return plain.Open(ctx, m, in)
}

func (e optimising) Capabilities() backends.Capabilities {
	return backends.Capabilities{
		Neighborly: func() bool { return true },
		Passes: func(_ context.Context, m *loaders.Model) ([]string, *loaders.Model, error) {
			if e.of.fails {
				return nil, nil, errors.New("no memory")
			}
			names := e.runs()
			if e.of.stubborn != "" && strings.Contains(e.left, e.of.stubborn) {
				names = append(names, e.of.stubborn)
			}
			return names, m, nil
		},
		WithoutPasses: func(names []string) backends.Engine {
			return optimising{e.of, e.left + strings.Join(names, "")}
		},
	}
}
