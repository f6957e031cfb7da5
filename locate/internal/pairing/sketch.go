package pairing

import (
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// projections is the number of random sums in a sketch. A distance estimated from this many has a
// relative error of about 1/√(2·projections), or 18 %.
const projections = 16

// Sketch summarizes a tensor's values. Two sketches are enough to estimate the distance between two
// tensors of the same size, so the tensors themselves need not be stored.
//
// Each projection is Σ ±xᵢ, with signs that depend only on the flat index i. The expected square of
// the difference of two projections is ‖a−b‖² (Johnson and Lindenstrauss; Alon, Matias and
// Szegedy). Reshaping a tensor does not change its sketch, because it keeps the flat indices.
// Transposing does.
type Sketch struct {
	Type     tensor.ElementType
	Shape    tensor.Shape   // shape in the first iteration
	Shapes   []tensor.Shape // shape in each iteration
	Elements int            // number of elements in all iterations
	Norm     float64        // ‖x‖₂ over finite elements
	Min, Max float64        // extremes of the finite elements
	Special  int            // number of NaN, infinities and huge mask values

	sums [projections]float64
}

// huge is the magnitude from which a number counts as infinite. Attention masks often contain such
// large numbers in place of infinities.
const huge = 1e30

// Add adds one iteration's tensor to the sketch.
func (s *Sketch) Add(t *tensor.Tensor) {
	if s.Elements == 0 {
		s.Type, s.Shape = t.ElementType(), t.Shape()
		s.Min, s.Max = math.Inf(1), math.Inf(-1)
	}
	s.Shapes = append(s.Shapes, t.Shape())
	if t.ElementType() == tensor.String {
		s.Elements += t.Len()
		return
	}
	squares := s.Norm * s.Norm
	if values, err := tensor.Values[float32](t); err == nil {
		for i, v := range values {
			squares += s.add(s.Elements+i, float64(v))
		}
	} else {
		for i, v := range t.Float64s() {
			squares += s.add(s.Elements+i, v)
		}
	}
	s.Norm = math.Sqrt(squares)
	s.Elements += t.Len()
}

// add adds element i, which has the value v, to the sums. It returns v², or 0 if v counts as
// infinite.
func (s *Sketch) add(i int, v float64) float64 {
	if !(math.Abs(v) < huge) {
		s.Special++
		return 0
	}
	s.Min, s.Max = min(s.Min, v), max(s.Max, v)
	bits := scatter(uint64(i))
	for k := range s.sums {
		// One bit of the hash decides whether the sign of v is flipped.
		s.sums[k] += math.Float64frombits(math.Float64bits(v) ^ bits<<(63-k)&(1<<63))
	}
	return v * v
}

// scatter hashes x with the finalizer of SplitMix64.
func scatter(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// fewest is the number of elements that a tensor needs before its values can confirm a pair.
const fewest = 8

// Distinctive reports whether the tensor's values are distinctive enough to confirm that it
// corresponds to another tensor. There must be at least [fewest] of them, all floats and not
// all equal.
func (s *Sketch) Distinctive() bool {
	return s != nil && s.Type.IsFloat() && s.Elements >= fewest &&
		s.Max-s.Min > 1e-6*max(math.Abs(s.Max), math.Abs(s.Min))
}

// Distance estimates ‖a−b‖₂ / max(‖a‖₂, ‖b‖₂). It is 0 for equal tensors, about √2 for unrelated
// tensors, and +Inf if the sizes differ or a sketch is missing.
func (s *Sketch) Distance(to *Sketch) float64 {
	if s == nil || to == nil || s.Elements != to.Elements || s.Special != to.Special {
		return math.Inf(1)
	}
	norm := max(s.Norm, to.Norm)
	if norm == 0 {
		return 0
	}
	sum := 0.0
	for k := range s.sums {
		d := s.sums[k] - to.sums[k]
		sum += float64(d * d)
	}
	return math.Sqrt(sum/projections) / norm
}

// Largest returns the largest absolute value of the tensor.
func (s *Sketch) Largest() float64 { return max(math.Abs(s.Min), math.Abs(s.Max)) }

// Sketches maps the names of a graph's tensors to summaries of their values. A tensor that could
// not be read has no entry.
type Sketches map[string]*Sketch

// Take computes the sketch of each named tensor over all iterations, and adds the sketches to all.
func (all Sketches) Take(names []string, sets []*tensor.Set) {
	for _, name := range names {
		s := &Sketch{}
		for _, set := range sets {
			if t, ok := set.Get(name); ok {
				s.Add(t)
			}
		}
		if s.Elements > 0 {
			all[name] = s
		}
	}
}

// Roundoff returns the unit roundoff of a model's coarsest float type, for example 2⁻²⁴ for
// float32. A type counts only if at least a quarter of the model's float tensors have it. This
// ignores a single Cast to float16, which may be the fault.
func (all Sketches) Roundoff() float64 {
	floats, half, brain := 0, 0, 0
	for _, s := range all {
		switch s.Type {
		case tensor.Float16:
			half++
		case tensor.BFloat16:
			brain++
		}
		if s.Type.IsFloat() {
			floats++
		}
	}
	switch {
	case brain > 0 && 4*brain >= floats:
		return 0x1p-8
	case half > 0 && 4*half >= floats:
		return 0x1p-11
	}
	return 0x1p-24
}
