package process

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/message"
	"github.com/modelparity/modelparity/tensor"
)

// scriptsRunner names the Python program of this package that calls functions of scripts written
// for Polygraphy.
const scriptsRunner = "scripts"

// Inputs returns inputs from a script written for Polygraphy's --data-loader-script. The script's
// function load_data, or NAME if script is FILE.py:NAME, takes no arguments and yields a dictionary
// of arrays for each iteration. The script starts when the inputs are first drawn, and the values
// that it yields are kept for later runs ([fixtures.From]). Options are [Python], [Env] and
// [Timeout].
func Inputs(script string, options ...Option) fixtures.Inputs {
	return fixtures.From("made by "+baseOf(script), func() iter.Seq2[*tensor.Set, error] {
		return func(yield func(*tensor.Set, error) bool) {
			p, err := StartScript(context.Background(), script, options...)
			if err == nil {
				defer p.Close() //nolint:errcheck // Close never fails
				_, err = p.ask(context.Background(), answer{Message: "iterate"}, nil, "iterating")
			}
			for err == nil {
				var got message.Message
				got, err = p.ask(context.Background(), answer{Message: "next"}, nil, "inputs", "end")
				var a answer
				if err == nil {
					err = got.Decode(&a)
				}
				if err == nil && (a.Message == "end" || !yield(got.Arrays, nil)) {
					return
				}
			}
			yield(nil, err)
		}
	})
}

// ScriptProgram is a running Polygraphy script that compares or changes outputs. The caller closes
// it.
type ScriptProgram struct {
	name    string
	program *conversation
}

// StartScript starts a Python script for [ScriptProgram.Compare] and [ScriptProgram.PostProcess].
// script is FILE.py or FILE.py:NAME; without NAME, Polygraphy's default functions compare_outputs
// and postprocess_outputs are called. Options are [Python], [Env] and [Timeout].
func StartScript(ctx context.Context, script string, options ...Option) (*ScriptProgram, error) {
	return startRunner(ctx, scriptsRunner, []string{script}, baseOf(script), options)
}

// startRunner starts a Python program of this package that does not run models, such as the one
// that measures LPIPS. name describes the program in messages.
func startRunner(ctx context.Context, runner string, args []string, name string,
	options []Option) (*ScriptProgram, error) {
	s, err := kind.List(options...).Settings()
	if err != nil {
		return nil, err
	}
	if s.chosen() {
		return nil, fmt.Errorf("process: %s runs its own program; remove options such as "+
			"process.Command", name)
	}
	s.Runner, s.Args = runner, args
	program, err := s.program()
	if err != nil {
		return nil, err
	}
	c, err := start(program, s.Timeout)
	if err != nil {
		return nil, s.lacking(err)
	}
	request := description{Message: "describe", Protocol: protocol}
	if _, err := c.ask(ctx, request, nil, "description"); err != nil {
		c.stop()
		return nil, fmt.Errorf("%s: %w", name, s.lacking(err))
	}
	return &ScriptProgram{name, c}, nil
}

// baseOf returns the script's file name without its folder and without the function's name.
func baseOf(script string) string {
	file, _, _ := strings.Cut(filepath.Base(script), ":")
	return file
}

func (p *ScriptProgram) ask(ctx context.Context, request any, arrays *tensor.Set, want ...string) (
	message.Message, error) {
	got, err := p.program.ask(ctx, request, arrays, want...)
	if err != nil {
		return got, fmt.Errorf("%s: %w", p.name, err)
	}
	return got, nil
}

// Close ends the Python program that runs the script. It always returns nil.
func (p *ScriptProgram) Close() error {
	p.program.stop()
	return nil
}

// ScriptVerdict is the script's verdict on one output.
type ScriptVerdict struct {
	Passed bool   `json:"passed"`
	Text   string `json:"text"` // the script's own result, as one line
}

// comparison is the request to compare outputs.
type comparison struct {
	Message  string `json:"message"`
	Actual   string `json:"actual"`
	Expected string `json:"expected,omitempty"`
}

// Compare lets the script compare the outputs of one iteration. The script's function has the form
// of Polygraphy's --compare-func-script: it takes two IterationResult objects, which are
// dictionaries of arrays with an attribute runner_name, and returns true or false for each output.
// IterationResult is Polygraphy's own class if Polygraphy is installed. actualName and expectedName
// are the runner names.
func (p *ScriptProgram) Compare(ctx context.Context, actual, expected *tensor.Set,
	actualName, expectedName string) (map[string]ScriptVerdict, error) {
	arrays, err := tensor.NewSet(append(prefixed("actual/", actual),
		prefixed("expected/", expected)...)...)
	if err != nil {
		return nil, err
	}
	got, err := p.ask(ctx, comparison{"compare", actualName, expectedName}, arrays, "compared")
	if err != nil {
		return nil, err
	}
	var found struct {
		Results map[string]ScriptVerdict `json:"results"`
	}
	if err := got.Decode(&found); err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return found.Results, nil
}

// prefixed returns the tensors of a set with a prefix before their names.
func prefixed(prefix string, set *tensor.Set) (entries []tensor.Entry) {
	for name, t := range set.All() {
		entries = append(entries, tensor.Entry{Name: prefix + name, Tensor: t})
	}
	return entries
}

// PostProcess returns a copy of the run whose outputs the script has changed. The script's function
// has the form of Polygraphy's --postprocess-func-script. name is the runner name that the function
// sees.
func (p *ScriptProgram) PostProcess(ctx context.Context, run *backends.Run, name string) (
	*backends.Run, error) {
	return run.Changed(func(outputs *tensor.Set) (*tensor.Set, error) {
		arrays, err := tensor.NewSet(prefixed("actual/", outputs)...)
		if err != nil {
			return nil, err
		}
		got, err := p.ask(ctx, comparison{Message: "postprocess", Actual: name}, arrays, "outputs")
		return got.Arrays, err
	})
}
