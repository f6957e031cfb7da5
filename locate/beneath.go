package locate

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/compare"
)

// beneath looks for the fault if the outputs differ although each node is within tolerance when it
// runs alone. With an absolute tolerance this can happen: if a tensor's values are small enough,
// even an error in all their digits is within the tolerance. A node is at fault only if all of this
// is true:
//
//   - when the node runs alone, its error relative to its values is larger than rounding explains;
//   - the nodes of the two sides differ in operator, attributes or weights, or only one side's
//     result is as close to the float64 result as rounding allows;
//   - replacing the node's result with the expected value makes the outputs agree, but replacing
//     the node's inputs with expected values leaves nearly the whole error.
func (s *steps) beneath(ctx context.Context, w *runner) error {
	j := s.judged
	if f, _ := s.finding(w); f.Isolated != nil || s.whole.verdict != compare.Fail ||
		!w.options.Isolate || j.marked != compare.Fail || j.pairs.matched != nil || j.outputs != nil {
		return nil
	}
	var suspects []*Point
	for i := range j.tensors {
		if p := &j.tensors[i]; p.Own != nil && p.Error != 0 && !p.unused &&
			p.Own.Error > fewRoundings*0x1p-24 {
			suspects = append(suspects, p)
		}
	}
	slices.SortStableFunc(suspects, byWeight)
	for _, p := range suspects[:min(len(suspects), mostPatched)] {
		next := *s
		next.explained.isolated, next.explained.fault = p.Tensor, faultOf(j, []*Point{p}, true)
		r, err := judgeRounding(ctx, w, &next)
		if err == nil && (r.differ || r.Actual.wrong() != r.Expected.wrong()) {
			var first bool
			first, err = healsFirst(ctx, w, j, p, 1-healed, func(source string) bool {
				return !w.fed[source]
			})
			if first {
				s.explained, s.rounding = next.explained, r
				return err
			}
		}
		if ctx.Err() != nil {
			return fmt.Errorf("locate: %w", context.Cause(ctx))
		}
	}
	return nil
}
