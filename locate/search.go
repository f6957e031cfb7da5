package locate

import "github.com/modelparity/modelparity/locate/internal/pairing"

// search is one search for a divergence. It pairs the tensors of two models, runs both models,
// compares each pair, and explains the result. Each step uses the results of the steps before it,
// and all steps write to the same finding.
type search struct {
	found    *Finding
	runs     *runner
	pairs    *pairs
	matching *matching
	judge    *judging
	settling *settling
	blaming  *blaming
}

// newSearch creates the steps of a search that uses the given runner.
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
