package compare

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Judgement is the verdict of a rule made by [Func] on two tensors.
type Judgement struct {
	// Verdict is Pass or Fail. A judgement without a verdict is an error.
	Verdict Verdict
	// Value is the number on which the verdict rests, and Limit is its limit. If there is no such
	// number, leave both zero or set both to NaN.
	Value, Limit float64
	// Text is one line for the reader, such as "2 of 17 boxes moved by more than 3 px".
	Text string
}

// Func makes a rule of your own. The rule works wherever a rule of this package does: in matchers,
// in reports and in the reports' JSON. Messages show the rule's name, which must differ from the
// names of this package's rules. judge receives the tensors after top-k and reshaping; neither is
// empty, and no other option of [Options] affects them. If the tensors differ too much, judge must
// return a Judgement with the verdict Fail. If judge cannot compare the tensors, it must return an
// error; the comparison then returns that error.
//
//	iou := compare.Func("iou", func(actual, expected *tensor.Tensor) (compare.Judgement, error) {
//		worst := leastOverlap(actual, expected)
//		verdict := compare.Fail
//		if worst >= 0.9 {
//			verdict = compare.Pass
//		}
//		return compare.Judgement{Verdict: verdict, Value: worst, Limit: 0.9}, nil
//	})
//
// Two checks are equal if they come from the same call of Func. Func cannot be used with
// Options.Average, because verdicts have no average.
func Func(name string, judge func(actual, expected *tensor.Tensor) (Judgement, error)) Check {
	return Check{rule: &function{called: name, judge: judge}}
}

// AtMost makes a rule of your own that measures one number, such as a distance. The check passes if
// the number is at most limit; NaN fails. See [Func] for the rules about the name, and for errors.
//
//	alike := compare.AtMost("edges", 0.02, func(actual, expected *tensor.Tensor) (float64, error) {
//		return edgeDistance(actual, expected)
//	})
func AtMost(name string, limit float64,
	distance func(actual, expected *tensor.Tensor) (float64, error)) Check {
	if distance == nil {
		return Func(name, nil)
	}
	return Func(name, func(actual, expected *tensor.Tensor) (Judgement, error) {
		d, err := distance(actual, expected)
		j := Judgement{Verdict: Fail, Value: d, Limit: limit}
		if d <= limit {
			j.Verdict = Pass
		}
		return j, err
	})
}

// function is a rule that the user wrote. Check holds a pointer to it, because checks must be
// comparable with == and func values are not.
type function struct {
	called string
	judge  func(actual, expected *tensor.Tensor) (Judgement, error)
	read   bool // the rule was read from JSON, which cannot hold a func
}

func (f *function) name() string { return f.called }
func (f *function) text() string { return f.called }

func (f *function) parameters() parameters { return parameters{atol: nan, rtol: nan, limit: nan} }

func (f *function) validate() error {
	_, taken := rules[f.called]
	switch {
	case f.called == "":
		return errors.New("Func has an empty name, but messages and reports need one")
	case taken:
		return fmt.Errorf("Func(%q): package compare has a rule with that name; choose a different one",
			f.called)
	case f.read:
		return fmt.Errorf("%s was read from a report, which cannot hold its function: create the check "+
			"with Func again", f.called)
	case f.judge == nil:
		return fmt.Errorf("Func(%q, nil): the function is nil", f.called)
	}
	return nil
}

func (f *function) measure(p pair, r *Result) error {
	j, err := f.judge(p.actual, p.expected)
	if err != nil {
		return err
	}
	if j.Verdict != Pass && j.Verdict != Fail {
		return fmt.Errorf("the Judgement's verdict is %q: want compare.Pass or compare.Fail", j.Verdict)
	}
	r.Verdict, r.Text = j.Verdict, j.Text
	if j.Value != 0 || j.Limit != 0 {
		r.Value, r.Limit = j.Value, j.Limit
	}
	return nil
}

func (f *function) holds(r *Result) bool { return r.Verdict == Pass }

func (f *function) reason(r *Result) string {
	if figures := f.figures(r); figures != "" {
		return f.called + ": " + figures
	}
	return f.called + " fails"
}

func (f *function) figures(r *Result) string {
	text := r.Text
	for _, n := range []struct {
		name  string
		value float64
	}{{"limit", r.Limit}, {"value", r.Value}} {
		switch {
		case n.value != n.value:
		case text == "":
			text = n.name + " " + figures.Short(n.value)
		default:
			text = n.name + " " + figures.Short(n.value) + ", " + text
		}
	}
	return text
}

func (f *function) elements() elementRule { return nil }

func (f *function) mean([]Result) (Result, bool) { return Result{}, false }

// suggest does nothing: only the user's function knows what would pass.
func (f *function) suggest(pair, Result, *Required) {}
