package backends

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/tensor"
)

// Run contains the results of running a model: the outputs of every iteration, their provenance and
// the run's subject. A Run is returned by a backend or read from a file. Only the code that creates
// a run may append to it.
type Run struct {
	Provenance Provenance

	iterations []Iteration
	keeper     *spill.Keeper // stores tensors outside memory; nil before the first iteration
	subject    Subject
	ctx        context.Context // see [ContextOf]; nil if no engine made the run in this process
	notes      map[string]json.RawMessage
}

// Iteration contains the outputs that the model computed from one set of inputs.
type Iteration struct {
	Outputs *tensor.Set
	Runtime time.Duration // the time of the inference alone; negative if unknown
}

// NewRun returns a run with the given iterations, for outputs that do not come from a backend. The
// run has no subject, so it cannot be repeated.
func NewRun(p Provenance, iterations ...Iteration) *Run {
	run := &Run{Provenance: p}
	run.Append(iterations...)
	return run
}

// NewRunOf returns a run whose iterations were computed elsewhere, such as in another process. The
// run's subject is the subject that the caller passes, with the inputs added, as in [Collect]. The
// provenance must already contain the checksum of the inputs.
func NewRunOf(ctx context.Context, p Provenance, of Subject, inputs fixtures.Inputs,
	iterations ...Iteration) *Run {
	p.describe(inputs)
	of.Inputs, of.InputsSHA256 = inputs, p.InputsSHA256
	if order, err := graphOrder(of.Model); err == nil && order != nil {
		for i := range iterations {
			if set, err := sets.InOrder(iterations[i].Outputs, order); err == nil {
				iterations[i].Outputs = set
			}
		}
	}
	run := NewRun(p, iterations...)
	run.subject, run.ctx = of, ctx
	return run
}

// Append adds iterations to a run that is being created. Most tensors of a long run do not stay in
// memory: they are read from a temporary file on access.
func (r *Run) Append(iterations ...Iteration) {
	for _, i := range iterations {
		r.iterations = append(r.iterations, r.keep(i))
	}
}

// Len returns the number of iterations.
func (r *Run) Len() int {
	if r == nil {
		return 0
	}
	return len(r.iterations)
}

// Iterations returns every iteration. The slice belongs to the run: do not change it.
func (r *Run) Iterations() []Iteration {
	if r == nil {
		return nil
	}
	return r.iterations
}

// Outputs returns the sets of outputs, one per iteration.
func (r *Run) Outputs() []*tensor.Set {
	var sets []*tensor.Set
	for _, i := range r.Iterations() {
		sets = append(sets, i.Outputs)
	}
	return sets
}

// Subject returns the engine, the model and the inputs of the run. A run from a file has no engine;
// see [Subject.Repeatable].
func (r *Run) Subject() Subject { return r.subject }

// Under returns a copy of the run with a different context for follow-up runs ([ContextOf]). A spec
// that examines the run of an earlier spec passes its own context.
func (r *Run) Under(ctx context.Context) *Run {
	changed := *r
	changed.ctx = ctx
	return &changed
}

// Notes returns the additional data that a file stores with the run's outputs, such as measured
// noise, by the names of the notes. The map belongs to the run: do not change it.
func (r *Run) Notes() map[string]json.RawMessage { return r.notes }

// WithNotes returns a copy of the run with the given notes added. A new note replaces an old one
// with the same name. Saving the run as JSON saves its notes too.
func (r *Run) WithNotes(notes map[string]json.RawMessage) *Run {
	changed := *r
	changed.notes = maps.Clone(r.notes)
	if changed.notes == nil {
		changed.notes = map[string]json.RawMessage{}
	}
	maps.Copy(changed.notes, notes)
	return &changed
}

// WithoutNote returns a copy of the run without the named note.
func (r *Run) WithoutNote(name string) *Run {
	changed := *r
	changed.notes = maps.Clone(r.notes)
	delete(changed.notes, name)
	return &changed
}

// Only returns a copy of the run with only the named outputs, in the given order. Without names it
// returns the run itself.
func (r *Run) Only(names ...string) (*Run, error) {
	if len(names) == 0 {
		return r, nil
	}
	return r.Changed(func(outputs *tensor.Set) (*tensor.Set, error) {
		var entries []tensor.Entry
		seen := map[string]bool{}
		for _, name := range names {
			for part, t := range outputs.Only(name).All() {
				if !seen[part] {
					seen[part] = true
					entries = append(entries, tensor.Entry{Name: part, Tensor: t})
				}
			}
		}
		return tensor.NewSet(entries...)
	})
}

// Changed returns a copy of the run with change applied to the outputs of each iteration. If the
// copy is run again, the engine computes its own outputs, to which change is not applied.
func (r *Run) Changed(change func(outputs *tensor.Set) (*tensor.Set, error)) (*Run, error) {
	changed := &Run{Provenance: r.Provenance, subject: r.subject, ctx: r.ctx, notes: r.notes}
	for _, iteration := range r.iterations {
		outputs, err := change(iteration.Outputs)
		if err != nil {
			return nil, err
		}
		changed.Append(Iteration{Outputs: outputs, Runtime: iteration.Runtime})
	}
	return changed, nil
}

// String returns one line with the engine, the model, the number of iterations and the names of the
// outputs.
func (r *Run) String() string {
	if r == nil {
		return "no run"
	}
	text := "a run of " + r.Provenance.String()
	if r.Provenance.Model != "" {
		text += ", model " + r.Provenance.Model
	}
	text += ", " + r.Provenance.Precision()
	if r.Provenance.Mutant != "" {
		text += ", mutant: " + r.Provenance.Mutant
	}
	if r.Len() == 0 {
		return names.Line(text) + ", without iterations"
	}
	if r.Len() > 1 {
		text += fmt.Sprintf(", %d iterations", r.Len())
	}
	return names.Line(text) + ", outputs " + names.List(sets.Names(r.iterations[0].Outputs))
}

// GomegaString returns a description of the run for Gomega to print instead of the run's fields and
// tensors: the text of String, and the first values of the first ten outputs of the first
// iteration.
func (r *Run) GomegaString() string {
	if r.Len() == 0 {
		return r.String()
	}
	outputs := r.iterations[0].Outputs
	shown := outputs.Names()
	if len(shown) > mostShown {
		shown = shown[:mostShown]
	}
	return r.String() + "\n" + outputs.Only(shown...).GomegaString()
}

// mostShown is the largest number of outputs that GomegaString shows.
const mostShown = 10
