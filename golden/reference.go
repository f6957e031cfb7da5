package golden

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// Reference is the content of a golden file: a complete run, or only a sample of some outputs.
type Reference struct {
	// Run contains the file's outputs. A sampled output is a one-dimensional tensor of the sampled
	// elements.
	Run *backends.Run
	// Sampled is true if the file contains only a sample of at least one output.
	Sampled bool

	head *runfile.Head
}

// ReadReference reads the golden file at path. It rejects files that were not written as golden
// files, such as files that Polygraphy wrote; package runs reads those. Canceling ctx stops reading
// the sidecar data.
//
// If the file does not exist, the error wraps [fs.ErrNotExist]. If the file header disagrees with
// the data, or a checksum is missing (an output's, or the header's own), the error says where.
func ReadReference(ctx context.Context, path string) (*Reference, error) {
	runfile.Use(path)
	if err := goldentree.Confusable(path); err != nil {
		return nil, fmt.Errorf("golden: %w", err)
	}
	r, err := readReference(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("golden: %w", located.In(path, err))
	}
	return r, nil
}

// readReference reads the golden file at path. Its errors do not include the path.
func readReference(ctx context.Context, path string) (*Reference, error) {
	run, h, err := goldentree.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Reference{Run: run, Sampled: h.HoldsAll() != nil, head: h}, nil
}

// Of reduces a run's outputs to the elements that the file contains. An output whose type or shape
// differs from the file's is returned whole.
func (r *Reference) Of(outputs []*tensor.Set) []*tensor.Set {
	if !r.Sampled {
		return outputs
	}
	sampled, _ := sets.MapAll(outputs, func(i int, name string, t *tensor.Tensor) (*tensor.Tensor,
		error) {
		o := r.described(i, name)
		if o == nil || o.Sample == nil || t.ElementType() != o.Type || !t.Shape().Equal(o.Shape) {
			return t, nil
		}
		return o.Sample.Take(t)
	}) // cannot fail: the names come from valid sets, and the type was sampled before
	return sampled
}

// described returns the file header's entry for the named output in an iteration, or nil.
func (r *Reference) described(iteration int, name string) *runfile.Output {
	if iteration >= len(r.head.Runs[0].Iterations) {
		return nil
	}
	outputs := r.head.Runs[0].Iterations[iteration]
	for i := range outputs {
		if outputs[i].Name == name {
			return &outputs[i]
		}
	}
	return nil
}

// vouched says how much of the output t the file's sample can verify. now describes t as the file
// describes o.
func vouched(o *runfile.Output, t *tensor.Tensor, now runfile.Output) string {
	switch {
	case t.ElementType() != o.Type || !t.Shape().Equal(o.Shape):
		return fmt.Sprintf("%s: the file contains a sample of %v%v, the run returns %v%v", o.Name, o.Type,
			o.Shape, t.ElementType(), t.Shape())
	case now.Sum() == o.Sum():
		return fmt.Sprintf("%s: only a sample is stored, but all %d elements have the same checksum as "+
			"in the golden run", o.Name, t.Len())
	}
	return fmt.Sprintf("%s: a sample of %d of %d elements (%.3g %%) was compared", o.Name,
		o.Sample.Elements, t.Len(), min(100*float64(o.Sample.Elements)/float64(t.Len()), 99.9))
}

