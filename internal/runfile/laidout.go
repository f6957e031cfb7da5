package runfile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// These are the features that a file header may require of a reader. A reader that does not know a
// required feature rejects the file.
const (
	NeedsSidecar = "sidecar" // some data is in sidecar files
	needsSample  = "sample"  // some outputs contain only part of the elements
	needsTree    = "tree"    // some outputs have a tree checksum
)

// If Polygraphy cannot read a file, the file header contains one of these messages. Do not reword
// them: reading an existing file compares its message with these.
const (
	polygraphyConverts = "does not read this file, whose data lies elsewhere; it reads what " +
		"`modelparity golden export FILE -o run.json` writes"
	polygraphyCannot = "does not read this file, which holds a sample of its outputs"
)

// Wants returns the features that the file header's outputs require of a reader. polygraphy is the
// message that says why Polygraphy cannot read the file, or "" if it can.
func (h *Head) Wants() (needs []string, polygraphy string) {
	for _, o := range h.All() {
		switch {
		case o.Sample != nil:
			needs, polygraphy = append(needs, needsSample), polygraphyCannot
		case o.Blob != nil:
			needs, polygraphy = append(needs, NeedsSidecar), cmp.Or(polygraphy, polygraphyConverts)
		}
		if o.Tree != nil { // Polygraphy ignores checksums
			needs = append(needs, needsTree)
		}
	}
	slices.Sort(needs)
	return slices.Compact(needs), polygraphy
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

// laidOut returns an error for a file header that modelparity cannot have written, because its
// outputs' checksums, sidecars or samples contradict each other.
func (h *Head) laidOut() error {
	for _, o := range h.All() {
		if err := o.laidOut(h.Kind); err != nil {
			return fmt.Errorf("output %q: %w: the file was edited by hand", o.Name, err)
		}
	}
	needs, polygraphy := h.Wants()
	if !slices.Equal(needs, h.Needs) || polygraphy != h.Polygraphy {
		return fmt.Errorf("the file header lists the features %q, but its outputs need %q: it was "+
			"edited by hand", h.Needs, needs)
	}
	return nil
}

func (o Output) laidOut(kind string) (err error) {
	switch {
	case o.Blob != nil && o.Sample != nil:
		return errors.New("it has both a sample and a sidecar file, but may have only one of them")
	case (o.Blob != nil || o.Sample != nil) && (kind != KindGolden || o.Sum() == ""):
		return errors.New("its data has no checksum")
	case o.Tree != nil && o.SHA256 != "":
		return errors.New("it has two checksums")
	case o.Blob != nil && o.Type == tensor.String:
		return errors.New("it stores strings in a sidecar file, but only numbers may be there")
	}
	if o.Tree != nil {
		err = o.Tree.sound(o)
	}
	if err == nil && o.Blob != nil {
		err = o.Blob.sound()
	}
	if err == nil && o.Sample != nil {
		err = o.Sample.sound(o)
	}
	return err
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
