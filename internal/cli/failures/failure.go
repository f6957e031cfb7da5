// Package failures handles failures for `modelparity reduce` and `modelparity debug`. It finds the
// smallest part of a model that still fails and writes it with a spec that reproduces the failure.
// It also runs a judging command repeatedly, to find intermittent failures.
package failures

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/setfile"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// Failure says how a model fails. [Failure.ReduceTo] finds the smallest part of the model that
// still fails like this. Create a Failure with [Judged] or [Differing].
type Failure struct {
	of      backends.Subject
	fails   locate.Fails
	options locate.ReduceOptions // Recorder and Question are set
	spec    spec
	forget  func()
}

// Judged returns a [Failure] for which the user's command decides whether a part of the model
// fails. The subject's engine only computes the inputs of the part, which are inner tensors of the
// whole model. Judged returns an error if the command cannot be run.
func Judged(subject backends.Subject, judge *locate.JudgeCommand) (*Failure, error) {
	if err := judge.Validate(); err != nil {
		return nil, err
	}
	return &Failure{of: subject, fails: judge.Fails, spec: spec{judge: judge}, forget: func() {},
		options: locate.ReduceOptions{Question: code(judge)}}, nil
}

// Differing returns a Failure that compares two sides. A part of the model fails if the outputs of
// actual and expected differ under the rule, as [locate.Differs] describes. Differing itself runs
// no model. When a search cuts the model into a smaller one, the expected side computes the inputs
// of the smaller model. Differing returns an error if a generated spec cannot express the rule.
func Differing(ctx context.Context, actual, expected backends.Subject, rule compare.Options) (
	f *Failure, err error) {
	f = &Failure{of: actual, spec: spec{actual: actual.Engine, expected: expected.Engine, rule: rule},
		options: locate.ReduceOptions{Recorder: expected, Question: fmt.Sprintf("%s against %s, %v",
			actual.Engine.Text(), expected.Engine.Text(), rule.Checks)}}
	if other, ok := expected.Model.(*loaders.Model); ok && expected.Model != actual.Model {
		sum, err := other.SHA256()
		if err != nil {
			return nil, err
		}
		f.options.Question += ", model " + sum
		f.spec.expectedModel = other
	}
	if _, err := f.spec.text("model.onnx"); err != nil {
		return nil, err
	}
	f.fails, f.forget, err = locate.Differs(ctx, actual, expected, rule)
	return f, err
}

// Close closes the engines that the search opened. Call it after the search.
func (f *Failure) Close() { f.forget() }

// LeavesOut reports whether an engine has options that cannot be written in Go. The generated spec
// names them in comments.
func (f *Failure) LeavesOut() bool {
	engines := []backends.Engine{f.spec.actual, f.spec.expected} // nil if a command judges
	return slices.ContainsFunc(engines, func(e backends.Engine) bool {
		return e != nil && strings.Contains(e.GoString(), option.Comment)
	})
}

// ReduceFiles holds the paths of the files that [Failure.ReduceTo] writes.
type ReduceFiles struct {
	Model    string // the smallest failing part; DataFiles are next to it
	Good     string // a part that passes; "" to write none
	Verdicts string // all verdicts, for resuming; "" for a temporary file
	// TestData is a new or empty folder for the part as an ONNX model test. The test consists of
	// model.onnx and test_data_set_0, which holds the inputs and the correct outputs, computed by
	// the side that also recorded the inputs. If TestData is "", no test is written.
	TestData string
}

// VerdictsFile returns the path of the file that stores the verdict on each part of the model that
// was tried.
func (f ReduceFiles) VerdictsFile() string {
	if f.Verdicts != "" {
		return f.Verdicts
	}
	return f.Model + ".replay.json"
}

// ReduceTo searches like [locate.Reduce] and saves the result. It returns the paths of the files
// that it wrote. Of the options o, it uses only the strategy, the progress callback, KeepInputs and
// KeepOutputs; the failure and the files determine all other options.
func (f *Failure) ReduceTo(ctx context.Context, to ReduceFiles, o locate.ReduceOptions) (
	reduced *locate.Reduced, written []string, err error) {
	if wholefile.IsStream(to.Model) {
		return nil, nil, fmt.Errorf("%s is not a regular file; name one, because reduce writes further "+
			"files next to it", to.Model)
	}
	o.Recorder, o.Question = f.options.Recorder, f.options.Question
	o.Verdicts, o.Good, o.Outputs = to.VerdictsFile(), to.Good != "", to.TestData != ""
	if o.Outputs { // check the folder before a search that may take long
		if err := setfile.MakeFolder(to.TestData); err != nil {
			return nil, nil, fmt.Errorf("locate: test data: %s: %w", to.TestData, err)
		}
	}
	forget := func() error { // called once the search is complete
		if to.Verdicts != "" {
			return nil
		}
		return wholefile.Remove(o.Verdicts)
	}
	reduced, err = locate.Reduce(ctx, f.of, f.fails, o)
	if errors.Is(err, locate.ErrPasses) {
		err = errors.Join(err, forget())
	}
	if err != nil {
		return nil, nil, err
	}
	if written, err = f.spec.save(reduced, to.Model); err != nil {
		return nil, nil, err
	}
	if to.TestData != "" {
		files, err := saveTestData(&reduced.Part, to.TestData)
		if err != nil {
			return nil, nil, err
		}
		written = append(written, files...)
	}
	if reduced.Good != nil {
		good, err := reduced.Good.Save(to.Good)
		if err != nil {
			return nil, nil, fmt.Errorf("locate: saving the part of the model that passes: %w", err)
		}
		written = append(written, good...)
	}
	return reduced, written, forget()
}
