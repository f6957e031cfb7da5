package locate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/bound"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// bodies contains the body of an If, Loop or Scan node, and the body of the node's counterpart on
// the other side.
type bodies struct {
	op, attribute    string
	rule             compare.Options
	actual, expected *body
	trips            int              // the most iterations of a Loop or Scan; 1 for an If
	states           []*tensor.Tensor // the expected side's; each iteration passes them to the next
	scanned          []scanned
	begins           string // how the node's own constants differ, after "; "; "" if they do not
}

// scanned says how a Scan slices one of its inputs.
type scanned struct {
	values *tensor.Tensor
	axis   int
	back   bool // whether it begins with the last slice
}

// body is the body of an If, Loop or Scan node on one side, turned into a model.
type body struct {
	of       *side
	node     int
	model    *loaders.Model
	formal   []string                  // its own inputs
	results  []string                  // its outputs
	captured map[string]*tensor.Tensor // tensors that it reads from the surrounding graph
	types    []tensor.ElementType      // of the states and slices
	backend  backends.Backend
	worst    *tensor.Set // its inputs in the iteration whose results differ most
}

// newBodies reads the body of the If, Loop or Scan node that computes p's tensor, and the body of
// the node's counterpart on the expected side. It also reads the expected side's values of the
// tensors that the bodies use.
func newBodies(ctx context.Context, w *runner, j *judged, p *Point) (*bodies, error) {
	actual := &j.pairs.nodes[p.Index]
	nodes := w.expected.nodes
	at := slices.IndexFunc(nodes, func(n loaders.Node) bool {
		return slices.Contains(n.Outputs, j.pairs.called(p.Tensor))
	})
	if at < 0 || nodes[at].Op != p.Op || len(nodes[at].Inputs) != len(actual.Inputs) {
		return nil, errors.New("the expected side has no matching node")
	}
	expected := &nodes[at]
	r := newRecalled("", slices.Concat(expected.Inputs, expected.Captured))
	for _, name := range actual.Captured {
		if _, paired := j.pairs.row[name]; paired {
			r.inputs = append(r.inputs, j.pairs.called(name))
		}
	}
	for _, name := range r.inputs {
		if j.pairs.views.expected.quantization(name) != nil {
			return nil, fmt.Errorf("its input %q is quantized", name)
		}
	}
	if err := r.read(ctx, w, w.expected, j.pairs.views.expected); err != nil {
		return nil, err
	}
	if r.unknown != "" {
		return nil, errors.New(r.unknown)
	}
	b := &bodies{op: p.Op, attribute: "body", rule: inside(j.rule), trips: 1}
	b.rule.AnyElementType = true
	if err := b.begin(w.expected.model, expected, func(i int) *tensor.Tensor {
		return r.in(expected.Inputs[i], p.Iteration)
	}); err != nil {
		return nil, err
	}
	var err error
	if b.actual, err = newBody(w.actual, actual, b.attribute); err != nil {
		return nil, err
	}
	if b.expected, err = newBody(w.expected, expected, b.attribute); err != nil {
		return nil, err
	}
	for name := range b.expected.captured {
		b.expected.captured[name] = r.in(name, p.Iteration)
	}
	for name := range b.actual.captured {
		t := r.in(j.pairs.called(name), p.Iteration)
		row, paired := j.pairs.row[name]
		switch {
		case w.fed[name]:
			t, _ = w.actual.sets[p.Iteration].Get(name)
		case t == nil:
			return nil, fmt.Errorf("its input %q has no counterpart", name)
		case paired:
			list, err := j.pairs.taken(name, []*tensor.Tensor{t}, j.tensors[row].Type)
			if err != nil {
				return nil, err
			}
			t = list[0]
		}
		b.actual.captured[name] = t
	}
	constants, err := w.actual.literals(view{})
	if err != nil {
		return nil, err
	}
	for i, name := range actual.Inputs {
		a, e := constants.read(name), r.in(expected.Inputs[i], p.Iteration)
		if a == nil || e == nil || a.ElementType() != e.ElementType() || a.Identical(e) {
			continue
		}
		if b.begins = fmt.Sprintf("; the %s's input %q differs", p.Op, name); p.Op == "Loop" && i == 0 {
			b.begins = fmt.Sprintf("; the Loop's trip count is %v, expected %v", a.Float64At(0),
				e.Float64At(0))
		}
		break
	}
	for i, name := range actual.Inputs {
		elem := tensor.Bool // also for an omitted input, which has no type
		if row, paired := j.pairs.row[name]; paired {
			elem = j.tensors[row].Type
		} else if t := r.in(expected.Inputs[i], p.Iteration); t != nil {
			elem = t.ElementType()
		}
		b.actual.types = append(b.actual.types, elem)
	}
	return b, nil
}

