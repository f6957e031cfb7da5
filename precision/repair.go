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
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// Repair looks for the smallest set of nodes that must stay in float32 so that a model in a lower
// precision passes a rule.
type Repair struct {
	// Format is FP16 or BF16.
	Format Format
	// Rule is what the outputs are held to, against those of the model in float32.
	Rule compare.Options
	// Engine computes in the format itself, but for nodes that it is told to keep; nil is the model
	// rounded by casts, in the subject's engine.
	Engine backends.KeepingEngine
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
	engine   backends.KeepingEngine
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

// spare is how many runs a search takes besides one for each node.
const spare = 10

// trials is how many sets a search should be able to try before it compares with what others find.
const trials = 13

// ranked is how many iterations of the inputs rank nodes. All of them verify.
const ranked = 4

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

// begin runs the reference and looks at the model. done ends the search, where there is no error.
func (r Repair) begin(ctx context.Context, subject backends.Subject) (w *searching, done func(),
	err error) {
	if !r.Format.everywhere() {
		return nil, nil, fmt.Errorf("%q stores no tensors between nodes: want %s or %s", r.Format, FP16,
			BF16)
	}
	s, err := open(ctx, subject, r.Format)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			s.forget()
		}
	}()
	if err := errors.Join(noise.Float32(ctx, s.engine), r.fitting(s.inputs)); err != nil {
		return nil, nil, err
	}
	w = &searching{Repair: r, opened: s, subject: subject, tried: map[string]*trial{}}
	if w.plain, err = exactly(s.engine, s.model); err != nil {
		return nil, nil, err
	}
	if w.state, err = openState(r.State, w); err != nil {
		return nil, nil, err
	}
	if r.Engine != nil {
		forget := s.forget
		judge, forgetBuilds, err := sharing(ctx, r.Engine, s.model, fixtures.Of(s.inputs...))
		if err != nil {
			return nil, nil, err
		}
		w.judge, s.forget = judge, func() { forgetBuilds(); forget() }
	}
	if err := w.prepare(ctx); err != nil || r.Engine == nil {
		return w, s.forget, err
	}
	w.network.told, err = w.judge.LayersOf(ctx, w.model)
	return w, s.forget, err
}

// sharing is the engine whose builds of a model share what they measure, until forget is called.
func sharing[E backends.Engine](ctx context.Context, engine E, model fixtures.Declaration,
	inputs fixtures.Inputs) (shared E, forget func(), err error) {
	parts, forget, err := backends.ForParts(ctx, engine, model, inputs)
	if err != nil {
		return engine, nil, err
	}
	shared, same := parts.(E)
	if !same { // it can be told nothing
		return engine, forget, nil
	}
	return shared, forget, nil
}

// fitting is an error where there are not as many given outputs as inputs.
func (r Repair) fitting(inputs []*tensor.Set) error {
	if r.Expected != nil && len(r.Expected) != len(inputs) {
		return fmt.Errorf("the outputs to hold to are of %d iterations, and the inputs of %d: give the "+
			"inputs that they were made of", len(r.Expected), len(inputs))
	}
	return nil
}

// searching is one search.
type searching struct {
	Repair
	*opened
	subject   backends.Subject
	plain     backends.Engine // in which what is rounded runs
	network   *network
	names     []string // of the outputs
	reference []*tensor.Set
	expected  []*tensor.Set
	why       map[int]Why
	stored    []float64 // of each step
	own       [][]float64
	predicted *prediction
	tried     map[string]*trial
	state     *state
	runs      int
	// harder is, for each output, by how much more the differences of the model grow as it is
	// delivered than as it is judged; nil is by nothing.
	harder []float64
	// typed says that sets are judged by the model that is delivered, and refused that the engine does
	// not take it.
	typed, refused bool
	held           map[string]bool // what verifying sets showed
	spends         bool            // no runs are kept for other sets any more

	judge   backends.KeepingEngine // Engine, whose builds share what they measure
	builds  int
	judging time.Duration
}

// trial is what a set of nodes gave.
type trial struct {
	Margins []float64 `json:"margins"`
	Passes  bool      `json:"passes"`
	// Errors are those of each output, to see how errors add up.
	Errors []float64 `json:"errors"`
	Reason string    `json:"reason,omitempty"`

	report compare.Report
}

