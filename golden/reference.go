package golden

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/tensor"
)

// Reference is what a golden file has of a run: all of it, or a sample of some outputs.
type Reference struct {
	// Run is what the file holds. Of an output that was sampled it has the elements of the sample, as
	// a tensor of one axis.
	Run *backends.Run

	head *runfile.Head
}

// ReadReference reads the golden file at path, which may hold a sample, as [Read] does. Ending
// ctx ends the reading of data next to the file.
func ReadReference(ctx context.Context, path string) (*Reference, error) {
	runfile.Use(path)
	if err := confusable(path); err != nil {
		return nil, fmt.Errorf("golden: %w", err)
	}
	r, err := readReference(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("golden: %w", located.In(path, err))
	}
	return r, nil
}

// readReference is [ReadReference] with errors that do not name the file.
func readReference(ctx context.Context, path string) (*Reference, error) {
	run, h, err := readGoldenUnder(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Reference{run, h}, nil
}

// whole is an error where the file holds a sample.
func (r *Reference) whole() error { return r.head.HoldsAll() }

// Sampled reports whether the file holds only a sample of some output.
func (r *Reference) Sampled() bool { return r.head.HoldsAll() != nil }

// Of is what a run's outputs have at the places that the file holds, and in words, for each output
// that was sampled, what the file can vouch for. Outputs of another type or shape stay whole.
func (r *Reference) Of(outputs []*tensor.Set) (sets []*tensor.Set, words []string) {
	if !r.Sampled() {
		return outputs, nil
	}
	sets = make([]*tensor.Set, len(outputs))
	for i, set := range outputs {
		entries := make([]tensor.Entry, set.Len())
		for j := range entries {
			entries[j] = set.At(j)
			o := r.described(i, entries[j].Name)
			if o == nil || o.Sample == nil {
				continue
			}
			t := entries[j].Tensor
			if t.ElementType() != o.Type || !t.Shape().Equal(o.Shape) {
				words = append(words, fmt.Sprintf("%s: the file holds a sample of %v%v, the run gives %v%v",
					o.Name, o.Type, o.Shape, t.ElementType(), t.Shape()))
				continue
			}
			if taken, err := o.Sample.Take(t); err == nil {
				entries[j].Tensor = taken
			}
			words = append(words, vouched(o, t))
		}
		sets[i] = set
		if all, err := tensor.NewSet(entries...); err == nil {
			sets[i] = all
		}
	}
	return sets, words
}

// described is the output of that name in an iteration, or nil.
func (r *Reference) described(iteration int, name string) *runfile.Output {
	if all := r.head.Runs[0].Iterations; iteration < len(all) {
		for j := range all[iteration] {
			if all[iteration][j].Name == name {
				return &all[iteration][j]
			}
		}
	}
	return nil
}

// vouched says how much of an output of the same type and shape a sample can vouch for.
func vouched(o *runfile.Output, t *tensor.Tensor) string {
	if o.SumOf(t) == o.Sum() {
		return fmt.Sprintf("%s: a sample, but all %d elements have the bits that were sampled", o.Name,
			t.Len())
	}
	same := 0
	for i, sum := range o.Sample.BlocksOf(t) {
		if sum == o.Sample.Blocks[i] {
			same++
		}
	}
	return fmt.Sprintf("%s: a sample, %d of %d elements were compared (%s); %d of %d blocks "+
		"have the same bits", o.Name, o.Sample.Elements, t.Len(),
		percent(o.Sample.Elements, t.Len()), same, len(o.Sample.Blocks))
}

// percent is a share to three digits, which is 100 % of all alone.
func percent(part, whole int) string {
	share := 100 * float64(part) / float64(whole)
	if part < whole {
		share = min(share, 99.9)
	}
	return fmt.Sprintf("%.3g %%", share)
}

// Hold makes a report of a run's outputs, of which those that [Reference.Of] gave were compared,
// say what the file vouches for. A sampled output fails where the whole of it has more or less NaN
// or infinities than the whole of the golden one had: then an element that is not in the sample
// differs, and which does not matter.
func (r *Reference) Hold(report *compare.Report, outputs []*tensor.Set, words []string) {
	report.Notes = append(report.Notes, words...)
	for i := range report.Outputs {
		out := &report.Outputs[i]
		o := r.described(max(out.Iteration, 0), out.ExpectedName)
		if o == nil || o.Sample == nil || out.Verdict == compare.Fail || out.Iteration >= len(outputs) {
			continue
		}
		t, ok := outputs[max(out.Iteration, 0)].Get(out.Name)
		if !ok {
			continue
		}
		census := compare.CensusOf(t)
		if inf := census.PosInf + census.NegInf; census.NaN != o.NaN || inf != o.Inf {
			out.Verdict = compare.Fail
			out.Reason = fmt.Sprintf("%d NaN and %d infinities in all %d elements, expected %d and %d",
				census.NaN, inf, t.Len(), o.NaN, o.Inf)
			if report.Verdict = compare.Fail; report.Reason == "" {
				report.Reason = fmt.Sprintf("output %q: %s", out.Name, out.Reason)
			}
		}
	}
}

// judge holds a run to the file by a rule of the caller's.
func (r *Reference) judge(run *backends.Run,
	rule func(now, old *backends.Run) (compare.Report, error)) (compare.Report, error) {
	if !r.Sampled() {
		return rule(run, r.Run)
	}
	sets, words := r.Of(run.Outputs())
	now := &backends.Run{Provenance: run.Provenance}
	for _, set := range sets {
		now.Append(backends.Iteration{Outputs: set, Runtime: -1})
	}
	report, err := rule(now, r.Run)
	if err == nil {
		r.Hold(&report, run.Outputs(), words)
	}
	return report, err
}
