package locate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
)

// coarse reports whether one of the models computes in less than float32, so that every node adds
// its part.
func (m *matched) coarse() bool { return m.quantized || m.rounding > 0x1p-24 }

// ratios gives each row its ratio of signal to error, and what its nodes add over the scale.
func (w *search) ratios() {
	m := w.matched
	if m == nil || !m.coarse() {
		return
	}
	for i := range w.found.Tensors {
		p := &w.found.Tensors[i]
		if e := float64(p.Error); e > 0 && !math.IsInf(e, 1) {
			db := Number(-20 * math.Log10(e))
			p.SQNR = &db
		}
		scale, quantized := m.actual.Scale(p.Tensor)
		rms, known := m.expected.RMS(w.expected.names.called(p.Tensor))
		if quantized && scale > 0 && known {
			e := float64(p.Error)
			if p.Own != nil {
				e = float64(p.Own.Error)
			}
			over := Number(e * rms / scale)
			p.OverScale = &over
		}
	}
}

// mostAdds is how many tensors the ranking holds.
const mostAdds = 10

// rank orders tensors by what their nodes add by themselves.
func (w *search) rank() {
	var rows []*Point
	for i := range w.found.Tensors {
		if p := &w.found.Tensors[i]; p.Own != nil && p.Own.Verdict == compare.Fail &&
			p.weight() > 0 {
			rows = append(rows, p)
		}
	}
	slices.SortStableFunc(rows, func(a, b *Point) int { return cmp.Compare(b.weight(), a.weight()) })
	for _, p := range rows[:min(len(rows), mostAdds)] {
		w.found.Adds = append(w.found.Adds, p.Tensor)
	}
}

// spread says what no single place explains.
func (r *Finding) spread() string {
	text := "the outputs differ, and no single place explains it"
	if len(r.Adds) == 0 {
		return text + ": no node is out of tolerance alone by more than rounding"
	}
	return text + ": many nodes add to it, each by the precision of its type"
}

// adds is the ranking in one line.
func (r *Finding) adds() string {
	const most = 5
	var list []string
	for _, name := range r.Adds[:min(len(r.Adds), most)] {
		for i := range r.Tensors {
			if p := &r.Tensors[i]; p.Tensor == name {
				list = append(list, fmt.Sprintf("%s %s (%s)", p.Op, quoted(name), p.Own.Error))
			}
		}
	}
	return "greatest own errors: " + strings.Join(list, ", ")
}
