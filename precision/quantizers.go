package precision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Quantizer is a pair of QuantizeLinear and DequantizeLinear that rounds a tensor to integers.
type Quantizer struct {
	// Tensor is what it rounds, and Node the QuantizeLinear's name, or its output.
	Tensor string `json:"tensor"`
	Node   string `json:"node"`
	// Constant says that the tensor is a weight.
	Constant bool `json:"constant,omitempty"`
	// SNR is the ratio of the tensor to the error of rounding it, in dB: 20·log10(‖x‖₂ / ‖Q(x)−x‖₂).
	// It is 999 where there is no error.
	SNR float64 `json:"snr"`
	// Error is the norm-wise relative error of the output where it is greatest, with this quantizer
	// and no other.
	Error float64 `json:"error"`

	index int      // of the QuantizeLinear
	gives []string // what its DequantizeLinear nodes give
}

// Point is the model without its worst quantizers.
type Point struct {
	Removed int     `json:"removed"`
	Percent float64 `json:"percent"` // of all quantizers
	// SNR is that of the output where it is least, against the model without quantizers, in dB; 999
	// where they are equal.
	SNR    float64 `json:"snr"`
	Passes bool    `json:"passes"`
}

// Quantization is what the quantizers of a model cost.
type Quantization struct {
	Model string `json:"model"`
	// Quantizers are ranked by their effect on the output, the worst first.
	Quantizers []Quantizer `json:"quantizers"`
	// Curve is the model without so many of the worst, from none to all.
	Curve []Point `json:"curve"`
	// Remove is how many of the worst to remove so that the rule holds.
	Remove int `json:"remove"`
	// Frozen are weights that are integers in the file, of which the numbers they were rounded from
	// are not known.
	Frozen int `json:"frozen,omitempty"`
	Runs   int `json:"runs"`

	model *loaders.Model
}

// noError is the signal-to-noise ratio of numbers that are equal.
const noError = 999

// curvePoints is about how many points a curve has.
const curvePoints = 20

// Quantizers ranks the quantizers of a model by what each does to the outputs, and finds how many
// of the worst to remove so that the rule holds, against the model without any of them. It takes a
// run for each quantizer, one for each of about 20 points of the curve, and a few more.
//
// Errors: [ErrBeyond] where no quantizer can be removed to pass; a model without quantizers.
func (r Repair) Quantizers(ctx context.Context, subject backends.Subject) (*Quantization, error) {
	q, err := r.quantizers(ctx, subject)
	if err != nil {
		return nil, fmt.Errorf("precision: quantizers: %w", err)
	}
	return q, nil
}

// quantized is a model while its quantizers are ranked.
type quantized struct {
	Repair
	*Quantization
	*opened
	nodes     []loaders.Node
	outputs   []loaders.Value
	kept      map[string]bool // what must exist: outputs, and what bodies read
	reference []*tensor.Set
}

func (r Repair) quantizers(ctx context.Context, subject backends.Subject) (*Quantization, error) {
	s, err := open(ctx, subject, FP16) // of which the format is of no account
	if err != nil {
		return nil, err
	}
	defer s.forget()
	q := &quantized{Repair: r, opened: s, kept: map[string]bool{},
		Quantization: &Quantization{Model: s.model.Name(), model: s.model}}
	if err := q.pairs(); err != nil {
		return nil, err
	}
	if err := q.rank(ctx); err != nil {
		return nil, err
	}
	if err := q.curve(ctx); err != nil {
		return nil, err
	}
	return q.Quantization, nil
}

