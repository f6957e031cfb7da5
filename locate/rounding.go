package locate

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/bound"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// Rounding compares each side's result of a node with the node's exact result. The exact result is
// computed in float64 from that side's own inputs of the node. A result that differs from the exact
// one by more than rounding can explain is wrong, whatever the other side computes.
type Rounding struct {
	Tensor   string   `json:"tensor"` // the node's output, on the actual side
	Actual   Distance `json:"actual"`
	Expected Distance `json:"expected"`
	// Text says which side is wrong, if either is.
	Text string `json:"text"`

	innocent bool // it is the same node on both sides, and rounding explains both results
	differ   bool // the two sides' nodes differ, and rounding explains both results
}

// Distance describes how far a side's result of a node is from the float64 result.
type Distance struct {
	// Ratio is the largest ratio of an element's error to its bound. The bound is the largest error
	// that a correct engine can make in Arithmetic. Element, Value, Float64 and Bound describe the
	// element with this ratio.
	Ratio   Number `json:"ratio"`
	Element []int  `json:"element,omitempty"` // its index
	Value   Number `json:"value"`
	Float64 Number `json:"float64"`
	Bound   Number `json:"bound"`
	// Alone is the largest ratio when the node runs alone on the same inputs. The engine is wrong
	// only if Alone is above 1, too, because inside a graph an engine may compute a tensor from
	// tensors other than the node's inputs. Alone is nil if Ratio is at most 1, or if the node could
	// not run alone.
	Alone *Number `json:"alone,omitempty"`
	// Usual is the root mean square of the errors, divided by the root mean square of the errors of
	// float32 sums added one term at a time. It is 0 if the node is not a MatMul, Gemm or Conv in
	// float32. If it is 32 or more, the engine probably computes in a lower precision.
	Usual Number `json:"usual,omitempty"`
	// Arithmetic is the precision in which the engine computes according to its options: "float32"
	// unless they say otherwise.
	Arithmetic string `json:"arithmetic,omitempty"`
	// Unknown says why the side was not judged; it is empty if the side was. If it is set, the other
	// fields mean nothing.
	Unknown string `json:"unknown,omitempty"`
}

// cell formats the distance for a table.
func (d *Distance) cell() string {
	if d.Unknown != "" {
		return "-"
	}
	return d.Ratio.String()
}

// excuse looks for the first suspicious node whose error is larger than rounding explains. It
// excuses the nodes before that one, because a tolerance meant for outputs can be too strict for
// the normal rounding of some nodes. It calls judgeRounding for each node.
func (s *steps) excuse(ctx context.Context, w *runner) (err error) {
	for excused := 0; ; excused++ {
		s.rounding, err = judgeRounding(ctx, w, s)
		if err != nil || s.rounding == nil || !s.rounding.innocent {
			return err
		}
		p := s.judged.at(s.rounding.Tensor)
		if excused == mostExcused || p.Own == nil || p.Own.Verdict != compare.Fail || p.Own.Rounding {
			return nil
		}
		s.judged = s.judged.over(s.judged.pairs)
		own := *p.Own
		own.Rounding = true
		s.judged.at(p.Tensor).Own = &own
	}
}

// mostExcused limits the number of nodes that a search computes in float64.
const mostExcused = 64

// judgeRounding compares both sides' results of the one node that stands out with the same node in
// float64. It returns nil if no single node stands out.
func judgeRounding(ctx context.Context, w *runner, s *steps) (*Rounding, error) {
	f, _ := s.finding(w)
	p := f.Isolated
	if p == nil {
		p = f.First
	}
	if p == nil || s.judged == nil || f.Fault != nil && len(f.Fault.Nodes) > 1 {
		return nil, nil
	}
	j := s.judged
	a, err := recall(ctx, w, w.actual, j.pairs.views.actual, p.Tensor)
	if err != nil {
		return nil, err
	}
	e, err := recall(ctx, w, w.expected, j.pairs.views.expected, j.pairs.called(p.Tensor))
	if err != nil {
		return nil, err
	}
	if len(a.inputs)+len(e.inputs) == 0 && a.unknown+e.unknown == "" {
		return nil, nil // constants are not computed
	}
	suspect := farthest(a.output(p.Iteration), e.output(p.Iteration))
	r := &Rounding{Tensor: p.Tensor}
	if r.Actual, err = a.judge(ctx, w.actual, s.whole.provenances[0], p.Iteration,
		suspect); err != nil {
		return nil, err
	}
	if r.Expected, err = e.judge(ctx, w.expected, s.whole.provenances[1], p.Iteration,
		suspect); err != nil {
		return nil, err
	}
	r.Text = "against float64: " + r.text()
	if f.First != nil && f.First.Tensor != p.Tensor {
		r.Text = fmt.Sprintf("against float64, at %s: %s", quoted(p.Tensor), r.text())
	}
	explained := r.Actual.explained() && r.Expected.explained()
	if fused := p.fused(r, a, e, s.whole.provenances); explained || fused {
		same, text := a.difference(e, j, p.Iteration)
		if explained {
			r.Text += ": " + text
		}
		r.differ = explained && !same
		r.innocent = same && j.pairs.matched == nil && j.outputs == nil &&
			slices.Equal(a.inputs, e.inputs)
	}
	return r, nil
}