// begin determines the number of iterations and the operands of the first iteration. It takes them
// from the node and the node's inputs.
func (b *bodies) begin(model *loaders.Model, n *loaders.Node,
	input func(int) *tensor.Tensor) error {
	operands := make([]*tensor.Tensor, len(n.Inputs))
	for i := range operands {
		operands[i] = input(i)
	}
	switch b.op {
	case "If":
		b.attribute = "else_branch"
		if operands[0].Bytes()[0] != 0 {
			b.attribute = "then_branch"
		}
		return nil
	case "Loop":
		b.trips = math.MaxInt
		if t := operands[0]; t != nil {
			b.trips = int(t.Float64At(0))
		}
		if len(operands) > 1 && operands[1] != nil && operands[1].Bytes()[0] == 0 {
			b.trips = 0
		}
		b.states = operands[min(2, len(operands)):]
		return nil
	}
	node, err := bound.Read(model, n.Index)
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(node.Attributes["num_scan_inputs"])
	if err != nil || count < 1 || count > len(operands) {
		return fmt.Errorf("its num_scan_inputs is %q", node.Attributes["num_scan_inputs"])
	}
	axes, wrong := node.Attributes.Integers("scan_input_axes")
	backward, err := node.Attributes.Integers("scan_input_directions")
	if err = cmp.Or(wrong, err); err != nil {
		return err
	}
	axes = append(axes, make([]int, max(0, count-len(axes)))...)
	backward = append(backward, make([]int, max(0, count-len(backward)))...)
	b.states = operands[:len(operands)-count]
	for i, t := range operands[len(operands)-count:] {
		if axes[i] < 0 {
			axes[i] += len(t.Shape())
		}
		if axes[i] < 0 || axes[i] >= len(t.Shape()) {
			return fmt.Errorf("the node's input %d has no axis %d", len(b.states)+i, axes[i])
		}
		b.scanned = append(b.scanned, scanned{t, axes[i], backward[i] != 0})
		b.trips = t.Shape()[axes[i]]
	}
	return nil
}

func newBody(s *side, n *loaders.Node, attribute string) (*body, error) {
	model, err := s.model.Body(n.Index, attribute)
	if err != nil {
		return nil, err
	}
	inputs, wrong := model.Inputs()
	outputs, err := model.Outputs()
	b := &body{of: s, node: n.Index, model: model, results: loaders.Names(outputs),
		captured: map[string]*tensor.Tensor{}}
	for _, v := range inputs {
		if slices.Contains(n.Captured, v.Name) {
			b.captured[v.Name] = nil
		} else {
			b.formal = append(b.formal, v.Name)
		}
	}
	return b, cmp.Or(wrong, err)
}

