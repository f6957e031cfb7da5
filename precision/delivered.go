package precision

// method is a method of judging a set of nodes that stay in float32. All other nodes compute in the
// format: they are lowered. byCasts judges the float32 model in which casts round the inputs and
// outputs of lowered nodes. byTypes judges the model to deploy, in which the tensors of lowered
// nodes have the format's element type.
//
// Engines drop some casts of the model to deploy and fold rounded weights, so a set can pass by one
// method and fail by the other. A set must pass by both methods. If [Repair.Engine] is set, that
// engine judges instead of byCasts.
type method int

const (
	byCasts method = iota
	byTypes
	methods
)

// delivers reports whether a set must also be judged in the model to deploy, byTypes.
func (w *searching) delivers() bool { return w.Engine == nil && w.format == FP16 && !w.refused }

// each returns the number of methods by which a set of nodes must pass.
func (w *searching) each() int {
	if w.delivers() {
		return int(methods)
	}
	return 1
}

// result returns the result of judging a set of nodes, or nil if the set has not been tried.
func (w *searching) result(kept []bool) *trial { return w.tried[key(kept)] }
