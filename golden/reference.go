package golden

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/names"
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

	head  *runfile.Head
	seen  map[*tensor.Tensor]runfile.Output // descriptions of tensors; see [Reference.now]
	named []map[string]*runfile.Output      // the file header's outputs; see [Reference.described]
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

// Judge compares a run with the file by the function rule. If the file contains only a sample of an
// output, Judge passes only the sampled elements to rule. It then also fails the output if the
// file's statistics of all its elements show that an element outside the sample breaks the rule. If
// a sample cannot show whether the rule is satisfied, Judge compares the checksum of all elements
// with the checksum in the file. It returns an error if the two checksums differ.
//
// If outputs have different names in the file and in the run, options says which ones to compare;
// see [Options]. The notes say how much of each sampled output the file can verify. Judge also adds
// them to the report.
func (r *Reference) Judge(run *backends.Run, options compare.Options,
	rule func(now, old *backends.Run) (compare.Report, error)) (report compare.Report,
	notes []string, err error) {
	if !r.Sampled {
		report, err = rule(run, r.Run)
		return report, nil, err
	}
	sampled, notes := r.reduced(run.Outputs(), options)
	now := &backends.Run{Provenance: run.Provenance}
	for _, set := range sampled {
		now.Append(backends.Iteration{Outputs: set, Runtime: -1})
	}
	if report, err = rule(now, r.Run); err == nil {
		report.Notes = append(report.Notes, notes...)
		err = r.hold(&report, run.Outputs(), options)
	}
	return report, notes, err
}

// reduced reduces a run's outputs to the elements that the file contains, and returns the notes of
// [Reference.Judge]. It returns an output whole if its type or shape differs from the file's.
func (r *Reference) reduced(outputs []*tensor.Set, options compare.Options) (sampled []*tensor.Set,
	notes []string) {
	if !r.Sampled {
		return outputs, nil
	}
	named := fileNames(outputs, r.Run.Outputs(), options)
	sampled, _ = sets.MapAll(outputs, func(i int, name string, t *tensor.Tensor) (*tensor.Tensor,
		error) {
		o := r.described(i, cmp.Or(named[name], name))
		switch {
		case o == nil || o.Sample == nil:
			return t, nil
		case t.ElementType() != o.Type || !t.Shape().Equal(o.Shape):
			notes = append(notes, fmt.Sprintf("%s: the file contains a sample of %v%v, the run returns "+
				"%v%v", o.Name, o.Type, o.Shape, t.ElementType(), t.Shape()))
			return t, nil
		}
		notes = append(notes, r.vouched(o, t))
		taken, err := o.Sample.Take(t)
		if err != nil {
			return t, nil //nolint:nilerr // the whole output is compared, and fails by its shape
		}
		return taken, nil
	}) // cannot fail: the names come from valid sets
	return sampled, notes
}

// fileNames returns the names in the file for those outputs that have a different name there. The
// options pair the two names. The keys are the names of tensors in outputs.
func fileNames(outputs, file []*tensor.Set, options compare.Options) map[string]string {
	var sides [2][]string
	for i, all := range [][]*tensor.Set{outputs, file} {
		for _, set := range all[:min(1, len(all))] {
			sides[i] = sets.Names(set)
		}
	}
	all := map[string]string{}
	pairs := names.Pairs(options.Names, options.ByPosition, sides[0], sides[1])
	for _, set := range outputs {
		for _, v := range set.Values() {
			if to, ok := pairs[v.Name]; ok {
				for _, part := range v.Parts {
					all[part.Name] = to + strings.TrimPrefix(part.Name, v.Name)
				}
			}
		}
	}
	return all
}

// described returns the file header's entry for the named output in an iteration, or nil.
func (r *Reference) described(iteration int, name string) *runfile.Output {
	if r.named == nil {
		for _, all := range r.head.Runs[0].Iterations {
			r.named = append(r.named, named(all))
		}
	}
	if iteration >= len(r.named) {
		return nil
	}
	return r.named[iteration][name]
}

// named maps the names of outputs to their entries in the file header, for fast lookups in files
// with many outputs.
func named(outputs []runfile.Output) map[string]*runfile.Output {
	all := make(map[string]*runfile.Output, len(outputs))
	for i := range outputs {
		all[outputs[i].Name] = &outputs[i]
	}
	return all
}

