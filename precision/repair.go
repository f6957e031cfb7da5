package precision

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Repair searches for the smallest set of nodes that must stay in float32 so that a model in lower
// precision passes a rule.
type Repair struct {
	// Format is FP16 or BF16 for [Repair.Find]. For [Repair.Quantizers] it may be INT4.
	Format Format
	// Rule compares the outputs with outputs of the model in float32.
	Rule compare.Options
	// Engine runs the model to check which sets of nodes pass. It computes in the format itself,
	// except for nodes that it is told to keep in float32 ([backends.Capabilities.Raise]). If Engine
	// is nil, the subject's engine runs the model with casts that round it to the format.
	Engine backends.Engine
	// Expected contains the outputs to compare with, one set per iteration. If it is nil, the outputs
	// of the subject in float32 are used.
	Expected []*tensor.Set
	// State is the path of a file in which the search saves its measurements, so that an
	// interrupted search can resume. If State is "", nothing is saved.
	State string
	// Builds limits the number of sets of nodes that are checked in Engine, because each needs a build
	// of the engine; 0 means 16. Sets that are predicted to fail clearly are not built.
	//
	// All builds of a search share timing measurements ([backends.ForParts]), like TensorRT builds
	// with a common timing cache. Equal parts of two models therefore use the same kernels, and all
	// builds after the first are faster.
	Builds int
	// Progress, if not nil, is called with one line about each step.
	Progress func(line string)
}

// Kept describes a node that stays in float32.
type Kept struct {
	// Node is the node's name or, if the node has none, its first output.
	Node string `json:"node"`
	Op   string `json:"op"`
	// Index is the node's index in graph order.
	Index int `json:"index"`
	// Named reports whether Node is the node's name, by which engines know it, rather than the name
	// of an output.
	Named bool `json:"named"`
	// Error is the root mean square error of the worst output if only this node computes in the
	// format, as a fraction of the error that the rule allows. -1 means infinite.
	Error float64 `json:"error"`
	// Why says how the node leaves the format's range. It is "" if the node is kept only because of
	// its error.
	Why Why `json:"why,omitempty"`
	// Follows reports whether the node only moves data between kept nodes.
	Follows bool `json:"follows,omitempty"`
}

// Repaired is the result of [Repair.Find]: the nodes that must stay in float32.
type Repaired struct {
	Format Format `json:"format"`
	Model  string `json:"model"`
	// Keep lists the nodes that stay in float32, in graph order: compute nodes, and nodes that only
	// move data between them.
	Keep []Kept `json:"keep"`
	// Computing is the number of compute nodes in Keep. Of is the number of compute nodes in the model
	// that can compute in the format.
	Computing int `json:"computing"`
	Of        int `json:"of"`
	// Nodes is the number of nodes that output floats. Runs is the number of model runs that the
	// search took. Guided is the number of runs until the first set of nodes that passes was found;
	// the other runs looked for smaller sets of nodes.
	Nodes  int `json:"nodes"`
	Runs   int `json:"runs"`
	Guided int `json:"guided"`
	// Unused describes how the repaired model did on inputs that the search did not use.
	Unused Unused `json:"unused"`
	// Builds is the number of engines built to check sets of nodes; Judging is the total time of the
	// builds and their runs.
	Builds  int           `json:"builds,omitempty"`
	Judging time.Duration `json:"judging_ns,omitempty"`
	// Report is the verdict on the repaired model.
	Report compare.Report `json:"report"`

	search *searching
	kept   []bool
}

// ErrBeyond is the error if the rule fails even with the whole model in the higher precision.
var ErrBeyond = errors.New("cannot be repaired by raising precision")

// Find runs the search. The subject's engine must compute in float32: it runs the reference, ranks
// the nodes and, if r.Engine is nil, checks the sets of nodes.
//
// Find first looks for any set of nodes with which the model passes. This takes at most one run for
// each node that outputs floats, plus ten. Find then removes nodes from the set one at a time. It
// stops when removing any of the remaining nodes would make the model fail r.Rule. In a model with
// at most 12 nodes that can compute in the format, it also tries all smaller sets of nodes that may
// pass. With fewer than five sets of inputs, the result must have a margin: it must pass even if
// all differences grow by a quarter.
//
// Find returns [ErrBeyond] if float32 itself fails. It also returns an error if repair does not
// support the format, and for the same reasons as [Of].
func (r Repair) Find(ctx context.Context, subject backends.Subject) (found *Repaired, err error) {
	defer prefix("precision: repair", &err)
	w, done, err := r.begin(ctx, subject)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := w.measure(ctx); err != nil {
		return nil, err
	}
	kept, unused, err := w.found(ctx)
	if err != nil {
		return nil, err
	}
	return w.repaired(ctx, kept, unused)
}

// repaired builds the result.
func (w *searching) repaired(ctx context.Context, kept []bool, unused Unused) (*Repaired, error) {
	n := w.network
	t := w.result(kept)
	if t.report.Verdict == "" { // the trial was read from the state file
		again, err := w.judged(ctx, kept, withCasts)
		if err != nil {
			return nil, err
		}
		t.report = again.report
	}
	r := &Repaired{Format: w.format, Model: w.model.Name(), Of: len(n.steps), Nodes: n.floating(),
		Runs: w.runs, Report: t.report, Guided: w.guided, Unused: unused,
		Builds: w.builds, Judging: w.judging, search: w, kept: kept}
	follow := n.followers(kept)
	limits := w.limits(w.forced())
	for i := range n.nodes {
		l, follows := &n.nodes[i], slices.Contains(follow, i)
		if !follows && !n.isKept(kept, i) {
			continue
		}
		one := Kept{Node: l.label(), Op: l.Op, Index: i, Named: l.Name != "", Why: w.why[i],
			Follows: follows}
		if !follows {
			r.Computing++
			one.Error = finite(w.part(l.step, limits))
		}
		r.Keep = append(r.Keep, one)
	}
	return r, nil
}

// Lowered returns the model to deploy. For FP16, the kept nodes compute in float32 and all others
// in float16, with casts in between; strongly typed TensorRT and all other engines accept this
// model. ONNX's operators support bfloat16 only since opset 22, so for BF16 the whole model
// computes in float32, with casts that round the inputs and outputs of the nodes that are not kept.
func (r *Repaired) Lowered() (*loaders.Model, error) {
	return r.search.network.in(asDeployed, r.kept)
}
