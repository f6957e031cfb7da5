package compare

import (
	"errors"

	"github.com/modelparity/modelparity/tensor"
)

// Stream is [Comparer.Runs] for runs that are compared while they are made: it is given one
// iteration at a time, and keeps the tensors of those outputs whose details are printed, the first
// eight that fail. Any other keeps its line of text, and its statistics have no numbers.
// Options.Average, which needs every iteration, is an error, and so is an output that Options names
// and an iteration lacks.
type Stream struct {
	comparer   *Comparer
	report     Report
	iterations int
	lengths    [2]int           // of the sides, where they differ
	failed     int              // outputs
	kinds      map[string]kinds // of both sides, by output, as last seen
}

// Stream begins a comparison.
func (c *Comparer) Stream() (*Stream, error) {
	if c.options.Average {
		return nil, errors.New("compare: Average needs every iteration, so it excludes streaming")
	}
	return &Stream{comparer: c, report: Report{Verdict: Pass},
		kinds: map[string]kinds{}}, nil
}

// Add compares one more iteration. With Options.FailFast more is false after one that fails.
func (s *Stream) Add(actual, expected *tensor.Set) (more bool, err error) {
	if err := validateNext(s.iterations, actual, expected); err != nil {
		return false, err
	}
	sides := sidesOf([]*tensor.Set{actual}, []*tensor.Set{expected})
	if err := s.comparer.validateNames(sides); err != nil {
		return false, err
	}
	leftOut, err := s.comparer.choose(sides)
	if err != nil {
		return false, err
	}
	outputs, err := s.comparer.iteration(s.iterations, sides.actual[0], sides.expected[0])
	if err != nil {
		return false, err
	}
	if s.iterations == 0 {
		s.report.LeftOut = leftOut
	}
	s.iterations++
	for _, o := range outputs {
		if o.Verdict == Fail {
			s.failed++
		}
		if o.Verdict == Pass || s.failed > detailed {
			s.lighten(&o)
		}
		s.report.Outputs = append(s.report.Outputs, o)
	}
	return !s.comparer.options.FailFast || !anyFailed(outputs), nil
}

// Ended sets how many iterations the two sides had. If they differ the comparison fails, as [Runs]
// does.
func (s *Stream) Ended(actual, expected int) { s.lengths = [2]int{actual, expected} }

// Report is what was found. It is an error if there was nothing to compare.
func (s *Stream) Report() (Report, error) {
	if s.iterations == 0 {
		return Report{}, validateOutputs(nil, nil)
	}
	if s.lengths[0] != s.lengths[1] {
		return s.comparer.concluded(s.report, s.lengths[0], s.lengths[1])
	}
	return s.comparer.concluded(s.report, s.iterations, s.iterations)
}

// lighten takes an output's tensors away. Iterations of one type and shape share what is left.
func (s *Stream) lighten(o *Output) {
	var now kinds
	now.actual, now.expected = o.kinds()
	if (Output{stored: s.kinds[o.Name]}).kind() != o.kind() {
		s.kinds[o.Name] = now
	}
	o.stored = s.kinds[o.Name]
	o.Actual, o.Expected, o.values.actual, o.values.expected = nil, nil, nil, nil
}