// now describes t in the same form in which the file describes o. It reads each tensor only once,
// because a tensor may be large.
func (r *Reference) now(o *runfile.Output, t *tensor.Tensor) runfile.Output {
	if r.seen == nil {
		r.seen = map[*tensor.Tensor]runfile.Output{}
	}
	if _, known := r.seen[t]; !known {
		r.seen[t] = o.DescribedLike(t)
	}
	return r.seen[t]
}

// vouched says how much of the output t the file's sample can verify. t must have the type and
// shape that the file states.
func (r *Reference) vouched(o *runfile.Output, t *tensor.Tensor) string {
	if r.now(o, t).Sum() == o.Sum() {
		return fmt.Sprintf("%s: only a sample is stored, but all %d elements have the same "+
			"checksum as in the golden run", o.Name, t.Len())
	}
	return fmt.Sprintf("%s: only the stored sample was compared, %d of %d elements (%.3g %%); "+
		"indices are positions in the sample; of the whole output, %d of %d blocks are bit-identical",
		o.Name, o.Sample.Elements, t.Len(), min(100*float64(o.Sample.Elements)/float64(t.Len()), 99.9),
		o.Sample.Same(t), len(o.Sample.Blocks))
}

// hold checks the outputs of which the report has compared only a sample. It fails an output in the
// report if [Reference.outside] finds a reason. outputs contains the run's complete outputs.
func (r *Reference) hold(report *compare.Report, outputs []*tensor.Set,
	options compare.Options) error {
	for i := range report.Outputs {
		out := &report.Outputs[i]
		for iteration, set := range outputs {
			if out.Iteration != compare.Averaged && out.Iteration != iteration {
				continue
			}
			value, _ := set.Value(out.Name)
			for _, part := range value.Parts {
				o := r.described(iteration, out.ExpectedName+strings.TrimPrefix(part.Name, out.Name))
				if o == nil || o.Sample == nil || out.Verdict == compare.Fail {
					continue
				}
				reason, err := r.outside(o, part.Tensor, out.Results, options)
				if err != nil {
					return fmt.Errorf("output %q: %w", out.Name, err)
				}
				if out.Reason = reason; reason != "" {
					out.Verdict = compare.Fail
					if report.Verdict = compare.Fail; report.Reason == "" {
						report.Reason = fmt.Sprintf("output %q: %s", out.Name, reason)
					}
				}
			}
		}
	}
	return nil
}

// outside looks for proof that an element of t outside the sample breaks one of the checks:
// different numbers of NaN or infinities, different bits under an exact rule, or a minimum or
// maximum that moved further than the rule lets any element move. It returns the reason, or "" if
// there is no proof.
func (r *Reference) outside(o *runfile.Output, t *tensor.Tensor, checks []compare.Result,
	options compare.Options) (string, error) {
	if t.ElementType() != o.Type || !t.Shape().Equal(o.Shape) {
		return fmt.Sprintf("the run returns %v%v, expected %v%v", t.ElementType(), t.Shape(), o.Type,
			o.Shape), nil
	}
	now := r.now(o, t)
	if now.NaN != o.NaN || now.Inf != o.Inf {
		return fmt.Sprintf("%d NaN and %d infinities among all %d elements, expected %d and %d", now.NaN,
			now.Inf, t.Len(), o.NaN, o.Inf), nil
	}
	if now.Sum() == o.Sum() {
		return "", nil
	}
	if len(options.TopK) > 0 {
		return "", errors.New("top-k needs the whole output, but the golden file contains only a " +
			"sample: write the file without Sampled")
	}
	for _, result := range checks {
		exact, bound, err := result.Check.OnSample(o.Type)
		if err != nil {
			return "", err
		}
		if reason := r.beyond(o, t, exact, bound); reason != "" {
			return reason, nil
		}
	}
	return "", nil
}

// beyond does the work of [Reference.outside] for one check.
func (r *Reference) beyond(o *runfile.Output, t *tensor.Tensor, exact bool,
	bound func(magnitude float64) float64) string {
	now, largest := r.now(o, t), 0.
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
				"golden file's sample is out of tolerance", end.name, t.Len(), end.now, end.old)
		}
		largest = max(largest, math.Abs(was))
	}
	whole := o.Type.IsInteger() || o.Type == tensor.Bool // numbers that differ by 1 at least
	if exact || whole && bound(largest) < 1 {
		return fmt.Sprintf("the rule allows no difference, but an element outside the golden "+
			"file's sample differs (bit-identical blocks of the output: %d of %d)", o.Sample.Same(t),
			len(o.Sample.Blocks))
	}
	return ""
}
