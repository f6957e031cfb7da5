package precision

// form is a form of the model in which the search checks a set of nodes to keep in float32. All
// other nodes compute in the format. withCasts is the float32 model with casts that round the
// inputs and outputs of the other nodes. asDeployed is the model to deploy, in which the tensors of
// the other nodes have the format's element type.
//
// Engines drop some casts of the model to deploy and fold rounded weights, so it can pass where the
// model with casts fails, and vice versa. Both must pass. If [Repair.Engine] is set, that engine
// runs the original model instead.
type form int

const (
	withCasts form = iota
	asDeployed
	forms
)

// each returns the number of forms of the model in which a set of nodes must pass.
func (w *searching) each() int {
	if w.Engine == nil && w.format == FP16 && !w.refused {
		return int(forms)
	}
	return 1
}

// result returns the result of checking a set of nodes, or nil if the set has not been tried.
func (w *searching) result(kept []bool) *trial { return w.tried[key(kept)] }
