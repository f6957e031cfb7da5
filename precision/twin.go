package precision

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

const (
	// leastBits is the minimum number of significant bits of [Twin.Unit]. TF32 and float16 have 11
	// bits and bfloat16 has 8, so they cannot represent the unit.
	leastBits = 13
	// mostSum limits the sums of magnitudes, so that float32 represents every sum exactly. It is 2²⁴,
	// minus a tenth because the engine that measures the sums may itself have low precision.
	mostSum = (1 << 24) * 0.9
)

// pattern returns an odd integer with the given number of bits, about 4/3 of a power of two. Its
// binary digits are 1010…, and the last one is 1. A format with fewer bits, b, changes this number
// by about 2^-(b+1) of its value, so the change reveals b.
func pattern(bits int) float64 { return math.Round(math.Exp2(float64(bits+1)) / 3) }

// mostUnits returns the largest sum that a twin may have, in units ([Twin.Unit]). Up to this limit,
// float32 represents every sum exactly if the unit has [leastBits] significant bits. A unit with
// more bits needs smaller sums; see [unitFor].
func mostUnits() float64 { return math.Floor(mostSum / pattern(leastBits)) }

// unitFor returns the unit of a twin ([Twin.Unit]): every value in the twin is a multiple of it. No
// sum in the twin exceeds largestSum times the unit. Among the units for which float32 represents
// every sum exactly, unitFor chooses a unit with the largest number of significant bits, because
// more bits reveal smaller losses of precision. The unit is above 65504, so that it overflows in
// float16.
func unitFor(largestSum float64) float64 {
	bits := leastBits
	for bits < 24 && pattern(bits+1)*largestSum <= mostSum {
		bits++
	}
	unit := pattern(bits)
	for unit <= 65504 {
		unit *= 2
	}
	return unit
}

// Twin is the integer version of a model, its integer twin: a model with the same nodes but with
// integer weights and inputs. So few weights are nonzero that float32 represents every sum exactly.
// Every engine that accumulates in float32 then returns the same bits, in whatever order it adds.
// No tolerance is needed, and the twin exposes an engine that computes in a lower precision than
// requested.
//
// Every value in the twin is a multiple of one number, the unit. The unit has 13 to 24 significant
// bits, as many as the sums allow, and is above float16's range. Values that an engine rounds to
// fewer bits are no longer multiples of the unit, so a run's outputs reveal how many bits the
// engine keeps. Fast convolutions (Winograd) compute in float32, but add small errors. These
// errors look different from errors of lower precision, and they are accepted.
//
// Nodes that the twin cannot represent, such as an exponential, a division or the multiplication of
// two activations, are removed. Nodes that read their outputs read integer inputs instead.
type Twin struct {
	Model  *loaders.Model
	Inputs fixtures.Inputs
	// Covered lists the operators that Model includes; LeftOut lists those that it omits.
	Covered, LeftOut []Operator
	// Given lists the outputs of omitted nodes, which are inputs of Model.
	Given []string
	// Layers is the number of weight tensors that Model multiplies by. Hidden lists the weight tensors
	// on which no output depends, because so many weights are zero.
	Layers int
	Hidden []string
	// Density is the average number of nonzero weights per output.
	Density float64
	// LargestSum is an upper bound on the magnitude of every sum, in units.
	LargestSum float64
	// Unit is the common divisor of all values in Model. Sum is the largest magnitude among the
	// values, and Bits is the largest number of significant bits that any value needs. An engine
	// that keeps fewer bits must round some values.
	Unit float64
	Sum  float64
	Bits int
}

type maker struct {
	subject backends.Subject
	model   *loaders.Model
	plan    *plan
	sets    []*tensor.Set // the first iteration of the subject's inputs
	seen    *tensor.Set   // outputs of omitted nodes
	cut     *loaders.Model
	inside  []string
	epsilon map[string]float32 // epsilon of a BatchNormalization, by the name of its variance
}

