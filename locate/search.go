package locate

import (
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// A search pairs the tensors of two models, runs both, judges pair by pair, and explains what it
// saw. Each of these steps reads what the steps before it left, and all write to one finding.

// runner has both sides of a search, and runs them and parts of their models.
type runner struct {
	found            *Finding
	actual, expected *seat
	options          Options
	sets, theirs     []*tensor.Set   // the inputs, and by the expected side's names
	fed              map[string]bool // the actual model's inputs
	progress         *tracker
}

// pairs is what is known of the tensors that both models have. The rows are those of the finding.
type pairs struct {
	found    *Finding
	runs     *runner
	nodes    []loaders.Node // of the actual model
	producer map[string]int // node by output
	row      map[string]int // row of the finding by tensor
	sources  map[string][]string
	matched  *matched // nil where names tell all
}

// called is the expected side's name of a tensor.
func (w *pairs) called(name string) string { return w.runs.expected.names.called(name) }

// matching finds the pairs.
type matching struct {
	found *Finding
	runs  *runner
	pairs *pairs
}

// judging compares pairs, in the whole models and with nodes that run alone.
type judging struct {
	found *Finding
	runs  *runner
	pairs *pairs
	tried map[string]bool // tensors whose nodes ran alone, or could not
}

// settling gives up the pairs that nothing confirms.
type settling struct {
	found *Finding
	runs  *runner
	pairs *pairs
	judge *judging
}

// narrowing looks for further pairs inside stretches of nodes that are wrong alone.
type narrowing struct {
	found    *Finding
	runs     *runner
	pairs    *pairs
	judge    *judging
	narrowed map[string]int        // nodes of the stretches that were looked into, by their row
	refused  map[pairing.Pair]bool // what was taken for pairs, and was contradicted
	trials   int
}

// weighing counts pairs, and says what each node adds in models that are quantized.
type weighing struct {
	found *Finding
	runs  *runner
	pairs *pairs
	judge *judging
}

// blaming finds the fault among the nodes that are wrong alone.
type blaming struct {
	found     *Finding
	runs      *runner
	pairs     *pairs
	judge     *judging
	narrowing *narrowing
	weighing  *weighing
}

// search is one search for a divergence: its steps, in order, and its conclusion.
type search struct {
	found    *Finding
	runs     *runner
	pairs    *pairs
	matching *matching
	judge    *judging
	settling *settling
	blaming  *blaming
}

// newSearch joins the steps of a search between the sides of runs.
func newSearch(runs *runner) *search {
	found := runs.found
	p := &pairs{found: found, runs: runs}
	judge := &judging{found: found, runs: runs, pairs: p, tried: map[string]bool{}}
	return &search{found: found, runs: runs, pairs: p, judge: judge,
		matching: &matching{found, runs, p},
		settling: &settling{found, runs, p, judge},
		blaming: &blaming{found, runs, p, judge,
			&narrowing{found: found, runs: runs, pairs: p, judge: judge,
				narrowed: map[string]int{}, refused: map[pairing.Pair]bool{}},
			&weighing{found, runs, p, judge}}}
}

// outputsOf iterates over the nodes' outputs and the indices of their nodes, in graph order.
func outputsOf(nodes []loaders.Node) func(func(string, int) bool) {
	return func(yield func(string, int) bool) {
		for i := range nodes {
			for _, name := range nodes[i].Outputs {
				if name != "" && !yield(name, i) {
					return
				}
			}
		}
	}
}

// findSources finds, for each tensor, the nearest tensors before it that both models have, or that
// the model is fed with. Nodes between are a stretch: the expected model computes it otherwise.
func (w *pairs) findSources() {
	w.sources = map[string][]string{}
	for i := range w.nodes {
		n := &w.nodes[i]
		var sources []string
		for _, name := range slices.Concat(n.Inputs, n.Captured) {
			_, shared := w.row[name]
			switch {
			case shared && len(w.sources[name]) > 0, w.runs.fed[name]:
				sources = append(sources, name)
			default: // not shared, or made of weights alone: look through it
				sources = append(sources, w.sources[name]...)
			}
		}
		slices.Sort(sources)
		sources = slices.Compact(sources)
		for _, name := range n.Outputs {
			w.sources[name] = sources
		}
	}
}

// growth is a tensor's error over the greatest error among its sources. What the models are fed
// with has none.
func (w *pairs) growth(p *Point) Number {
	greatest := math.Inf(-1)
	for _, name := range w.sources[p.Tensor] {
		e := 0.0
		if row, shared := w.row[name]; shared {
			e = float64(w.found.Tensors[row].Error)
		}
		greatest = max(greatest, e)
	}
	if math.IsInf(greatest, -1) || greatest == 0 && p.Error == 0 {
		return nan
	}
	return p.Error / Number(greatest)
}

// measure holds one tensor of all iterations to the checks, and keeps the worst iteration.
func (w *judging) measure(actual, expected []*tensor.Tensor) (m measured, err error) {
	for i := range actual {
		one, err := w.measureOne(actual[i], expected[i])
		if err != nil {
			return m, err
		}
		one.iteration = i
		if i == 0 || one.worse(m) {
			m = one
		}
	}
	return m, nil
}

// measured is what comparing one tensor gave.
type measured struct {
	verdict       compare.Verdict
	reason        string
	abs, rel, err Number
	iteration     int
}

func (m measured) worse(than measured) bool {
	if m.verdict != than.verdict {
		return m.verdict == compare.Fail
	}
	return m.err > than.err || math.IsNaN(float64(m.err)) && !math.IsNaN(float64(than.err))
}

func (w *judging) measureOne(actual, expected *tensor.Tensor) (measured, error) {
	options := w.runs.options.inside()
	out, err := compare.Tensors(actual, expected, options)
	if err != nil {
		return measured{}, fmt.Errorf("locate: %w", err)
	}
	m := measured{verdict: out.Verdict, reason: out.Reason, abs: nan, rel: nan, err: nan}
	if len(out.Results) == 0 || actual.ElementType() == tensor.String {
		return m, nil // the values were not looked at, or are not numbers
	}
	if actual.Len() == 0 {
		m.abs, m.rel = 0, 0
		return m, nil
	}
	greatest, err := one(compare.Within(0, 0, compare.Max), actual, expected, options)
	if err != nil {
		return m, fmt.Errorf("locate: %w", err)
	}
	m.abs, m.rel = Number(greatest.Abs), Number(greatest.Rel)
	if m.abs == 0 {
		m.err = 0 // also zeros against zeros, where there is nothing to relate no error to
		return m, nil
	}
	if norm, err := one(compare.NormRelative(math.MaxFloat64), actual, expected, options); err == nil {
		m.err = Number(norm.Value)
	}
	return m, nil
}

// one is what a single check finds. It takes one pass over the two tensors, where everything that
// there is to say of them takes dozens.
func one(check compare.Check, actual, expected *tensor.Tensor, options compare.Options) (
	compare.Result, error) {
	options.Checks = []compare.Check{check}
	out, err := compare.Tensors(actual, expected, options)
	if err != nil || len(out.Results) == 0 {
		return compare.Result{Abs: math.NaN(), Rel: math.NaN(), Value: math.NaN()}, err
	}
	return out.Results[0], nil
}

var nan = Number(math.NaN())
