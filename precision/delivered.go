package precision

// way is a method of judging a set of nodes that stay in float32. byCasts judges the model rounded
// by casts, in which every lowered node in effect stores its outputs in the format. byTypes judges
// the delivered model, in which the tensors of lowered nodes have the format's element type.
// Engines drop some casts of the delivered model and fold rounded weights, so a set can pass by one
// method and fail by the other; it must pass by both. If an engine computes in the format itself,
// that engine judges instead of byCasts.
type way int

const (
	byCasts way = iota
	byTypes
	ways
)

// delivers reports whether the delivered model differs from the model rounded by casts.
func (w *searching) delivers() bool { return w.Engine == nil && w.format == FP16 && !w.refused }

// each returns the number of runs that it takes to judge a set that passes.
func (w *searching) each() int {
	if w.delivers() {
		return int(ways)
	}
	return 1
}

// result returns the result of a set, or nil if the set has not been tried.
func (w *searching) result(kept []bool) *trial { return w.tried[key(kept)] }
