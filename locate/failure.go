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

// Failure is a failure that [Failure.ReduceTo] looks for in ever smaller parts of a model, with all
// that a file of verdicts and a spec have to say of it. Make one with [Judged] or [Differing].
type Failure struct {
	of      backends.Subject
	fails   Fails
	options ReduceOptions // recorder and question
	spec    Spec
	forget  func()
}

// Judged is the failure that a command finds. The subject's engine only records the values where
// the model is cut. A command that cannot be run is an error.
func Judged(of backends.Subject, judge *JudgeCommand) (*Failure, error) {
	if err := judge.Validate(); err != nil {
		return nil, err
	}
	return &Failure{of: of, fails: judge.Fails, options: ReduceOptions{Question: judge.String()},
		spec: Spec{Judge: judge}, forget: func() {}}, nil
}

// Differing is the failure that actual differs from expected by the rule; see [Differs]. The values
// where the model is cut are those of the expected side. A rule that a spec cannot say is an error.
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

// Close frees what the sides share. Call it when the search is over.
func (f *Failure) Close() { f.forget() }

// Spec is what reproduces the failure.
func (f *Failure) Spec() Spec { return f.spec }

// ReduceFiles says where [Failure.ReduceTo] writes.
type ReduceFiles struct {
	Model    string // the smallest failing part, with the files of [Reduced.Save] beside it
	Good     string // a part without the failure; "" for none
	Verdicts string // every verdict, to go on from; "" for a file that is removed in the end
	// TestData is a folder, new or empty, for the part as ONNX keeps the tests of models: model.onnx,
	// and test_data_set_0 with its inputs and the outputs that are right, those of the recording
	// side. "" is none.
	TestData string
}

// VerdictsFile is where the verdicts are kept.
func (f ReduceFiles) VerdictsFile() string {
	if f.Verdicts != "" {
		return f.Verdicts
	}
	return f.Model + ".replay.json"
}

// ReduceTo searches as [Reduce] does and saves what it finds. It returns the names of the files it
// wrote. The strategy and the progress of o hold; what the failure and the files say comes from
// them.
func (f *Failure) ReduceTo(ctx context.Context, to ReduceFiles, o ReduceOptions) (
	reduced *Reduced, written []string, err error) {
	if wholefile.IsStream(to.Model) {
		return nil, nil, fmt.Errorf("%s is not a regular file; reduce writes several: name one, and it "+
			"writes the others beside it", to.Model)
	}
	o.Recorder, o.Question = f.options.Recorder, f.options.Question
	o.Verdicts, o.Good, o.Outputs = to.VerdictsFile(), to.Good != "", to.TestData != ""
	if o.Outputs { // before a search that may take long
		if err := setfile.MakeFolder(to.TestData); err != nil {
			return nil, nil, fmt.Errorf("locate: test data: %s: %w", to.TestData, err)
		}
	}
	forget := func() error { // nothing is left to go on with
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

// Text is the reduced model for a reader: one line, and one more for each node that is left.
func (r *Reduced) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d nodes still fail, found in %d runs:\n", len(r.Nodes), r.Before, r.Tried)
	for _, n := range r.Nodes {
		fmt.Fprintf(&b, "  node %d: %s %q: %s → %s\n", n.Index, n.Op, n.Name,
			strings.Join(n.Inputs, ", "), strings.Join(n.Outputs, ", "))
	}
	return b.String()
}

// GomegaString is what Gomega prints for a reduced model, in place of its fields: its text.
func (r Reduced) GomegaString() string { return r.Text() }

// String is the candidate in one line.
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
