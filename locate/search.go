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

// search is one search for a divergence.
type search struct {
	actual, expected *seat
	options          Options
	sets, theirs     []*tensor.Set // the inputs, and by the expected side's names
	found            *Finding

	nodes    []loaders.Node  // of the actual model
	producer map[string]int  // node by output
	row      map[string]int  // row of the finding by tensor
	fed      map[string]bool // the actual model's inputs
	sources  map[string][]string

	matched *matched        // nil where names tell all
	tried   map[string]bool // tensors whose nodes ran alone, or could not

	progress *tracker

	narrowed map[string]int        // nodes of the stretches that narrow has looked into, by their row
	refused  map[pairing.Pair]bool // what narrow took for pairs, and was contradicted
	trials   int
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
func (w *search) findSources() {
	w.sources = map[string][]string{}
	for i := range w.nodes {
		n := &w.nodes[i]
		var sources []string
		for _, name := range slices.Concat(n.Inputs, n.Captured) {
			_, shared := w.row[name]
			switch {
			case shared && len(w.sources[name]) > 0, w.fed[name]:
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
func (w *search) growth(p *Point) Number {
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
func (w *search) measure(actual, expected []*tensor.Tensor) (m measured, err error) {
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

func (w *search) measureOne(actual, expected *tensor.Tensor) (measured, error) {
	options := w.options.inside()
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
