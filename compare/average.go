package compare

import "fmt"

// average compares every iteration. For each check, it averages the measured number over the
// iterations and compares the mean with the check's limit. NaN propagates. An output that could not
// be compared in some iteration fails, because a mean over the other iterations would mislead.
func (c *Comparer) average(s *sides) ([]Output, error) {
	var averaged []Output
	at := map[string]int{}
	iterations := s.iterations()
	for i := range iterations {
		outputs, err := c.iteration(i, s.actual[i], s.expected[i])
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

// gather adds the results of one iteration to the results gathered so far.
func (o *Output) gather(one Output) {
	if len(one.Results) == 0 || one.barred {
		if o.Verdict == Pass {
			o.Verdict = Fail
			o.Reason = fmt.Sprintf("iteration %d: %s", one.Iteration, one.Reason)
		}
		return
	}
	if one.empty {
		o.empties++
		return
	}
	if o.gathered == nil {
		o.gathered = make([][]Result, len(one.Results))
	}
	for i, r := range one.Results {
		o.gathered[i] = append(o.gathered[i], r)
	}
}

// average replaces the gathered results with their means and compares each mean with the check's
// limit.
func (o *Output) average(iterations int) {
	met := o.empties
	o.empty = len(o.gathered) == 0 && o.empties > 0
	for _, results := range o.gathered {
		met = len(results) + o.empties
		r, _ := results[0].Check.rule.mean(results)
		r.Verdict = Pass
		r.conclude()
		if r.Verdict == Fail && o.Verdict == Pass {
			o.Verdict = Fail
			o.Reason = r.Check.rule.reason(&r) + fmt.Sprintf(", averaged over %d iterations", iterations)
		}
		o.Results = append(o.Results, r)
	}
	o.gathered = nil
	if o.Verdict == Pass && met < iterations {
		o.Verdict = Fail
		o.Reason = fmt.Sprintf("only %d of %d iterations have the output", met, iterations)
	}
}
