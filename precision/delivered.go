package precision

// form is one of the two forms of a model in which the search ([Repair]) checks a set of nodes to
// keep in float32. All other nodes compute in [Repair.Format]. withCasts is the float32 model with
// casts that round the inputs and outputs of the other nodes. asDeployed is the model to deploy
// ([Repaired.Lowered]), in which the tensors of the other nodes have the format's element type.
//
// Engines drop some casts of the model to deploy and fold rounded weights, so it can pass where the
// model with casts fails, and vice versa. Both must pass. If [Repair.Engine] is set, neither form
// is used: that engine runs the original model.
type form int

const (
	withCasts form = iota
	asDeployed
	forms
)

// formsToCheck returns how many forms of the model ([form]) are run to check a set of nodes.
func (w *searching) formsToCheck() int {
	if w.Engine == nil && w.format == FP16 && !w.refused {
		return int(forms)
	}
	return 1
}

// result returns the result of checking a set of nodes, or nil if the set has not been tried.
func (w *searching) result(kept []bool) *trial { return w.tried[key(kept)] }
