package decisions_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

// For all shapes, values and settings, an equal run never fails, and the order of rows does not
// matter. A run never passes if it decides nothing, has a NaN or decides the opposite. Runs that
// cannot be judged are an error.

// duel is a rule with an expected run.
type duel struct {
	rule     decisions.Rule
	expected []*tensor.Set
	wrong    []*tensor.Set // decides otherwise throughout, or nil
	dead     []float64     // the constants that decide nothing
	axis     int           // rows lie along this axis of each output, or -1
	apart    bool          // the two sides may have different orders of rows
	labels   func(order []int) decisions.Rule
}

// duels maps each rule to a function that draws a duel.
var duels = map[string]func(r *rand.Rand) duel{
	"TopK": ofScores(func(r *rand.Rand, _ *tensor.Tensor) decisions.Rule {
		return decisions.TopK{K: 1 + r.IntN(3), Margin: margin(r), Flips: of(r, 0, 0, 0.3, 0.9)}
	}),
	"Ranking": ofScores(func(r *rand.Rand, _ *tensor.Tensor) decisions.Rule {
		rule := decisions.Ranking{Margin: margin(r)}
		if r.IntN(2) == 0 {
			rule.K, rule.Tau = r.IntN(4), of(r, 0, 0.001, 0.9, 1)
		}
		if rule.K > 0 {
			rule.Overlap, rule.NDCG = of(r, 0, 0, 1.), of(r, 0, 0.01, 0.7, 1)
		}
		return rule
	}),
	"Embeddings": func(r *rand.Rand) duel {
		d := ofScores(func(r *rand.Rand, _ *tensor.Tensor) decisions.Rule {
			rule := decisions.Embeddings{Cosine: of(r, -0.99999, 0, 0.9, 1), K: r.IntN(3)}
			if rule.K > 0 {
				rule.Neighbours, rule.Margin = of(r, 0.01, 0.5, 1), of(r, 0, 0, 0.1, 3)
			}
			return rule
		})(r)
		d.wrong = nil
		if y, _ := d.expected[0].Get("y"); y.ElementType() == tensor.Float64 {
			d.wrong = each(d.expected, func(t *tensor.Tensor) *tensor.Tensor {
				opposite := t.Float64s()
				for i := range opposite {
					opposite[i] *= -1
				}
				return shaped(t.Shape(), opposite...)
			})
		}
		return d
	},
	"Mask": drawMask, "Tokens": drawTokens, "Logits": drawLogits, "Text": drawText,
	"Detections": func(r *rand.Rand) duel {
		return drawDetections(r, decisions.Detections{Layout: boxes, Score: of(r, 0, 0.5),
			IoU: of(r, 0, 0.5, 1), MaxDetections: r.IntN(3), Margin: of(r, 0, 0, 0.2, 9),
			ScoreChange: of(r, 0, 0.1), BoxChange: of(r, 0, 1.), Flips: of(r, 0, 0, 0.3, 0.9)})
	},
	"AccuracyLoss": drawAccuracyLoss, "AveragePrecisionLoss": drawPrecisionLoss,
}

func margin(r *rand.Rand) float64 { return of(r, 0, 0, 0, 0.5, 2, 1e9) }

// each changes every tensor.
func each(sets []*tensor.Set, change func(*tensor.Tensor) *tensor.Tensor) (changed []*tensor.Set) {
	for _, side := range sets {
		var entries []any
		for name, t := range side.All() {
			entries = append(entries, name, change(t))
		}
		changed = append(changed, set(entries...))
	}
	return changed
}

// ofScores draws rows of scores in one or two iterations.
func ofScores(rule func(*rand.Rand, *tensor.Tensor) decisions.Rule) func(*rand.Rand) duel {
	return func(r *rand.Rand) duel {
		shape := of(r, tensor.Shape{1}, tensor.Shape{2}, tensor.Shape{3}, tensor.Shape{1, 1},
			tensor.Shape{1, 3}, tensor.Shape{2, 1}, tensor.Shape{3, 4}, tensor.Shape{2, 2, 3},
			tensor.Shape{5, 2}, tensor.Shape{1, 7}, tensor.Shape{0}, tensor.Shape{0, 3}, tensor.Shape{12, 5})
		elem := of(r, elements...)
		var expected []*tensor.Set
		for range 1 + r.IntN(2) {
			expected = append(expected, set("y", drawn(r, elem, shape)))
		}
		d := duel{expected: expected, dead: []float64{0, 1, math.NaN()}, axis: -1}
		y, _ := expected[0].Get("y")
		if d.rule = rule(r, y); len(shape) > 1 {
			d.axis = 0
		}
		if y.Len() > 0 {
			d.wrong = each(expected, reversed)
		}
		return d
	}
}