// pairs finds the quantizers.
func (q *quantized) pairs() (err error) {
	model := q.opened.model
	if q.nodes, err = model.Nodes(); err != nil {
		return err
	}
	if q.outputs, err = model.Outputs(); err != nil {
		return err
	}
	constants, users := map[string]bool{}, map[string][]int{}
	err = model.Constants(func(c loaders.Constant) error { constants[c.Name] = true; return nil })
	if err != nil {
		return err
	}
	for _, v := range q.outputs {
		q.kept[v.Name] = true
	}
	for i, n := range q.nodes {
		for _, name := range n.Inputs {
			users[name] = append(users[name], i)
		}
		for _, name := range n.Captured {
			q.kept[name] = true
		}
	}
	for i, n := range q.nodes {
		switch n.Op {
		case "DequantizeLinear":
			if constants[n.Inputs[0]] {
				q.Frozen++
			}
		case "QuantizeLinear":
			one := Quantizer{Tensor: n.Inputs[0], Node: cmp.Or(n.Name, n.Outputs[0]), index: i,
				Constant: constants[n.Inputs[0]]}
			for _, user := range users[n.Outputs[0]] {
				if q.nodes[user].Op != "DequantizeLinear" {
					one.gives = nil
					break
				}
				one.gives = append(one.gives, q.nodes[user].Outputs[0])
			}
			if len(one.gives) > 0 && !q.kept[n.Outputs[0]] {
				q.Quantization.Quantizers = append(q.Quantization.Quantizers, one)
			}
		}
	}
	if len(q.Quantization.Quantizers) == 0 {
		return fmt.Errorf("%s has no QuantizeLinear with a DequantizeLinear behind it that could be "+
			"removed; %d of its weights are integers in the file", q.Model, q.Frozen)
	}
	return nil
}

// choosing is the model without quantizers but for the one whose number an input says.
func (q *quantized) choosing() (*loaders.Model, error) {
	number := map[string]int{}
	for j, one := range q.Quantization.Quantizers {
		for _, name := range one.gives {
			number[name] = j
		}
	}
	whole, err := q.opened.model.Edit(func(n loaders.Node) (edit loaders.NodeEdit, err error) {
		if n.Index == 0 {
			value, err := tensor.New(tensor.Shape{}, []int64{none})
			if err != nil {
				return edit, err
			}
			edit.Before = []loaders.NewNode{{Op: "Constant", Value: value, Outputs: []string{which}}}
		}
		if n.Op != "DequantizeLinear" {
			return edit, nil
		}
		j, some := number[n.Outputs[0]]
		if !some {
			return edit, nil
		}
		name := n.Outputs[0]
		value, err := tensor.New(tensor.Shape{}, []int64{int64(j)})
		at := name + suffix + "at"
		edit.Outputs = map[string]string{name: name + suffix + "quantized"}
		edit.After = []loaders.NewNode{{Op: "Constant", Value: value, Outputs: []string{at}},
			{Op: "Equal", Inputs: []string{which, at}, Outputs: []string{at + "/is"}},
			{Op: "Where", Inputs: []string{at + "/is", name + suffix + "quantized",
				q.Quantization.Quantizers[j].Tensor}, Outputs: []string{name}}}
		return edit, err
	})
	if err != nil {
		return nil, err
	}
	return whole.Cut([]loaders.Value{{Name: which, Type: tensor.Int64, HasShape: true}}, q.outputs)
}

// rank runs the model with one quantizer at a time.
func (q *quantized) rank(ctx context.Context) (err error) {
	engine, err := exactly(q.opened.engine, q.opened.model)
	if err != nil {
		return err
	}
	if levels, wrong := backends.Levels(engine); wrong == nil && len(levels) > 0 {
		engine = levels[0] // or quantizers would be fused with what computes
	}
	model, err := q.choosing()
	if err != nil {
		return err
	}
	var marks []string
	for _, one := range q.Quantization.Quantizers {
		if marks = append(marks, one.gives[0]+suffix+"quantized"); !one.Constant {
			marks = append(marks, one.Tensor)
		}
	}
	sets := q.inputs[:min(ranked, len(q.inputs))]
	if err := q.ratios(ctx, engine, model, sets, marks); err != nil {
		return err
	}
	first, err := chosen(sets, none)
	if err != nil {
		return err
	}
	backend, err := engine.Open(ctx, model, fixtures.Of(first...))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, backend.Close()) }()
	names := make([]string, len(q.outputs))
	for o, v := range q.outputs {
		names[o] = v.Name
	}
	var exact []*tensor.Set
	for j := none; j < len(q.Quantization.Quantizers); j++ {
		given, err := chosen(sets, j)
		if err != nil {
			return err
		}
		run, err := backend.Run(ctx, fixtures.Of(given...))
		if err != nil {
			return err
		}
		q.Runs++
		if j == none {
			exact = run.Outputs()
			continue
		}
		one := &q.Quantization.Quantizers[j]
		if one.Error, err = relative(names, run.Outputs(), exact); err != nil {
			return err
		}
		if q.Progress != nil {
			q.Progress(fmt.Sprintf("measured quantizer %d of %d", j+1, len(q.Quantization.Quantizers)))
		}
	}
	slices.SortStableFunc(q.Quantization.Quantizers, func(a, b Quantizer) int {
		return cmp.Or(cmp.Compare(b.Error, a.Error), cmp.Compare(a.SNR, b.SNR))
	})
	return nil
}