// Hold completes the report of a comparison of the sets that [Reference.Of] returned for outputs.
// It adds to the report's notes, and returns, how much of each sampled output the file can verify.
// It fails a sampled output if the file's statistics of all its elements show that an element
// outside the sample breaks the rule. If a sample cannot show whether the rule is satisfied, Hold
// returns an error, unless all elements have the same bits as in the file.
func (r *Reference) Hold(report *compare.Report, outputs []*tensor.Set, under compare.Options) (
	words []string, err error) {
	for i, set := range outputs {
		parts := map[string][]tensor.Entry{}
		for _, v := range set.Values() {
			parts[v.Name] = v.Parts
		}
		for k := range report.Outputs {
			out := &report.Outputs[k]
			if out.Iteration != compare.Averaged && out.Iteration != i {
				continue
			}
			for _, part := range parts[out.Name] {
				o := r.described(i, part.Name)
				if o == nil || o.Sample == nil {
					continue
				}
				now := o.DescribedLike(part.Tensor)
				words = append(words, vouched(o, part.Tensor, now))
				if out.Verdict == compare.Fail {
					continue
				}
				if out.Reason, err = outside(o, part.Tensor, now, out.Results, under); err != nil {
					return nil, fmt.Errorf("output %q: %w", out.Name, err)
				}
				if out.Reason != "" {
					out.Verdict, report.Verdict = compare.Fail, compare.Fail
					report.Reason = cmp.Or(report.Reason, fmt.Sprintf("output %q: %s", out.Name, out.Reason))
				}
			}
		}
	}
	report.Notes = append(report.Notes, words...)
	return words, nil
}

// outside looks for proof that an element of t outside the sample breaks one of the checks:
// different numbers of NaN or infinities, different bits under an exact rule, or a minimum or
// maximum that moved further than the rule lets any element move. now describes t as the file
// describes o. It returns the reason, or "" if there is no proof.
func outside(o *runfile.Output, t *tensor.Tensor, now runfile.Output, checks []compare.Result,
	under compare.Options) (string, error) {
	if t.ElementType() != o.Type || !t.Shape().Equal(o.Shape) {
		return fmt.Sprintf("the run returns %v%v, expected %v%v", t.ElementType(), t.Shape(), o.Type,
			o.Shape), nil
	}
	if now.NaN != o.NaN || now.Inf != o.Inf {
		return fmt.Sprintf("%d NaN and %d infinities among all %d elements, expected %d and %d", now.NaN,
			now.Inf, t.Len(), o.NaN, o.Inf), nil
	}
	if now.Sum() == o.Sum() {
		return "", nil
	}
	if len(under.TopK) > 0 {
		return "", errors.New("top-k needs the whole output, but the golden file contains only a " +
			"sample: write the file without Sampled")
	}
	for _, result := range checks {
		exact, bound, err := result.Check.OnSample(o.Type)
		if err != nil {
			return "", err
		}
		if reason := beyond(o, t.Len(), now, exact, bound); reason != "" {
			return reason, nil
		}
	}
	return "", nil
}

// beyond does the work of [outside] for one check. n is the number of elements.
func beyond(o *runfile.Output, n int, now runfile.Output, exact bool,
	bound func(magnitude float64) float64) string {
	largest := 0.
	for _, end := range []struct {
		name     string
		now, old json.RawMessage
	}{{"minimum", now.Min, o.Min}, {"maximum", now.Max, o.Max}} {
		is, err := strconv.ParseFloat(string(end.now), 64)
		was, wrong := strconv.ParseFloat(string(end.old), 64)
		most := bound(math.Abs(was)) * 1.001 // for errors rounded to the element type
		grows := bound(1)-bound(0) <= 1      // rtol; else any element may become the extreme
		if err == nil && wrong == nil && grows && !exact && math.Abs(is-was) > most {
			return fmt.Sprintf("the %s of all %d elements is %s, expected %s: an element outside the "+
				"sample is out of tolerance", end.name, n, end.now, end.old)
		}
		largest = max(largest, math.Abs(was))
	}
	whole := o.Type.IsInteger() || o.Type == tensor.Bool // numbers that differ by 1 at least
	if exact || whole && bound(largest) < 1 {
		return "the rule allows no difference, but an element outside the sample differs"
	}
	return ""
}

// judge compares a run with the file, using the given rule.
func (r *Reference) judge(run *backends.Run, under compare.Options,
	rule func(now, old *backends.Run) (compare.Report, error)) (compare.Report, error) {
	if !r.Sampled {
		return rule(run, r.Run)
	}
	now := &backends.Run{Provenance: run.Provenance}
	for _, set := range r.Of(run.Outputs()) {
		now.Append(backends.Iteration{Outputs: set, Runtime: -1})
	}
	report, err := rule(now, r.Run)
	if err == nil {
		_, err = r.Hold(&report, run.Outputs(), under)
	}
	return report, err
}
