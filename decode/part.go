package decode

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// Parting describes the first difference between two runs of decoders or streams.
type Parting struct {
	Iteration int    `json:"iteration"`
	Position  int    `json:"position"` // position of the token; -1 for the encoder's outputs
	Layer     int    `json:"layer"`    // -1 for the logits and the tokens
	Part      string `json:"part"`     // "key", "value", "logits" or "tokens"
	Output    string `json:"output"`   // the name of the output
	// Sequence and Head are the sequence and the head with the element that differs most. Head is -1
	// if the output has no heads. Both are -1 if the shapes differ.
	Sequence int `json:"sequence"`
	Head     int `json:"head"`
	// Index is the index of that element in the output; Actual and Expected are its values. Index is
	// nil if the shapes differ.
	Index    []int  `json:"index,omitempty"`
	Actual   string `json:"actual,omitempty"`
	Expected string `json:"expected,omitempty"`
	// Reason explains why the comparison failed.
	Reason string `json:"reason"`
	// For streams, Iteration is the first frame that differs, and Part is "state" or "output". States
	// lists the state outputs that differ in that frame, and Why explains the difference.
	States []string `json:"states,omitempty"`
	Why    string   `json:"why,omitempty"`
	// Frame contains the inputs and states of a frame that the two streams compute differently, so
	// that the cause can be located in the model. It is nil if drifted or wrong states explain the
	// difference, or if the cause is unknown.
	Frame *tensor.Set `json:"-"`
}

// String describes the difference in one sentence.
func (p *Parting) String() string {
	if p.Why != "" {
		return p.streamText()
	}
	where := fmt.Sprintf("token %d", p.Position)
	if p.Position < 0 {
		where = "the first step"
	}
	what := p.Part
	if p.Layer >= 0 {
		what = fmt.Sprintf("layer %d %s", p.Layer, p.Part)
	}
	if p.Head >= 0 {
		what += fmt.Sprintf(", head %d", p.Head)
	}
	if p.Sequence > 0 {
		what += fmt.Sprintf(", sequence %d", p.Sequence)
	}
	text := fmt.Sprintf("the runs first differ at %s, in %s (output %q", where, what, p.Output)
	if p.Iteration > 0 {
		text = fmt.Sprintf("iteration %d: ", p.Iteration) + text
	}
	if p.Index != nil {
		text += fmt.Sprintf(", %v: %s, expected %s", tensor.Shape(p.Index), p.Actual, p.Expected)
	}
	return text + "): " + p.Reason
}

// Part finds the first difference between two runs of decoders. Because an error spreads to later
// layers and tokens, the first difference leads to the cause more often than the largest one.
//
// Part compares the encoder's caches first. Then, token by token, it compares the caches of all
// layers, first layer first and keys before values, then the logits, and then the tokens. Each
// token of each output must pass all checks. Part returns nil if the runs agree. It returns an
// error if no decoder made the runs, or if they have no output in common. Runs read from files work
// too.
//
// For two runs of [Stream], Part finds the first frame and state that differ. If the engine of one
// run is known, Part runs this frame again from the other run's states. The result says whether the
// frame itself is computed differently or its states had already drifted, and recognises states
// that were lost, one frame late, or exchanged.
func Part(actual, expected *backends.Run, checks ...compare.Check) (*Parting, error) {
	if len(checks) == 0 {
		return nil, errors.New("decode: no check given; pass one, such as compare.Within(…)")
	}
	return PartBy(actual, expected, Under(compare.Options{Checks: checks, NaNEqual: true,
		InfinitiesEqual: true}, nil, compare.Bars{}))
}

// Under returns a [Hold] that applies the checks in rules to each slice. The checks include those
// in rules.PerOutput. Integers must be equal. If noise is not nil, the [Hold] does not use rules.
// It applies [compare.WithinNoise] to each slice, with the noise of that slice and with bars.
func Under(rules compare.Options, noise *compare.Noise, bars compare.Bars) Hold {
	if noise != nil {
		return func(at Slice, actual, expected *tensor.Tensor) (string, error) {
			return within(noise, bars, at, actual, expected)
		}
	}
	prepared, wrong := compare.Prepare(rules)
	return func(at Slice, actual, expected *tensor.Tensor) (string, error) {
		if wrong != nil {
			return "", wrong
		}
		o := compare.Options{Checks: prepared.ChecksOf(at.Output), NaNEqual: rules.NaNEqual,
			InfinitiesEqual: rules.InfinitiesEqual, AnyElementType: rules.AnyElementType}
		if expected.ElementType().IsInteger() {
			o.Checks = []compare.Check{compare.Within(0, 0, compare.Elementwise)}
		}
		out, err := compare.Tensors(actual, expected, o)
		if err != nil || out.Verdict == compare.Pass {
			return "", err
		}
		return out.Reason, nil
	}
}