// fused reports whether a node differs only because an engine that computes in a coarser format
// than float32 fuses it with others, and so rounds less often or in other places. The node must be
// right when it runs alone; a node that only passes values on, such as a Cast or a
// DequantizeLinear, counts as right. Its error must be no larger than a few roundings to that
// format.
func (p *Point) fused(r *Rounding, a, e recalled, provenances [2]backends.Provenance) bool {
	right := pairing.Carries(p.Op) || pairing.Selects(p.Op) ||
		r.Actual.rightAlone() && r.Expected.rightAlone()
	if p.Own == nil || a.unknown+e.unknown != "" || !right {
		return false
	}
	return slices.ContainsFunc(provenances[:], func(side backends.Provenance) bool {
		format, known := arithmeticOf(side, p.Type)
		return known && float64(p.Own.Error) <= fusedRoundings*format.Operand
	})
}

// farthest returns the flat position at which two tensors differ most, as a list of one element.
func farthest(a, e *tensor.Tensor) []int {
	if a == nil || e == nil || a.Len() != e.Len() || a.Len() == 0 {
		return nil
	}
	most, at := -1.0, 0
	for i := range a.Len() {
		if d := math.Abs(a.Float64At(i) - e.Float64At(i)); d > most {
			most, at = d, i
		}
	}
	return []int{at}
}

// arithmeticOf returns the arithmetic in which an engine computes a node whose output has the type
// elem, according to the engine's options. known is false if the engine may use integers or 8-bit
// floats.
func arithmeticOf(p backends.Provenance, elem tensor.ElementType) (a bound.Arithmetic, known bool) {
	on := map[string]bool{}
	for key, value := range p.Options {
		name := key[strings.LastIndex(key, ".")+1:]
		on[name] = value == "true" || value == "True" || value == "1"
	}
	precision := p.Options["precision"]
	x86 := runtime.GOARCH == "amd64" // other processors have kernels for float16, and Winograd's
	half := elem == tensor.Float16 && (precision == "as declared" || !x86)
	switch {
	case on["int8"], on["fp8"], on["int4"], on["fp4"], on["trt_int8_enable"]:
		return a, false
	case on["bf16"], precision == "bf16", on["trt_bf16_enable"],
		on["enable_gemm_fastmath_arm64_bfloat16"]:
		a = bound.BFloat16
		if on["fp16"] || on["trt_fp16_enable"] {
			a.Sums = tensor.Float16
		}
	case on["fp16"], on["trt_fp16_enable"], precision == "f16", precision == "float16", half:
		a = bound.Float16
	case on["tf32"], on["use_tf32"], strings.HasPrefix(p.Provider, "Tensorrt"):
		a = bound.TF32
	case precision == "f32" || elem != tensor.Float64:
		a = bound.Float32
	default:
		a = bound.Float64
	}
	a.Winograd = p.Provider != "" && !strings.Contains(strings.ToLower(p.Provider), "cpu") ||
		!x86
	return a, true
}

const fusedRoundings = 4

// rightAlone reports whether rounding explains the side's result when the side runs the node alone.
// It is also true if rounding explains the side's result in the whole graph.
func (d *Distance) rightAlone() bool {
	return d.explained() || d.Alone != nil && *d.Alone <= 1
}

// text says in words which side is wrong.
func (r *Rounding) text() string {
	a, e := &r.Actual, &r.Expected
	switch {
	case a.Unknown != "" && a.Unknown == e.Unknown:
		return "neither side is judged: " + a.Unknown
	case a.explained() && e.explained() && a.Arithmetic == e.Arithmetic:
		return fmt.Sprintf("both sides are within what rounding to %s allows (%v and %v of the "+
			"allowed error)", a.Arithmetic, a.Ratio, e.Ratio)
	}
	return fmt.Sprintf("%s; %s", a.text("actual"), e.text("expected"))
}

// explained reports whether rounding explains the side's result.
func (d *Distance) explained() bool {
	return d.Unknown == "" && d.Ratio <= 1 && d.Usual < bound.Unusual
}

// wrong reports whether the side's engine is wrong even when it runs the node alone.
func (d *Distance) wrong() bool { return d.Unknown == "" && d.Alone != nil && *d.Alone > 1 }

// text describes in words how far one side is from the float64 result.
func (d *Distance) text(side string) string {
	allowed := fmt.Sprintf("what rounding to %s allows", d.Arithmetic)
	switch {
	case d.Unknown != "":
		return fmt.Sprintf("the %s side is not judged: %s", side, d.Unknown)
	case d.Ratio > 1 && d.Alone == nil:
		return fmt.Sprintf("in the whole graph, the %s side's error is %v times %s, but the node "+
			"could not run alone to confirm that", side, d.Ratio, allowed)
	case d.Ratio > 1 && *d.Alone <= 1:
		return fmt.Sprintf("in the whole graph, the %s side's error is %v times %s, but when the node "+
			"runs alone, the error is only %v times what rounding allows: the engine fuses the node or "+
			"uses a different precision", side, d.Ratio, allowed, *d.Alone)
	case d.Ratio > 1:
		return fmt.Sprintf("the %s side's error at %v is %v times %s: the value is %v, but "+
			"float64 gives %v", side, d.Element, d.Ratio, allowed, d.Value, d.Float64)
	}
	text := fmt.Sprintf("the %s side's error is at most %s (%v of the allowed error)", side, allowed,
		d.Ratio)
	if d.Usual >= bound.Unusual {
		text += fmt.Sprintf(", but typically %v times as large as the errors of float32 sums, "+
			"probably because of a lower precision", d.Usual)
	}
	return text
}
