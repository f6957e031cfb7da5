package precision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Repair looks for the smallest set of nodes that must stay in float32 so that a model in a lower
// precision passes a rule.
type Repair struct {
	// Format is FP16 or BF16.
	Format Format
	// Rule is what the outputs are held to, against those of the model in float32.
	Rule compare.Options
	// Engine computes in the format itself, but for nodes that it is told to keep
	// ([backends.Capabilities.Raise]); nil is the model rounded by casts, in the subject's engine.
	Engine backends.Engine
	// Expected is the outputs to hold to, one set for each iteration, in place of the subject's own.
	Expected []*tensor.Set
	// State is the path of a file that the search writes what it measured to, and begins with, so
	// that a search that was killed goes on; "" is none.
	State string
	// Builds is how many sets are judged at most where Engine is not nil, since each takes a build; 0
	// is 16. Sets that are predicted to be far from passing are not built. All builds of a search
	// share what they measure ([backends.ForParts]), as a timing cache of TensorRT: so the same
	// kernels compute what two sets have in common, and all builds but the first are quicker.
	Builds int
	// Progress is told what is done, where it is not nil.
	Progress func(line string)
}

// Kept is a node that stays in float32.
type Kept struct {
	// Node is its name in ONNX, or its first output where it has none.
	Node string `json:"node"`
	Op   string `json:"op"`
	// Index is its place in graph order.
	Index int `json:"index"`
	// Named says that Node is the name of a node, which engines know.
	Named bool `json:"named"`
	// Error is the root mean square error that the node alone adds to the output where that is
	// greatest, in parts of what the rule allows; 1 is all of it. -1 is infinite.
	Error float64 `json:"error"`
	// Why is the rule of range that names the node, "" where its error alone does.
	Why Why `json:"why,omitempty"`
	// Follows says that the node computes nothing: it moves numbers between others that are kept.
	Follows bool `json:"follows,omitempty"`
}

// Repaired is what a search found.
type Repaired struct {
	Format Format `json:"format"`
	Model  string `json:"model"`
	// Keep are the nodes that stay in float32, in graph order: those that compute, and those that
	// move numbers between them.
	Keep []Kept `json:"keep"`
	// Computing is how many of Keep compute, of Of that could be lowered.
	Computing int `json:"computing"`
	Of        int `json:"of"`
	// Nodes is how many nodes of the model make floats, and Runs how often a model ran.
	Nodes int `json:"nodes"`
	Runs  int `json:"runs"`
	// Builds is how many of the runs had an engine built in which sets were judged, and Judging how
	// long that took with the runs themselves.
	Builds  int           `json:"builds,omitempty"`
	Judging time.Duration `json:"judging_ns,omitempty"`
	// Fixed are the nodes that the format has no operator for, by their operators.
	Fixed map[string]int `json:"fixed,omitempty"`
	// Report is how the repaired model was judged.
	Report compare.Report `json:"report"`
	// Additivity is the measured error of everything lowered over what single nodes predict, 0 where
	// it was not finite.
	Additivity float64 `json:"additivity"`

	subject  backends.Subject
	plain    backends.Engine
	inputs   []*tensor.Set
	expected []*tensor.Set
	given    bool // expected was, and is not the model's own
	delivers bool // sets were judged as they are delivered, too
	engine   backends.Engine
	rule     compare.Options
	network  *network
	kept     []bool
}

// ErrBeyond is a rule that precision cannot help to pass.
var ErrBeyond = errors.New("cannot be repaired by precision")

// Beyond is what an error says to people, in a line, where it is [ErrBeyond], else the error.
func Beyond(err error) (said string, other error) {
	if !errors.Is(err, ErrBeyond) {
		return "", err
	}
	_, said, _ = strings.Cut(strings.TrimPrefix(err.Error(), "precision: "), ": ")
	return said + "\n", nil
}

// Find searches. The subject's engine must compute in float32: it gives the reference, ranks the
// nodes, and verifies where r.Engine is nil.
//
// It takes at most as many runs as the model has nodes that make floats, and ten.
//
// Errors: [ErrBeyond] where float32 itself does not pass; a format that repairs no models; those of
// [Of].
func (r Repair) Find(ctx context.Context, subject backends.Subject) (*Repaired, error) {
	found, err := r.find(ctx, subject)
	if err != nil {
		return nil, fmt.Errorf("precision: repair: %w", err)
	}
	return found, nil
}

func (r Repair) find(ctx context.Context, subject backends.Subject) (*Repaired, error) {
	w, done, err := r.begin(ctx, subject)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := w.measure(ctx); err != nil {
		return nil, err
	}
	kept, err := w.search(ctx)
	if err != nil {
		return nil, err
	}
	return w.repaired(ctx, kept)
}

// repaired is the result.
func (w *searching) repaired(ctx context.Context, kept []bool) (*Repaired, error) {
	n := w.network
	t := w.result(kept)
	if t.report.Verdict == "" { // from the state
		again, err := w.judged(ctx, kept, w.way)
		if err != nil {
			return nil, err
		}
		t.report = again.report
	}
	r := &Repaired{Format: w.format, Model: w.model.Name(), Of: len(n.steps), Nodes: n.floating(),
		Runs: w.runs, Report: t.report, Fixed: map[string]int{}, subject: w.subject, rule: w.Rule,
		inputs: w.inputs, expected: w.expected, given: w.Expected != nil, plain: w.plain, network: n,
		delivers: w.delivers(),
		kept:     kept, engine: w.Engine, Builds: w.builds, Judging: w.judging}
	k := n.keep(kept)
	follow := n.followers(k)
	limits := w.limits(w.forced())
	for i := range n.nodes {
		l := &n.nodes[i]
		if l.role == fixed && len(l.makes) > 0 {
			r.Fixed[l.Op]++
		}
		if !k[i] && !slices.Contains(follow, i) {
			continue
		}
		one := Kept{Node: l.label(), Op: l.Op, Index: i, Named: l.Name != "", Why: w.why[i],
			Follows: !k[i]}
		if k[i] {
			r.Computing++
			one.Error = finite(w.part(slices.Index(n.steps, i), limits))
		}
		r.Keep = append(r.Keep, one)
	}
	if first := w.tried[byCasts][key(make([]bool, len(kept)))]; first != nil {
		r.Additivity = w.additivity(first)
	}
	return r, nil
}

// Rounded is the model computed in float32, with casts that round what is not kept: what was
// judged where no engine computes in the format itself.
func (r *Repaired) Rounded() (*loaders.Model, error) {
	return r.network.rounded(r.network.keep(r.kept))
}

// Lowered is the model to give to engines: of FP16 one whose nodes take and make float16 but for
// those that are kept, with casts between, which is what a strongly typed TensorRT and every other
// engine takes; of BF16, which ONNX's operators take only since opset 22, [Repaired.Rounded].
func (r *Repaired) Lowered() (*loaders.Model, error) {
	return r.network.delivered(r.network.keep(r.kept))
}
