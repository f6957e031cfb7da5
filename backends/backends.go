// Package backends is what every engine looks like to a spec: a [Backend] takes inputs and gives a
// [Run], the outputs of each iteration with their provenance. The engines are in its
// sub-packages; `fake` is one without an engine, for specs of your own.
package backends

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// Backend is one model, ready in one engine. It is safe for concurrent use.
type Backend interface {
	// Run infers every iteration of inputs, in order. It is made to be one line of a spec:
	//
	//	Expect(backend.Run(ctx, inputs)).To(MatchGolden("resnet18"))
	//
	// Cancelling ctx stops the work; the error then wraps ctx's. Inputs that have no iteration
	// are an error, because a run of nothing could only pass by accident.
	Run(ctx context.Context, inputs fixtures.Inputs) (*Run, error)

	// Close frees what the engine holds. Closing twice is harmless; running afterwards is an
	// error.
	Close() error
}

// Run is what a backend gave, or what was read back from a file: every iteration's outputs.
type Run struct {
	Iterations []Iteration
	Provenance Provenance
}

// Iteration is the outputs of one set of inputs.
type Iteration struct {
	Outputs *tensor.Set
	Runtime time.Duration // of the inference alone; negative where it is not known
}

// Outputs is the output sets, one per iteration, as comparison takes them.
func (r *Run) Outputs() []*tensor.Set {
	if r == nil {
		return nil
	}
	sets := make([]*tensor.Set, len(r.Iterations))
	for i := range r.Iterations {
		sets[i] = r.Iterations[i].Outputs
	}
	return sets
}

// Provenance says what made a run, so that a mismatch can name both sides. It holds no time and no
// path: the same run on another day has the same provenance.
type Provenance struct {
	Backend     string            `json:"backend"`                // "onnxruntime", "tensorrt", "fake"
	Version     string            `json:"version,omitempty"`      // of the engine
	Provider    string            `json:"provider,omitempty"`     // "CPUExecutionProvider", a GPU
	Model       string            `json:"model,omitempty"`        // the model file's base name
	ModelSHA256 string            `json:"model_sha256,omitempty"` // of all bytes, external ones too
	Inputs      string            `json:"inputs,omitempty"`       // [fixtures.Origin.Text] and notes
	Seed        *int64            `json:"seed,omitempty"`         // [fixtures.Origin.Seed]
	Options     map[string]string `json:"options,omitempty"`      // what else decides the numbers
}

// String names a run in messages: "onnxruntime 1.31.1 (CPUExecutionProvider)".
func (p Provenance) String() string {
	text := p.Backend
	if text == "" {
		text = "unknown backend"
	}
	if p.Version != "" {
		text += " " + p.Version
	}
	if p.Provider != "" {
		text += " (" + p.Provider + ")"
	}
	return text
}

// Infer gives the outputs of one set of inputs.
type Infer func(ctx context.Context, inputs *tensor.Set) (*tensor.Set, error)

// Collect runs infer over every iteration of inputs and times each one. It is the loop that all
// backends share: it stops at the first error and at ctx's end, says which iteration failed, and
// refuses inputs without iterations. p is completed with the origin and the notes of the inputs.
func Collect(ctx context.Context, p Provenance, inputs fixtures.Inputs, infer Infer) (*Run, error) {
	origin := inputs.Origin()
	p.Inputs = strings.Join(append([]string{origin.Text}, inputs.Notes()...), "; ")
	p.Seed = origin.Seed
	run := &Run{Provenance: p}
	for set, err := range inputs.All() {
		i := len(run.Iterations)
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: iteration %d: %w", p.Backend, i, err)
		}
		start := time.Now()
		outputs, err := infer(ctx, set)
		if err != nil {
			return nil, fmt.Errorf("%s: iteration %d: %w", p.Backend, i, err)
		}
		run.Iterations = append(run.Iterations,
			Iteration{Outputs: outputs, Runtime: time.Since(start)})
	}
	if len(run.Iterations) == 0 {
		return nil, fmt.Errorf("%s: %w", p.Backend, ErrNoInputs)
	}
	return run, nil
}

// ErrNoInputs is returned for inputs without a single iteration.
var ErrNoInputs = errors.New("the inputs have no iterations, so there is nothing to run")

// ErrClosed is returned by a run on a backend that was closed.
var ErrClosed = errors.New("the backend is closed")