// run runs both bodies on the expected side's values, iteration by iteration. It keeps the inputs
// of the iteration in which the results differ most. It returns text that names this iteration, or
// the branch of an If.
func (b *bodies) run(ctx context.Context) (place string, err error) {
	var most measured
	k, worst := 0, 0
	for next := true; next && k < b.trips; k++ {
		given, err := b.operands(k)
		if err != nil {
			return "", err
		}
		theirs, expected, err := b.expected.run(ctx, b.op, b.attribute, given)
		if err != nil {
			return "", err
		}
		own, actual, err := b.actual.run(ctx, b.op, b.attribute, given)
		if err != nil {
			return "", err
		}
		if len(actual) != len(expected) || len(expected) < max(len(b.states), 1) ||
			b.op == "Loop" && len(expected) == len(b.states) {
			return "", errors.New("the node's body has more outputs in one model than in the other")
		}
		for i := range expected {
			m, err := measureOne(b.rule, actual[i], expected[i])
			if err != nil {
				return "", err
			}
			if k == 0 && i == 0 || m.worse(most) {
				most, worst = m, k
				b.actual.worst, b.expected.worst = own, theirs
			}
		}
		if b.op == "Loop" {
			next, expected = expected[0].Bytes()[0] != 0, expected[1:]
		}
		b.states = expected[:len(b.states)]
	}
	if k == 0 {
		return "", errors.New("the node's body never runs with these inputs")
	}
	if b.op == "If" {
		return b.attribute, nil
	}
	return fmt.Sprintf("body, in iteration %d (counted from 0 to %d)", worst, k-1), nil
}

// operands returns the expected side's values for the body's own inputs in iteration k.
func (b *bodies) operands(k int) ([]*tensor.Tensor, error) {
	switch b.op {
	case "If":
		return nil, nil
	case "Loop":
		return append([]*tensor.Tensor{tensor.Scalar(int64(k)), tensor.Scalar(true)}, b.states...), nil
	}
	list := slices.Clone(b.states)
	for _, s := range b.scanned {
		at := k
		if s.back {
			at = b.trips - 1 - k
		}
		t, err := rows.One(s.values, s.axis, at)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// run runs the body on the given values of its own inputs. It returns all inputs of the body,
// including those captured from the surrounding graph, and the results.
func (b *body) run(ctx context.Context, op, attribute string, operands []*tensor.Tensor) (
	*tensor.Set, []*tensor.Tensor, error) {
	if len(operands) != len(b.formal) {
		return nil, nil, fmt.Errorf("its body has %d inputs, expected %d", len(b.formal), len(operands))
	}
	inputs := maps.Clone(b.captured)
	for i, t := range operands {
		if b.types != nil && !(op == "Loop" && i < 2) {
			var err error
			if t, err = sets.Converted(t, b.types[i]); err != nil {
				return nil, nil, err
			}
		}
		inputs[b.formal[i]] = t
	}
	set, err := sets.With(new(tensor.Set), inputs)
	if err != nil {
		return nil, nil, err
	}
	if b.backend == nil {
		if err := b.open(ctx, op, attribute, set); err != nil {
			return nil, nil, err
		}
	}
	run, err := b.backend.Run(ctx, fixtures.Of(set))
	if err != nil {
		return nil, nil, err
	}
	results := make([]*tensor.Tensor, len(b.results))
	for i, name := range b.results {
		computed := false
		if results[i], computed = run.Outputs()[0].Get(name); !computed {
			return nil, nil, fmt.Errorf("output %q of the node's body is not a tensor", name)
		}
	}
	return set, results, nil
}

// open opens the body. It declares the inputs with their types and shapes in the first iteration.
// It leaves the sizes of a Loop's states undeclared, because they may change in later iterations.
func (b *body) open(ctx context.Context, op, attribute string, set *tensor.Set) error {
	var inputs []loaders.Value
	for name, t := range set.All() {
		v := declared(name, []*tensor.Tensor{t})
		if op == "Loop" && slices.Contains(b.formal, name) {
			v = ranked(v, []*tensor.Tensor{t})
		}
		inputs = append(inputs, v)
	}
	model, err := b.of.model.Body(b.node, attribute, inputs...)
	if err != nil {
		return err
	}
	b.model = model
	b.backend, err = b.of.parts.Open(passing.Context(ctx), model, fixtures.Of(set))
	return err
}

func (b *body) close() {
	if b.backend != nil {
		b.backend.Close()
	}
}

// side returns a side that consists of the body alone, so that a search can run the body on the
// inputs of its worst iteration.
func (b *body) side(ctx context.Context, label string) (*side, error) {
	return newSide(ctx, label, backends.Subject{Engine: b.of.Engine, Model: b.model},
		[]*tensor.Set{b.worst})
}
