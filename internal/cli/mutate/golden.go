package mutate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// staleBy is the amount that is added to every element of an output in a golden file, as a multiple
// of the output's root mean square. It makes the file look as if an earlier model had written it.
const staleBy = 0.05

// prepareGolden writes versions of a golden file as they might be left over from an earlier model:
// one output of each is wrong.
func (r *running) prepareGolden(ctx context.Context, s *subject) error {
	file, err := golden.ReadReference(ctx, s.path)
	if err != nil {
		return err
	}
	if file.Sampled {
		return errors.New("it contains only samples of its outputs")
	}
	for _, name := range spaced(file.Run.Outputs()[0].Names(), r.PerKind) {
		first, _ := file.Run.Outputs()[0].Get(name)
		if first.ElementType() == tensor.String {
			continue
		}
		change := 1.0 // of integers
		if first.ElementType().IsFloat() {
			change = staleBy * rootMeanSquare(first)
		}
		stale, err := file.Run.Changed(func(set *tensor.Set) (*tensor.Set, error) {
			return shifted(set, name, change)
		})
		if err != nil {
			return err
		}
		m, err := r.add(s, "golden", fmt.Sprintf("output %s was different", name),
			func(to string) error {
				return golden.Write(to, stale, golden.Options{AllowNonFinite: true})
			})
		if err != nil {
			return err
		}
		m.Effect = &Effect{Output: name, Sigmas: -1, Change: change}
	}
	return nil
}

func rootMeanSquare(t *tensor.Tensor) float64 {
	sum, n := 0.0, 0.0
	for _, v := range t.Float64s() {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			sum, n = sum+float64(v*v), n+1
		}
	}
	if sum == 0 {
		return 1
	}
	return math.Sqrt(sum / n)
}

// shifted returns a copy of the set in which one output is different. If the elements of that
// output are floats, change is added to every element. Otherwise the lowest bit of every element is
// flipped.
func shifted(set *tensor.Set, name string, change float64) (*tensor.Set, error) {
	return sets.Map(set, func(other string, t *tensor.Tensor) (*tensor.Tensor, error) {
		if other != name {
			return t, nil
		}
		if t.ElementType().IsFloat() {
			values := t.Float64s()
			for i := range values {
				values[i] += change
			}
			return sets.Pack(t.ElementType(), t.Shape(), values)
		}
		data := slices.Clone(t.Bytes())
		for i := 0; i < len(data); i += max(1, t.ElementType().Bits()/8) {
			data[i] ^= 1
		}
		return tensor.FromBytes(t.ElementType(), t.Shape(), data)
	})
}