// densities lists average numbers of nonzero weights per output. [TwinOf] tries them in order until
// float32 represents every sum exactly.
var densities = []float64{3, 2, 1.5, 1.25, 1, 0.5, 0.25, 0.125, 0.0625, 0.03}

// TwinOf builds the integer version of a subject's model ([Twin]): a copy with integer weights and
// inputs. So many weights are zero that float32 represents every sum exactly. The inputs have the
// shapes of the subject's first iteration.
//
// TwinOf runs models in the subject's engine, whose results need not be correct. It runs the model
// itself, to find the shapes of inner tensors. It runs the twin with positive values and fewer and
// fewer nonzero weights, until float32 represents the largest sum exactly. It then runs the twin
// once per layer, to find the layers that affect the outputs.
//
// Errors: a subject that cannot be run again or is not ONNX; floating-point inputs other than
// float32; a model in which the twin would omit every node, or whose sums remain too large.
func TwinOf(ctx context.Context, subject backends.Subject) (t *Twin, err error) {
	defer prefix("twin", &err)
	if err := subject.Repeatable(); err != nil {
		return nil, err
	}
	model, err := backends.ONNX("the twin", subject.Model)
	if err != nil {
		return nil, err
	}
	m := &maker{subject: subject, model: model, epsilon: map[string]float32{}}
	if m.sets, err = subject.Draw(); err != nil {
		return nil, err
	}
	ctx = guesses.Context(ctx, subject.Inputs.Notes())
	if err := m.cover(ctx); err != nil {
		return nil, err
	}
	t = &Twin{Covered: m.plan.counts(true), LeftOut: m.plan.counts(false), Given: m.plan.given()}
	for _, density := range densities {
		d := draw{seed: 1, density: density, unit: 1, bound: true}
		if t.LargestSum, _, err = m.sums(ctx, d); err != nil {
			return nil, err
		}
		if t.Density = density; t.LargestSum <= mostUnits() {
			break
		}
	}
	if !(t.LargestSum <= mostUnits()) {
		return nil, fmt.Errorf("cannot build an exact integer version of the model: even with %g "+
			"nonzero weights per output, sums reach %.0f, but float32 holds integers only up to %.0f; cut "+
			"the model into parts", t.Density, t.LargestSum, mostUnits())
	}
	d := draw{seed: 1, density: t.Density, unit: 1}
	t.Unit = unitFor(t.LargestSum)
	most, values, err := m.sums(ctx, d)
	if err != nil {
		return nil, err
	}
	t.Sum = most * t.Unit
	for v := range values {
		t.Bits = max(t.Bits, significant(v*t.Unit))
	}
	d.unit = t.Unit
	if t.Model, err = m.weighed(m.cut, d); err != nil {
		return nil, err
	}
	set, err := m.inputs(d)
	if err != nil {
		return nil, err
	}
	t.Inputs = fixtures.Of(set)
	if err := m.hide(ctx, t); err != nil {
		return nil, err
	}
	if len(t.Hidden) == t.Layers {
		return nil, fmt.Errorf("a copy of the model with integer weights would check nothing: none of "+
			"its %d layers affects an output", t.Layers)
	}
	return t, nil
}

// unweighted returns the error for a model without nodes that multiply by float32 weights.
func (m *maker) unweighted() error {
	hint := ""
	if m.plan.foldable {
		hint = "; first fold constants: modelparity surgeon sanitize MODEL --fold-constants -o FOLDED"
	}
	return fmt.Errorf("cannot build an exact integer version of the model: no MatMul, Conv, "+
		"ConvTranspose or Gemm with alpha and beta 1 has float32 weights; dequantised weights, bodies "+
		"of If, Loop and Scan, and functions do not count%s%s", hint, m.model.File().Unread())
}

