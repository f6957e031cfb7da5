package locate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/setfile"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
)

// Failure is a failure to search for in ever smaller parts of a model with [Failure.ReduceTo].
// Create one with [Judged] or [Differing].
type Failure struct {
	of      backends.Subject
	fails   Fails
	options ReduceOptions // recorder and question
	spec    Spec
	forget  func()
}

// Judged returns the failure that a command detects. The subject's engine only records the
// values where the model is cut. It is an error if the command cannot be run.
func Judged(of backends.Subject, judge *JudgeCommand) (*Failure, error) {
	if err := judge.Validate(); err != nil {
		return nil, err
	}
	return &Failure{of: of, fails: judge.Fails, options: ReduceOptions{Question: judge.String()},
		spec: Spec{Judge: judge}, forget: func() {}}, nil
}

// Differing returns the failure "actual differs from expected by the rule"; see [Differs]. The
// expected side supplies the values where the model is cut. It is an error if a generated spec
// cannot express the rule.
func Differing(ctx context.Context, actual, expected backends.Subject, rule compare.Options) (
	*Failure, error) {
	f := &Failure{of: actual, spec: Spec{Actual: actual.Engine, Expected: expected.Engine, Rule: rule},
		options: ReduceOptions{Recorder: expected, Question: fmt.Sprintf("%s against %s, %v",
			actual.Engine.Text(), expected.Engine.Text(), rule.Checks)}}
	if other, ok := expected.Model.(*loaders.Model); ok && expected.Model != actual.Model {
		sum, err := other.SHA256()
		if err != nil {
			return nil, err
		}
		f.options.Question += ", model " + sum
		f.spec.ExpectedModel = other
	}
	if err := f.spec.Validate(); err != nil {
		return nil, err
	}
	var err error
	f.fails, f.forget, err = Differs(ctx, actual, expected, rule)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Close frees what the two sides share. Call it after the search.
func (f *Failure) Close() { f.forget() }

// Spec returns the spec that reproduces the failure.
func (f *Failure) Spec() Spec { return f.spec }

// ReduceFiles lists the files that [Failure.ReduceTo] writes.
type ReduceFiles struct {
	Model    string // the smallest failing part; see [Reduced.Save] for the files next to it
	Good     string // a part that passes; "" for none
	Verdicts string // all verdicts, for resuming; "" for a temporary file
	// TestData is a new or empty folder for the part as an ONNX model test: model.onnx, and
	// test_data_set_0 with the inputs and the recording side's outputs, which are the correct
	// ones. "" writes none.
	TestData string
}

// VerdictsFile returns the path of the verdicts.
func (f ReduceFiles) VerdictsFile() string {
	if f.Verdicts != "" {
		return f.Verdicts
	}
	return f.Model + ".replay.json"
}

// ReduceTo searches like [Reduce] and saves the result. It returns the names of the files it
// wrote. From o it uses only the strategy, the progress callback and the ends to keep; the
// failure and the files determine the rest.
func (f *Failure) ReduceTo(ctx context.Context, to ReduceFiles, o ReduceOptions) (
	reduced *Reduced, written []string, err error) {
	if wholefile.IsStream(to.Model) {
		return nil, nil, fmt.Errorf("%s is not a regular file; reduce writes several files: give a "+
			"path, and it writes the others next to it", to.Model)
	}
	o.Recorder, o.Question = f.options.Recorder, f.options.Question
	o.Verdicts, o.Good, o.Outputs = to.VerdictsFile(), to.Good != "", to.TestData != ""
	if o.Outputs { // before a search that may take long
		if err := setfile.MakeFolder(to.TestData); err != nil {
			return nil, nil, fmt.Errorf("locate: test data: %s: %w", to.TestData, err)
		}
	}
	forget := func() error { // the search is complete
		if to.Verdicts != "" {
			return nil
		}
		return wholefile.Remove(o.Verdicts)
	}
	reduced, err = Reduce(ctx, f.of, f.fails, o)
	if errors.Is(err, ErrPasses) {
		err = errors.Join(err, forget())
	}
	if err != nil {
		return nil, nil, err
	}
	if written, err = reduced.Save(to.Model, f.spec); err != nil {
		return nil, nil, err
	}
	if to.TestData != "" {
		files, err := reduced.saveTestData(to.TestData)
		if err != nil {
			return nil, nil, err
		}
		written = append(written, files...)
	}
	if reduced.Good != nil {
		good, err := reduced.Good.Save(to.Good)
		if err != nil {
			return nil, nil, fmt.Errorf("locate: the part that passes: %w", err)
		}
		written = append(written, good...)
	}
	return reduced, written, forget()
}

// Text describes the reduced model: one line, and one for each remaining node.
func (r *Reduced) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d nodes still fail, found in %d runs:\n", len(r.Nodes), r.Before, r.Tried)
	for _, n := range r.Nodes {
		fmt.Fprintf(&b, "  node %d: %s %q: %s → %s\n", n.Index, n.Op, n.Name,
			strings.Join(n.Inputs, ", "), strings.Join(n.Outputs, ", "))
	}
	return b.String()
}

// GomegaString makes Gomega print the text instead of the fields.
func (r Reduced) GomegaString() string { return r.Text() }

// String describes the candidate in one line.
func (s Step) String() string {
	verdict := "passes"
	switch {
	case s.Err != nil:
		verdict = "cannot be judged: " + s.Err.Error()
	case s.Fails:
		verdict = "fails"
	}
	if s.Kept {
		verdict += " (kept)"
	}
	return fmt.Sprintf("%4d nodes: %s", s.Nodes, verdict)
}