// within compares two slices by [compare.WithinNoise].
func within(n *compare.Noise, bars compare.Bars, at Slice, actual, expected *tensor.Tensor) (
	string, error) {
	part, err := n.Slice(at.Iteration, at.Output, at.Axis, at.Position)
	if err != nil {
		return "", err
	}
	report, err := compare.WithinNoise(sets.Single(at.Output, actual),
		sets.Single(at.Output, expected), part, bars, compare.Options{})
	if err != nil || report.Verdict == compare.Pass {
		return "", err
	}
	return report.Outputs[0].Reason, nil
}

// ErrNoDecoder is the error for runs that this package did not make.
var ErrNoDecoder = errors.New("decode: no decoder made these runs: make them with decode.Run or " +
	"`modelparity decode`")

// Slice identifies the part of an output that belongs to one token, or a whole output.
type Slice struct {
	Iteration int
	Output    string
	Axis      int // the token axis; -1 for a whole output
	Position  int // the token's index along Axis; -1 for a whole output
}

// Hold judges one slice of the outputs of two runs. It returns the reason why its two tensors
// differ, or "" if they agree.
type Hold func(at Slice, actual, expected *tensor.Tensor) (reason string, err error)

// PartBy is like [Part], but calls hold to judge each [Slice] of the outputs, unless the slice is
// bitwise identical in both runs.
func PartBy(actual, expected *backends.Run, hold Hold) (*Parting, error) {
	n, ok, err := shapeOf(expected)
	if err == nil && !ok {
		n, ok, err = shapeOf(actual)
	}
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrNoDecoder
	}
	if actual.Len() != expected.Len() {
		return nil, fmt.Errorf("decode: %d iterations, expected %d", actual.Len(), expected.Len())
	}
	for i := range expected.Len() {
		p := &comparer{of: n, hold: hold, iteration: i, actual: actual.Outputs()[i],
			expected: expected.Outputs()[i]}
		first, stream := p.first, len(n.States) > 0
		if stream {
			first = p.inFrame
		}
		found, err := first()
		switch {
		case err != nil:
			return nil, err
		case found == nil && p.compared == 0:
			return nil, errors.New("decode: the runs have no output in common")
		case found == nil:
			continue
		}
		if stream {
			if err := found.explain(n, actual, expected, hold); err != nil {
				found.Why = "the cause is unknown: " + err.Error()
			}
		}
		return found, nil
	}
	return nil, nil
}

// comparer compares one iteration of two runs.
type comparer struct {
	of               shape
	hold             Hold
	iteration        int
	actual, expected *tensor.Set
	compared         int
}

// place identifies an output. Its Axis is -1 if the whole output is compared at once.
type place struct {
	cached
	head   int // axis of heads, or -1 if there is none
	behind int // the number of first tokens for which the output has no row
}

// behind returns the number of leading tokens without a row of logits. A completions server may
// return one row for each generated token. The first row is then the model's output at the prompt's
// last token, which predicts the first generated token.
func behind(of *tensor.Set, output string) int {
	logits, ok := of.Get(output)
	tokens, known := of.Get("tokens")
	if !ok || !known || len(logits.Shape()) < 2 || len(tokens.Shape()) != 2 {
		return 0
	}
	return max(0, tokens.Shape()[1]-1-logits.Shape()[1])
}

