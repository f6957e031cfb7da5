package compare

import "fmt"

// average compares every iteration. For each check, it averages the measured number over the
// iterations and compares the mean with the check's limit. NaN propagates.
func (c *Comparer) average(s *sides) ([]Output, error) {
	var names []string
	each := map[string][]Output{}
	iterations := s.iterations()
	for i := range iterations {
		outputs, err := c.iteration(i, s.actual[i], s.expected[i])
		if err != nil {
			return nil, err
		}
		for _, out := range outputs {
			if each[out.Name] == nil {
				names = append(names, out.Name)
			}
			each[out.Name] = append(each[out.Name], out)
		}
	}
	averaged := make([]Output, len(names))
	for i, name := range names {
		averaged[i] = averageOf(each[name], iterations)
	}
	return averaged, nil
}

// averageOf returns the result for one output, given its results in the iterations that have it. An
// output that could not be compared in some iteration fails, because a mean over the other
// iterations would mislead.
func averageOf(each []Output, iterations int) Output {
	o := Output{Name: each[0].Name, ExpectedName: each[0].ExpectedName, Iteration: Averaged,
		Verdict: Pass}
	var gathered [][]Result // by check
	compared := 0
	for _, one := range each {
		if len(one.Results) == 0 || one.barred {
			return o.failed(fmt.Sprintf("iteration %d: %s", one.Iteration, one.Reason))
		}
		if compared++; one.empty {
			continue
		}
		if gathered == nil {
			gathered = make([][]Result, len(one.Results))
		}
		for i, r := range one.Results {
			gathered[i] = append(gathered[i], r)
		}
	}
	o.empty = gathered == nil
	for _, results := range gathered {
		r, _ := results[0].Check.rule.mean(results)
		r.Verdict = Pass
		r.conclude()
		if r.Verdict == Fail && o.Verdict == Pass {
			o = o.failed(fmt.Sprintf("%s, averaged over %d iterations", r.Check.rule.reason(&r),
				iterations))
		}
		o.Results = append(o.Results, r)
	}
	if o.Verdict == Pass && compared < iterations {
		o = o.failed(fmt.Sprintf("only %d of %d iterations have the output", compared, iterations))
	}
	return o
}
