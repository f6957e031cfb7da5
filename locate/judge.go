package locate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Differs is the failure "the two sides differ": the candidate runs on the actual side, and the
// same part of the expected side's model on that one, both on the candidate's inputs. NaN equals
// NaN, and an infinity the same infinity, as inside [Divergence].
//
// The two subjects are those of [Divergence]. The caller calls forget when the search is over.
func Differs(ctx context.Context, actual, expected backends.Subject, rule compare.Options) (
	fails Fails, forget func(), err error) {
	left, right, _, _, err := pair(ctx, actual, expected)
	if err != nil {
		return nil, nil, err
	}
	forget = func() {
		left.close()
		right.close()
	}
	return differs(left, right, rule), forget, nil
}

func differs(actual, expected *side, rule compare.Options) Fails {
	return func(ctx context.Context, c *Candidate) (bool, error) {
		counterpart, err := c.Counterpart(expected.model)
		if err != nil {
			return false, err
		}
		inputs := fixtures.Of(c.Inputs...)
		a, wrongA := outputSets(actual.run(ctx, c.Model, inputs))
		e, wrongE := outputSets(expected.run(ctx, counterpart, inputs))
		switch { // an engine that wants outputs declared learns their types from the other one
		case wrongA != nil && wrongE == nil:
			a, wrongA = c.runDeclared(ctx, actual, c.of, e)
		case wrongE != nil && wrongA == nil:
			e, wrongE = c.runDeclared(ctx, expected, expected.model, a)
		}
		if err := errors.Join(wrongA, wrongE); err != nil {
			return false, err
		}
		options := Options{Compare: rule}
		report, err := compare.Runs(a, e, options.inside())
		return report.Verdict == compare.Fail, err
	}
}

// runDeclared cuts the candidate anew from a side's model, with outputs declared as like has them,
// and runs it. What succeeded is kept for the candidates to come.
func (c *Candidate) runDeclared(ctx context.Context, s *side, of *loaders.Model,
	like []*tensor.Set) ([]*tensor.Set, error) {
	outputs := typedLike(c.outputs, like)
	model, err := of.Cut(c.given, outputs)
	if err != nil {
		return nil, err
	}
	sets, err := outputSets(s.run(ctx, model, fixtures.Of(c.Inputs...)))
	if err != nil {
		return nil, err
	}
	if of == c.of {
		c.Model = model
	}
	c.outputs = outputs
	for _, v := range outputs {
		c.types[v.Name] = v.Type
	}
	return sets, nil
}

// JudgeCommand is a command that judges a candidate by its exit status: 0 is good, anything else is
// the failure.
type JudgeCommand struct {
	// Args is the command and its arguments. {} in an argument is replaced by the candidate's file,
	// {inputs} by the file with its inputs. A command that names neither finds the candidate in File.
	Args []string
	// File is where each candidate is written: polygraphy_debug.onnx in the working folder, if it is
	// "". Its inputs are written beside it, to <File>.inputs.json.
	File string
}

// defaultFile is Polygraphy's name for the candidate.
const defaultFile = "polygraphy_debug.onnx"

// Candidate is where each candidate is written: File, or its default.
func (k JudgeCommand) Candidate() string {
	if k.File == "" {
		return defaultFile
	}
	return k.File
}

// Fails runs the command on each candidate. A command that cannot be started, or that ctx ended, is
// an error and no verdict. What it prints goes to standard error.
func (k JudgeCommand) Fails(ctx context.Context, c *Candidate) (bool, error) {
	if len(k.Args) == 0 {
		return false, errors.New("locate: the judge command is empty")
	}
	file := k.Candidate()
	if err := c.save(file); err != nil {
		return false, err
	}
	replace := strings.NewReplacer("{inputs}", inputsFile(file), "{}", file)
	args := make([]string, len(k.Args))
	for i, arg := range k.Args {
		args[i] = replace.Replace(arg)
	}
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case errors.As(err, &exit):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("locate: judge command: %w", err)
	}
	return false, nil
}