// places lists the outputs in the order in which a step computes them. fixed contains the encoder's
// caches, which only the first step computes; stepped contains the other caches, the logits and the
// tokens.
func (s shape) places(outputs *tensor.Set) (fixed, stepped []place) {
	for _, c := range s.Caches {
		at := place{cached: c, head: c.head()}
		if c.Fixed {
			at.Axis = -1
			fixed = append(fixed, at)
			continue
		}
		stepped = append(stepped, at)
	}
	for _, name := range s.Logits {
		logits := cached{Output: name, Layer: -1, Part: "logits", Axis: 1}
		stepped = append(stepped, place{logits, -1, behind(outputs, name)})
	}
	tokens := cached{Output: "tokens", Layer: -1, Part: "tokens", Axis: 1}
	return fixed, append(stepped, place{tokens, -1, 0})
}

// first compares the iteration token by token. It returns the first difference, or nil.
func (p *comparer) first() (*Parting, error) {
	fixed, stepped := p.of.places(p.expected)
	for i := -1; i < p.length(stepped); i++ {
		all := stepped
		if i < 0 {
			all = fixed
		}
		for _, at := range all {
			if found, err := p.at(at, i); found != nil || err != nil {
				return found, err
			}
		}
	}
	return nil, nil
}

// length returns the number of tokens in the longest of the outputs.
func (p *comparer) length(all []place) int {
	n := 0
	for _, at := range all {
		for _, set := range []*tensor.Set{p.actual, p.expected} {
			if t, ok := set.Get(at.Output); ok && at.Axis < len(t.Shape()) {
				n = max(n, t.Shape()[at.Axis]+at.behind)
			}
		}
	}
	return n
}

// at compares one token of one output. It returns nil if the token agrees or if either run lacks
// the output.
func (p *comparer) at(at place, i int) (*Parting, error) {
	actual, ok := p.actual.Get(at.Output)
	expected, known := p.expected.Get(at.Output)
	token := i
	if at.Axis >= 0 {
		i -= at.behind
	}
	if !ok || !known || at.Axis >= 0 && i < 0 {
		return nil, nil
	}
	found := &Parting{Iteration: p.iteration, Position: token, Layer: at.Layer, Part: at.Part,
		Output: at.Output, Sequence: -1, Head: -1}
	a, e := actual.Shape(), expected.Shape()
	if actual.ElementType() != expected.ElementType() || len(a) != len(e) || at.Axis >= len(a) {
		p.compared++
		found.Reason = fmt.Sprintf("type and shape are %v%v, expected %v%v", actual.ElementType(), a,
			expected.ElementType(), e)
		return found, nil
	}
	if at.Axis >= 0 && (i >= a[at.Axis] || i >= e[at.Axis]) {
		if i >= a[at.Axis] && i >= e[at.Axis] {
			return nil, nil
		}
		p.compared++
		found.Reason = fmt.Sprintf("%d tokens, expected %d", a[at.Axis], e[at.Axis])
		return found, nil
	}
	var err error
	if at.Axis >= 0 {
		if actual, err = rows.Take(actual, at.Axis, i, 1); err != nil {
			return nil, err
		}
		if expected, err = rows.Take(expected, at.Axis, i, 1); err != nil {
			return nil, err
		}
	}
	if expected.Len() == 0 && actual.Len() == 0 {
		return nil, nil
	}
	p.compared++
	if actual.Identical(expected) {
		return nil, nil
	}
	found.Reason, err = p.hold(Slice{p.iteration, at.Output, at.Axis, i}, actual, expected)
	if err != nil {
		return nil, fmt.Errorf("decode: output %q, token %d: %w", at.Output, i, err)
	}
	if found.Reason == "" {
		return nil, nil
	}
	found.worst(actual, expected, at, i)
	return found, nil
}

// worst records which element of a slice differs most.
func (p *Parting) worst(actual, expected *tensor.Tensor, at place, token int) {
	if !actual.Shape().Equal(expected.Shape()) {
		return
	}
	worst, differing := compare.Furthest(actual, expected)
	if differing == 0 {
		return
	}
	p.Index = actual.Shape().Index(worst)
	if at.Axis >= 0 {
		p.Index[at.Axis] = token
	}
	if at.Batch < len(p.Index) {
		p.Sequence = p.Index[at.Batch]
	}
	if at.head >= 0 && at.head < len(p.Index)-1 {
		p.Head = p.Index[at.head]
	}
	p.Actual, p.Expected = actual.Text(worst), expected.Text(worst)
}