// outcome is "pass", "fail" or "error".
func outcome(rule decisions.Rule, actual, expected []*tensor.Set) string {
	f, err := decisions.Judge(rule, actual, expected)
	switch {
	case err != nil:
		Expect(errors.As(err, new(*compare.Powerless)) ||
			strings.HasPrefix(err.Error(), "decisions: ")).To(BeTrue(), err.Error())
		return "error"
	case f.Pass:
		return "pass"
	}
	Expect(f.Reason).NotTo(BeEmpty())
	return "fail"
}

var _ = Describe("The power of a decision", func() {
	for name, draw := range duels {
		It("is proven by every pass: "+name, func() {
			seed := uint64(0)
			for _, letter := range name {
				seed = seed*31 + uint64(letter)
			}
			other, _ := strconv.ParseUint(os.Getenv("MODELPARITY_DRAW"), 10, 64) // see make attack
			r, cases, passes := rand.New(rand.NewPCG(seed, 34+other)), 3000, 0
			if name == "AveragePrecisionLoss" {
				cases = 25 // each draws thousands of sets of images
			}
			for i := range cases {
				d := draw(r)
				about := func() string {
					text := ""
					for _, side := range d.expected {
						for name, t := range side.All() {
							text += name + " " + t.String() + "\n"
						}
					}
					return strings.Join([]string{decisions.TextOf(d.rule), text}, "\n")
				}
				itself := outcome(d.rule, d.expected, d.expected)
				Expect(itself).NotTo(Equal("fail"), "case %d: a run and itself: %s", i, about())
				if itself == "pass" {
					passes++
				}
				runs := constants(d.expected, d.dead...)
				if bad := poisoned(r, d.expected); bad != nil && !d.apart { // detectors have padding
					runs = append(runs, bad)
				}
				for _, run := range runs {
					Expect(outcome(d.rule, run, d.expected)).NotTo(Equal("pass"), "case %d: %s\n%v", i,
						about(), run)
				}
				if d.wrong == nil {
					continue
				}
				Expect(outcome(d.rule, d.wrong, d.expected)).NotTo(Equal("pass"),
					"case %d: the opposite: %s", i, about())
				if d.axis >= 0 {
					d.reorder(r, i, about)
				}
			}
			Expect(passes).To(BeNumerically(">", cases/10))
		})
	}

	It("is stated by every rule of the package", func() {
		var rules []string
		walk(func(file string, n ast.Node) {
			if f, ok := n.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "judge" {
				rules = append(rules, f.Recv.List[0].Type.(*ast.Ident).Name)
			}
			if s, ok := n.(*ast.SelectorExpr); ok && file != "numbers.go" {
				Expect(s.Sel.Name).NotTo(HavePrefix("Float64"), "%s reads numbers that may be rounded", file)
			}
		})
		var drawn []string
		r := rand.New(rand.NewPCG(1, 2))
		for name, draw := range duels {
			Expect(reflect.TypeOf(draw(r).rule).Name()).To(Equal(name))
			drawn = append(drawn, name)
		}
		Expect(drawn).To(ConsistOf(rules))
	})

	DescribeTable("is missing if a rule does not state it", func(rule decisions.Silent) {
		y := tensor.Of(1., 2)
		var powerless *compare.Powerless
		Expect(errors.As(refused(rule, y, y), &powerless)).To(BeTrue())
		Expect(powerless.Rule).To(Equal("silence"))
	},
		Entry("nothing", decisions.Silent{}),
		Entry("decisions", decisions.Silent{Unit: "rows"}),
		Entry("decisions, some of which may flip", decisions.Silent{Unit: "rows", Allowed: 0.5}),
		Entry("limits", decisions.Silent{Allowed: math.Inf(1)}),
		Entry("a limit that everything meets", decisions.Silent{Allowed: math.Inf(1), Limited: true}),
	)
})

// reorder changes the order of rows on both sides.
func (d duel) reorder(r *rand.Rand, i int, about func() string) {
	actual := of(r, d.expected, d.wrong)
	y, _ := d.expected[0].Get("y")
	if y == nil {
		y, _ = d.expected[0].Get("logits")
	}
	order := r.Perm(y.Shape()[d.axis])
	other := order
	if d.apart {
		other = r.Perm(len(order))
	}
	move := func(order []int) func(*tensor.Tensor) *tensor.Tensor {
		return func(t *tensor.Tensor) *tensor.Tensor { return permuted(t, d.axis, order) }
	}
	rule := d.rule
	if d.labels != nil {
		rule = d.labels(order)
	}
	Expect(outcome(rule, each(actual, move(other)), each(d.expected, move(order)))).To(
		Equal(outcome(d.rule, actual, d.expected)), "case %d: %s", i, about())
}

// walk visits the nodes of the package's files without tests.
func walk(visit func(file string, n ast.Node)) {
	files, err := filepath.Glob("*.go")
	Expect(err).NotTo(HaveOccurred())
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		Expect(err).NotTo(HaveOccurred())
		ast.Inspect(parsed, func(n ast.Node) bool {
			visit(file, n)
			return true
		})
	}
}
