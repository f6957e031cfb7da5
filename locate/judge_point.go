package locate

import (
	"math"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// alike reports whether the values of p's two tensors are close enough to confirm that the tensors
// correspond.
func (j *judged) alike(p *Point) bool {
	if p.Verdict == compare.Pass {
		return true
	}
	m := j.pairs.matched
	return float64(p.Error) <= pairing.Near(m.actual, m.expected, j.pairs.called(p.Tensor))
}

// agrees reports whether the named tensor has exactly the same values on both sides.
func agrees(j *judged, name string) bool {
	row, shared := j.pairs.row[name]
	return shared && j.tensors[row].Error == 0 || j.pairs.fed[name]
}

// wrongAlone reports whether p's nodes, when they run alone, are out of tolerance by more than
// rounding explains. A tolerance that comes from measured noise is too strict for a model that
// computes in low precision. In such a model, the error must also be larger than [pairing.Near]
// permits between paired tensors.
func (j *judged) wrongAlone(p *Point) bool {
	if p.Own == nil || p.Own.Verdict != compare.Fail {
		return false
	}
	m := j.pairs.matched
	if m != nil && j.outputs != nil && m.coarse() && float64(p.Own.Error) <=
		pairing.Near(m.actual, m.expected, j.pairs.called(p.Tensor)) {
		return false
	}
	return m == nil || !j.rounding(p)
}

// Errors up to these limits may come from rounding, for example after a change of the summation
// order. Both limits are multiples of the unit roundoff. fewRoundings limits the norm-wise relative
// error. manyRoundings limits the largest absolute error, divided by the largest magnitude in the
// expected tensor.
const (
	fewRoundings  = 16
	manyRoundings = 128
)

// own returns the error that nodes add when they run alone. m is the result of comparing the tensor
// that they compute with the expected tensor. If the rule is a fixed tolerance, own also finds out
// whether rounding explains the error. A measured rule already allows for rounding.
func own(j *judged, m measured, expected []*tensor.Tensor) *Own {
	const u = 0x1p-24
	e := expected[m.iteration]
	if m.Verdict == compare.Fail && j.outputs == nil && e.ElementType() == tensor.Float32 &&
		float64(m.Error) <= fewRoundings*u {
		largest := 0.0
		for i := range e.Len() {
			largest = max(largest, math.Abs(e.Float64At(i)))
		}
		m.Rounding = float64(m.Abs) <= manyRoundings*u*largest
	}
	return &m.Own
}

// rounding reports whether rounding explains the error that p's nodes add.
func (j *judged) rounding(p *Point) bool {
	u := j.pairs.matched.rounding
	s := j.pairs.matched.expected.Sketches[j.pairs.called(p.Tensor)]
	return s != nil && float64(p.Own.Error) <= fewRoundings*u &&
		float64(p.Own.Abs) <= manyRoundings*u*s.Largest()
}

// contradicted reports whether p's two tensors cannot correspond. It returns true if all of this is
// true:
//
//   - the two tensors differ;
//   - nodes of the actual model compute a correct result from p's actual tensor;
//   - the same nodes compute a wrong result if all their inputs are replaced by the corresponding
//     expected tensors, which include p's.
func (j *judged) contradicted(p *Point) bool {
	if p.Verdict != compare.Fail {
		return false
	}
	return slices.ContainsFunc(j.readers(p.Tensor), func(r *Point) bool {
		s := j.pairs.matched.expected.Sketches[j.pairs.called(r.Tensor)]
		return r.Verdict == compare.Pass && s.Distinctive() && j.wrongAlone(r)
	})
}

// readRight reports whether some node that reads the tensor is within tolerance when it runs alone.
func (j *judged) readRight(name string) bool {
	reads := func(i int) bool {
		return slices.Contains(pairing.Reads(&j.pairs.nodes[i]), name)
	}
	return slices.ContainsFunc(j.tensors, func(p Point) bool {
		return p.Own != nil && !j.wrongAlone(&p) &&
			slices.ContainsFunc(j.pairs.between(p.Tensor), reads)
	})
}

// readers returns a [Point] for each tensor that is computed from the named tensor.
func (j *judged) readers(name string) []*Point {
	var rows []*Point
	for i := range j.tensors {
		if p := &j.tensors[i]; slices.Contains(j.pairs.sources[p.Tensor], name) {
			rows = append(rows, p)
		}
	}
	return rows
}

// growth returns a tensor's error divided by the largest error among the tensors from which it is
// computed. The model's inputs are taken to have no error.
func (j *judged) growth(p *Point) Number {
	greatest := math.Inf(-1)
	for _, name := range j.pairs.sources[p.Tensor] {
		e := 0.0
		if row, shared := j.pairs.row[name]; shared {
			e = float64(j.tensors[row].Error)
		}
		greatest = max(greatest, e)
	}
	if math.IsInf(greatest, -1) || greatest == 0 && p.Error == 0 {
		return nan
	}
	return p.Error / Number(greatest)
}
