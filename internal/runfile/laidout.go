package runfile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// These messages in the file header are for users of Polygraphy.
const (
	polygraphyConverts = "does not read this file, whose data lies elsewhere; it reads what " +
		"`modelparity golden export FILE -o run.json` writes"
	polygraphyCannot = "does not read this file, which holds a sample of its outputs"
)

// ForPolygraphy returns the message for users of Polygraphy, or "" if Polygraphy can read the file.
func (h *Head) ForPolygraphy() (text string) {
	for _, o := range h.All() {
		switch {
		case o.Sample != nil:
			return polygraphyCannot
		case o.Blob != nil:
			text = polygraphyConverts
		}
	}
	return text
}

// All returns the outputs of every run and iteration.
func (h *Head) All() (all []Output) {
	for _, run := range h.Runs {
		for _, outputs := range run.Iterations {
			all = append(all, outputs...)
		}
	}
	return all
}

// Blobs returns the blobs of all outputs.
func (h *Head) Blobs() (all []*Blob) {
	for _, o := range h.All() {
		if o.Blob != nil {
			all = append(all, o.Blob)
		}
	}
	return all
}

// Cloned returns a copy of the file header. Its slices of outputs are copies too.
func (h Head) Cloned() Head {
	h.Runs = slices.Clone(h.Runs)
	for i := range h.Runs {
		h.Runs[i].Iterations = slices.Clone(h.Runs[i].Iterations)
		for k, outputs := range h.Runs[i].Iterations {
			h.Runs[i].Iterations[k] = slices.Clone(outputs)
		}
	}
	return h
}

// laidOut returns an error for a sidecar or a sample that modelparity cannot have written.
func (h *Head) laidOut() error {
	for _, o := range h.All() {
		if err := cmp.Or(o.Blob.sound(o.Type), o.Sample.sound(o.Shape)); err != nil {
			return fmt.Errorf("output %q: %w: the file was edited by hand", o.Name, err)
		}
	}
	return nil
}

// inFile returns the outputs whose data is stored in the file itself.
func inFile(outputs []Output) []Output {
	if !slices.ContainsFunc(outputs, func(o Output) bool { return o.Blob != nil }) {
		return outputs
	}
	return slices.DeleteFunc(slices.Clone(outputs), func(o Output) bool { return o.Blob != nil })
}

// inFile returns the tensors to store in the file itself. It leaves out the outputs that have a
// sidecar, and reduces a sampled output to its sampled elements.
func (r RunHead) inFile(sets []*tensor.Set) ([]*tensor.Set, error) {
	all := make([]*tensor.Set, len(sets))
	for i, set := range sets {
		var entries []tensor.Entry
		for j, o := range r.Iterations[i] {
			if o.Blob != nil {
				continue
			}
			entry := set.At(j)
			if o.Sample != nil {
				var err error
				if entry.Tensor, err = o.Sample.Take(entry.Tensor); err != nil {
					return nil, fmt.Errorf("output %q: %w", o.Name, err)
				}
			}
			entries = append(entries, entry)
		}
		var err error
		if all[i], err = tensor.NewSet(entries...); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Elsewhere describes where an output's data is stored, or returns "" if all of it is in the file.
func (o Output) Elsewhere() string {
	switch {
	case o.Sample != nil:
		return fmt.Sprintf("a sample of %d", o.Sample.Elements)
	case o.Blob != nil:
		return "in a sidecar"
	}
	return ""
}