func (w *searching) say(format string, args ...any) {
	if w.Progress != nil {
		w.Progress(fmt.Sprintf(format, args...))
	}
}

// prepare runs the reference and looks at what is inside.
func (w *searching) prepare(ctx context.Context) error {
	run, err := backends.RunIn(ctx, w.engine, w.model, fixtures.Of(w.inputs...))
	if err != nil {
		return err
	}
	w.runs++
	w.reference, w.expected = run.Outputs(), w.Expected
	if w.expected == nil {
		w.expected = w.reference
	}
	if err := w.holds(w.reference, "float32 itself, in "+w.engine.String()); err != nil {
		return err
	}
	inside, err := lookInside(ctx, w.engine, w.model, w.format, w.ranking())
	if err != nil {
		return err
	}
	w.runs += inside.runs
	if w.network, err = newNetwork(w.model, w.format, inside); err != nil {
		return err
	}
	for _, v := range w.network.outputs {
		w.names = append(w.names, v.Name)
	}
	w.why = w.network.ranges()
	for _, i := range w.network.steps {
		stored := 0.0
		for _, name := range w.network.nodes[i].makes {
			stored = max(stored, inside.stored[name])
		}
		w.stored = append(w.stored, stored)
	}
	return w.network.fits()
}

// holds refuses a rule that outputs of float32 do not pass.
func (w *searching) holds(outputs []*tensor.Set, what string) error {
	report, err := compare.Runs(outputs, w.expected, w.Rule)
	if err != nil || report.Verdict == compare.Pass {
		return err
	}
	if w.Expected != nil {
		what += " and held to the given outputs (either the reference is of a different model or of " +
			"different inputs, or the rule is tighter than its own error),"
	}
	return fmt.Errorf("%w: %s does not pass: %s", ErrBeyond, what, report.Reason)
}

// ranking is the iterations that rank nodes.
func (w *searching) ranking() []*tensor.Set { return w.inputs[:min(ranked, len(w.inputs))] }

// measure rounds one node at a time, and the inputs.
func (w *searching) measure(ctx context.Context) (err error) {
	sets := w.ranking()
	var s *switched
	defer func() {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	wanted := w.network.floating() + spare - w.runs - 2 - guards(len(w.network.steps)) - trials
	of, groups := w.network.group(wanted)
	count := groups + 1
	var exact []*tensor.Set
	for j := none; j < count; j++ {
		if errors, ok := w.known(j); ok {
			w.runs++
			w.own = append(w.own, errors)
			continue
		}
		if s == nil {
			if s, err = openSwitched(ctx, w.network, of, groups, w.plain, sets); err != nil {
				return err
			}
			if exact, err = s.run(ctx, sets, none); err != nil {
				return err
			}
		}
		if j == none {
			w.runs++
			if err := w.another(exact); err != nil {
				return err
			}
			w.own = append(w.own, nil)
			w.state.Measured[none] = nil
			continue
		}
		outputs, err := s.run(ctx, sets, j)
		if err != nil {
			return err
		}
		w.runs++
		errors, err := deviations(w.names, outputs, exact)
		if err != nil {
			return err
		}
		w.own = append(w.own, errors)
		if err := w.state.measured(j, errors); err != nil {
			return err
		}
		w.say("measured %d of %d", j+1, count)
	}
	w.own = w.network.split(w.own[1:], of, w.stored)
	w.predicted = w.network.predict(w.own, w.stored)
	return nil
}

// another refuses a rule that float32 in another order of additions does not pass: the model that
// rounds nothing, in which the engine fuses less.
func (w *searching) another(exact []*tensor.Set) error {
	report, err := compare.Runs(exact, w.expected[:len(exact)], w.Rule)
	if err != nil || report.Verdict == compare.Pass {
		return err
	}
	return fmt.Errorf("%w: the tolerance is below what float32 itself gives: %v, where it fuses "+
		"other nodes, differs from itself: %s", ErrBeyond, w.engine, report.Reason)
}

// repaired is the result.
func (w *searching) repaired(ctx context.Context, kept []bool) (*Repaired, error) {
	n := w.network
	t := w.tried[key(kept)]
	if t.report.Verdict == "" { // from the state
		again, err := w.judged(ctx, kept)
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
	limits := w.limits(w.forced(), w.tried[key(w.forced())])
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
	if first := w.tried[key(make([]bool, len(kept)))]; first != nil {
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
