package compare

import (
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// average compares every iteration and holds each check's mean number over the iterations to its
// limit. NaN propagates. An output that could not be compared in some iteration fails: an average
// over the others would mislead.
func (c *Comparer) average(actual, expected []*tensor.Set) ([]Output, error) {
	var averaged []Output
	at := map[string]int{}
	iterations := min(len(actual), len(expected))
	for i := range iterations {
		outputs, err := c.iteration(i, actual[i], expected[i])
		if err != nil {
			return nil, err
		}
		for _, out := range outputs {
			place, met := at[out.Name]
			if !met {
				place = len(averaged)
				at[out.Name] = place
				averaged = append(averaged, Output{Name: out.Name, ExpectedName: out.ExpectedName,
					Iteration: Averaged, Verdict: Pass})
			}
			averaged[place].gather(out)
		}
	}
	for i := range averaged {
		averaged[i].average(iterations)
	}
	return averaged, nil
}

// gather adds one iteration's numbers to o, whose results are sums until average divides them.
func (o *Output) gather(one Output) {
	if len(one.Results) == 0 || one.barred {
		if o.Verdict == Pass {
			o.Verdict = Fail
			o.Reason = fmt.Sprintf("iteration %d: %s", one.Iteration, one.Reason)
		}
		return
	}
	if o.Results == nil {
		o.Results = append([]Result{}, one.Results...)
	} else {
		for i, r := range one.Results {
			sum := &o.Results[i]
			sum.Abs += r.Abs
			sum.Rel += r.Rel
			sum.Value += r.Value
			if r.Mismatches > 0 {
				sum.Mismatches += r.Mismatches
			}
		}
	}
	o.iterations++
	o.elements += one.Actual.Len()
}

// average turns sums into averages and holds them to the checks.
func (o *Output) average(iterations int) {
	for i := range o.Results {
		r := &o.Results[i]
		n := float64(o.iterations)
		r.Abs, r.Rel, r.Value = r.Abs/n, r.Rel/n, r.Value/n
		r.Verdict = Pass
		if !r.holds(o.elements) {
			r.Verdict = Fail
			if o.Verdict == Pass {
				o.Verdict = Fail
				o.Reason = r.reason(o.elements) + fmt.Sprintf(", averaged over %d iterations", iterations)
			}
		}
	}
	if o.Verdict == Pass && o.iterations < iterations {
		o.Verdict = Fail
		o.Reason = fmt.Sprintf("only %d of %d iterations have it", o.iterations, iterations)
	}
}