// cover decides which nodes the integer version of the model includes ([plan]). It sets m.cut to a
// model of only these nodes.
func (m *maker) cover(ctx context.Context) (err error) {
	unseen := func(name string) bool {
		_, ok := m.seen.Get(name)
		return !ok
	}
	for { // where a type becomes known, other nodes may be omitted
		if m.plan, err = newPlan(m.model, m.seen); err != nil {
			return err
		}
		if !slices.ContainsFunc(m.plan.order, func(name string) bool {
			return m.plan.usages[name].what == sparse
		}) {
			return m.unweighted()
		}
		given := m.plan.given()
		if !slices.ContainsFunc(given, unseen) {
			break
		}
		for _, name := range m.seen.Names() {
			if !slices.Contains(given, name) {
				given = append(given, name)
			}
		}
		marked, err := m.model.Mark(given...)
		if err != nil {
			return err
		}
		run, err := backends.RunIn(ctx, m.subject.Engine, marked, fixtures.Of(m.sets[0]))
		if err != nil {
			return fmt.Errorf("finding the shapes of inner tensors: %w", err)
		}
		m.seen = run.Outputs()[0]
		if at := slices.IndexFunc(given, unseen); at >= 0 {
			return fmt.Errorf("the engine did not return %q", given[at])
		}
	}
	outputs, err := m.model.Outputs()
	if err != nil {
		return err
	}
	var wanted []string
	wanted, m.inside = m.plan.wanted(outputs)
	if len(wanted) == 0 {
		return m.unweighted()
	}
	for i := range m.plan.nodes {
		n := &m.plan.nodes[i]
		if n.Op != "BatchNormalization" || !m.plan.covered[i] {
			continue
		}
		m.epsilon[m.plan.roots[n.Inputs[4]]] = float32(n.Number("epsilon", 1e-5))
	}
	var from, to []loaders.Value
	for _, name := range m.plan.given() {
		t, _ := m.seen.Get(name)
		v := loaders.Value{Name: name, Kind: loaders.Tensor, Type: t.ElementType(), HasShape: true}
		for _, d := range t.Shape() {
			v.Dims = append(v.Dims, loaders.Dim{Size: d})
		}
		from = append(from, v)
	}
	for _, name := range wanted {
		to = append(to, loaders.Value{Name: name, Kind: loaders.Tensor, Type: tensor.Float32})
	}
	if m.cut, err = m.model.Cut(from, to); err != nil {
		return err
	}
	nodes, err := m.cut.Nodes()
	if err != nil {
		return err
	}
	left := computed(nodes) // the cut removed nodes that no output depends on
	m.inside = slices.DeleteFunc(m.inside, func(name string) bool {
		_, ok := left[name]
		return !ok
	})
	return nil
}

// Run runs t.Model on t.Inputs in an engine.
func (t *Twin) Run(ctx context.Context, engine backends.Engine) (*backends.Run, error) {
	return backends.RunIn(ctx, engine, t.Model, t.Inputs)
}

// Text describes which operators t.Model includes and omits, and what a run can reveal.
func (t *Twin) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the integer version of the model contains these nodes: %s\n", listed(t.Covered))
	if len(t.LeftOut) > 0 {
		fmt.Fprintf(&b, "it omits %s\n", listed(t.LeftOut))
	}
	fmt.Fprintf(&b, "all values are multiples of %.0f (the unit), and the largest is %.0f; no sum "+
		"exceeds %.0f times the unit; each output of a layer has %g nonzero weights on average\n",
		t.Unit, t.Sum, t.LargestSum, t.Density)
	fmt.Fprintf(&b, "the values use %d of float32's 24 significant bits, enough to reveal an "+
		"engine that keeps fewer bits\n", t.Bits)
	fmt.Fprintf(&b, "%d of %d layers affect the outputs", t.Layers-len(t.Hidden), t.Layers)
	if len(t.Hidden) > 0 {
		fmt.Fprintf(&b, "; hidden: %s", strings.Join(t.Hidden, ", "))
	}
	b.WriteString("\n")
	return b.String()
}

func listed(operators []Operator) string {
	var words []string
	for _, o := range operators {
		words = append(words, fmt.Sprintf("%d %s", o.Nodes, o.Name))
	}
	return strings.Join(words, ", ")
}