// ratios measures the signal-to-noise ratio of each quantizer.
func (q *quantized) ratios(ctx context.Context, engine backends.Engine, model *loaders.Model,
	sets []*tensor.Set, marks []string) error {
	weights := map[string]*tensor.Tensor{}
	err := q.opened.model.Constants(func(c loaders.Constant) error {
		for _, one := range q.Quantization.Quantizers {
			if one.Constant && one.Tensor == c.Name {
				weights[c.Name] = c.Values
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	marked, err := model.Mark(marks...)
	if err != nil {
		return err
	}
	given, err := chosen(sets, none)
	if err != nil {
		return err
	}
	run, err := backends.RunIn(ctx, engine, marked, fixtures.Of(given...))
	if err != nil {
		return fmt.Errorf("to see what is quantized: %w", err)
	}
	q.Runs++
	for j := range q.Quantization.Quantizers {
		one := &q.Quantization.Quantizers[j]
		signal, noise := 0.0, 0.0
		for i, set := range run.Outputs() {
			rounded, _ := set.Get(one.gives[0] + suffix + "quantized")
			exact, ok := set.Get(one.Tensor)
			if !ok {
				exact, ok = given[i].Get(one.Tensor)
			}
			if !ok {
				exact = weights[one.Tensor]
			}
			if exact == nil || rounded == nil {
				return fmt.Errorf("quantizer %q was not given out", one.Node)
			}
			s, n := powers(rounded, exact)
			signal, noise = signal+s, noise+n
		}
		one.SNR = decibels(signal, noise)
	}
	return nil
}

// powers are the sums of the squares of what is expected, and of the differences.
func powers(actual, expected *tensor.Tensor) (signal, noise float64) {
	for k := range expected.Len() {
		x := expected.Float64At(k)
		d := actual.Float64At(k) - x
		signal, noise = signal+x*x, noise+d*d
	}
	return signal, noise
}

func decibels(signal, noise float64) float64 {
	switch {
	case noise == 0:
		return noError
	case signal == 0 || noise != noise || math.IsInf(noise, 1):
		return -noError
	}
	return 10 * math.Log10(signal/noise)
}

// relative is the norm-wise relative error of the output where it is greatest.
func relative(names []string, actual, expected []*tensor.Set) (float64, error) {
	least, err := ratio(names, actual, expected)
	if least == noError {
		return 0, err
	}
	return math.Pow(10, -least/20), err
}

// ratio is the signal-to-noise ratio of the output where it is least.
func ratio(names []string, actual, expected []*tensor.Set) (float64, error) {
	least := float64(noError)
	for _, name := range names {
		signal, noise := 0.0, 0.0
		for i := range expected {
			a, e, err := both(name, actual[i], expected[i])
			if err != nil {
				return 0, err
			}
			if a != nil {
				s, n := powers(a, e)
				signal, noise = signal+s, noise+n
			}
		}
		least = min(least, decibels(signal, noise))
	}
	return least, nil
}

// without is the model without some quantizers, and without what only they need.
func (q *quantized) without(removed []Quantizer) (*loaders.Model, error) {
	instead, by := map[string]string{}, map[string]string{}
	for _, one := range removed {
		for _, name := range one.gives {
			instead[name] = one.Tensor
		}
	}
	for name := range instead { // of one whose tensor another gives
		source := instead[name]
		for instead[source] != "" {
			source = instead[source]
		}
		by[name] = source
	}
	model, err := q.opened.model.Edit(func(n loaders.Node) (edit loaders.NodeEdit, err error) {
		edit.Inputs, edit.Outputs = map[string]string{}, map[string]string{}
		for _, name := range n.Inputs {
			if by[name] != "" {
				edit.Inputs[name] = by[name]
			}
		}
		for _, name := range n.Outputs {
			if by[name] != "" && q.kept[name] {
				edit.Outputs[name] = name + suffix + "quantized"
				edit.After = append(edit.After, loaders.NewNode{Op: "Identity",
					Inputs: []string{by[name]}, Outputs: []string{name}})
			}
		}
		return edit, nil
	})
	if err != nil {
		return nil, err
	}
	return model.Cut(nil, q.outputs)
}

// curve runs the model without more and more of the worst quantizers.
func (q *quantized) curve(ctx context.Context) error {
	count := len(q.Quantization.Quantizers)
	names := make([]string, len(q.outputs))
	for o, v := range q.outputs {
		names[o] = v.Name
	}
	tried := map[int]Point{}
	try := func(n int) (Point, error) {
		if p, known := tried[n]; known {
			return p, nil
		}
		model, err := q.without(q.Quantization.Quantizers[:n])
		if err != nil {
			return Point{}, err
		}
		run, err := backends.RunIn(ctx, q.opened.engine, model, fixtures.Of(q.inputs...))
		if err != nil {
			return Point{}, err
		}
		q.Runs++
		if q.reference == nil {
			q.reference = run.Outputs()
		}
		p := Point{Removed: n, Percent: 100 * float64(n) / float64(count)}
		if p.SNR, err = ratio(names, run.Outputs(), q.reference); err != nil {
			return p, err
		}
		report, err := compare.Runs(run.Outputs(), q.reference, q.Rule)
		p.Passes = report.Verdict == compare.Pass
		tried[n] = p
		if q.Progress != nil {
			q.Progress(fmt.Sprintf("%d of %d quantizers removed: %.1f dB", n, count, p.SNR))
		}
		return p, err
	}
	last, err := try(count) // the reference: all of them removed
	if err != nil {
		return err
	}
	if !last.Passes {
		return fmt.Errorf("%w: without any quantizer the model does not equal itself", ErrBeyond)
	}
	step := max(1, (count+curvePoints-1)/curvePoints)
	bad, good := -1, count
	for n := 0; n < count; n += step {
		p, err := try(n)
		if err != nil {
			return err
		}
		if p.Passes && good == count {
			good = n
		}
		if !p.Passes && good == count {
			bad = n
		}
	}
	for good-bad > 1 {
		middle := (good + bad) / 2
		p, err := try(middle)
		if err != nil {
			return err
		}
		if p.Passes {
			good = middle
		} else {
			bad = middle
		}
	}
	q.Remove = good
	for _, p := range tried {
		q.Curve = append(q.Curve, p)
	}
	slices.SortFunc(q.Curve, func(a, b Point) int { return cmp.Compare(a.Removed, b.Removed) })
	q.Quantization.model, err = q.without(q.Quantization.Quantizers[:good])
	return err
}

// Repaired is the model without the quantizers to remove.
func (q *Quantization) Repaired() *loaders.Model { return q.model }

// Text is what was found, for people. It ends with a newline.
func (q *Quantization) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d of %d quantizers to remove (%.0f %%), found in %d runs\n", q.Model,
		q.Remove, len(q.Quantizers), 100*float64(q.Remove)/float64(len(q.Quantizers)), q.Runs)
	if q.Frozen > 0 {
		fmt.Fprintf(&b, "%d weights are integers in the file and stay\n", q.Frozen)
	}
	b.WriteString("\nremove  error of the output  SNR of the tensor  tensor\n")
	for j, one := range q.Quantizers {
		mark := ""
		if j < q.Remove {
			mark = "x"
		}
		fmt.Fprintf(&b, "%-6s  %-19.2g  %-17.1f  %s\n", mark, one.Error, one.SNR, one.Tensor)
	}
	b.WriteString("\nremoved  SNR of the outputs\n")
	for _, p := range q.Curve {
		verdict := "fails"
		if p.Passes {
			verdict = "passes"
		}
		fmt.Fprintf(&b, "%5.0f %%  %6.1f dB  %s\n", p.Percent, p.SNR, verdict)
	}
	return b.String()
}
