package golden

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/tensor"
)

// Layout says where the data of a golden file goes. The zero value keeps up to [DefaultInline] in
// the file itself, as Polygraphy reads it, and puts the rest into sidecars beside it.
type Layout struct {
	// Inline is how many bytes of data stay in the file; 0 takes those of [EnvInline]. Where there
	// are more, the largest outputs go elsewhere until the rest fits. Negative, all data stays.
	Inline int64
	// Sample is how many elements are kept of an output that has more; 0 keeps all.
	Sample int
}

// DefaultInline is how much data a golden file holds itself: 1 MiB. Beyond it hosts of repositories
// stop to show a file, and a diff of it says nothing.
const DefaultInline = 1 << 20

// EnvInline sets [Layout.Inline] for all files whose spec does not: bytes, with K, M or G for
// powers of 1024, or "all".
const EnvInline = "GOLDEN_INLINE"

// What a reader of a file must understand, as its head names it.
const (
	needsSidecar = "sidecar" // data lies in files of their own beside it
	needsSample  = "sample"  // of some outputs only part of the elements is there
	needsTree    = "tree"    // the checksum of some outputs is a tree of sums
)

// What the head says of Polygraphy.
const (
	polygraphyConverts = "does not read this file, whose data lies elsewhere; it reads what " +
		"`modelparity golden export FILE -o run.json` writes"
	polygraphyCannot = "does not read this file, which holds a sample of its outputs"
)

// limit is [Layout.Inline] with its defaults.
func (l Layout) limit() (int64, error) {
	text := os.Getenv(EnvInline)
	switch {
	case l.Inline != 0:
		return l.Inline, nil
	case text == "":
		return DefaultInline, nil
	case text == "all":
		return -1, nil
	}
	n, ok := budget.Bytes(text)
	if !ok {
		return 0, fmt.Errorf("%s: %q is not a number of bytes: want one such as 512K, or all", EnvInline,
			text)
	}
	return n, nil
}

// placed is an output with what the head says of it.
type placedOutput struct {
	head   *headOutput
	tensor *tensor.Tensor
}

// outputs are those of a run that h describes as its first, in order.
func (h *head) outputs(run *backends.Run) (all []placedOutput) {
	for i, set := range run.Outputs() {
		for j := range h.Runs[0].Iterations[i] {
			all = append(all, placedOutput{&h.Runs[0].Iterations[i][j], set.At(j).Tensor})
		}
	}
	return all
}

// large are the outputs that do not stay in the file: the largest, of equal ones the earlier.
func large(all []placedOutput, limit int64) []placedOutput {
	if limit < 0 {
		return nil
	}
	whole := slices.DeleteFunc(slices.Clone(all), func(o placedOutput) bool {
		// What strings take in memory is not told by the bytes of a blob, so they stay.
		return o.head.Sample != nil || o.head.Type == tensor.String
	})
	rest := int64(0)
	for _, o := range whole {
		rest += sizeOf(o.tensor)
	}
	slices.SortStableFunc(whole, func(a, b placedOutput) int {
		return cmp.Compare(sizeOf(b.tensor), sizeOf(a.tensor))
	})
	n := 0
	for ; n < len(whole) && rest > limit; n++ {
		rest -= sizeOf(whole[n].tensor)
	}
	return whole[:n]
}

// sizeOf is how many bytes the elements take.
func sizeOf(t *tensor.Tensor) int64 {
	n := int64(t.Size())
	for _, s := range t.Strings() {
		n += int64(len(s))
	}
	return n
}

// layOut says in the head where the data of its outputs is; keep puts that of one output elsewhere.
func (h *head) layOut(run *backends.Run, l Layout, keep func(o placedOutput) error) error {
	limit, err := l.limit()
	if err != nil {
		return err
	}
	if l.Sample < 0 {
		return fmt.Errorf("a sample of %d elements", l.Sample)
	}
	all := h.outputs(run)
	for _, o := range all {
		if l.Sample > 0 && o.tensor.Len() > l.Sample {
			if o.head.Sample, err = sampleOf(o.tensor, l.Sample); err != nil {
				return fmt.Errorf("output %q: %w", o.head.Name, err)
			}
		}
	}
	aside := large(all, limit)
	for _, o := range all { // in the file's order, in which they are read
		if slices.ContainsFunc(aside, func(a placedOutput) bool { return a.head == o.head }) {
			if err := keep(o); err != nil {
				return fmt.Errorf("output %q: %w", o.head.Name, err)
			}
		}
	}
	h.Needs, h.Polygraphy = h.wants()
	h.SHA256, err = h.sum()
	return err
}

// wants is what a reader must understand, and what Polygraphy makes of the file.
func (h *head) wants() (needs []string, polygraphy string) {
	for _, o := range h.all() {
		switch {
		case o.Sample != nil:
			needs, polygraphy = append(needs, needsSample), polygraphyCannot
		case o.Blob != nil:
			needs, polygraphy = append(needs, needsSidecar), cmp.Or(polygraphy, polygraphyConverts)
		}
		if o.Tree != nil { // which Polygraphy does not look at
			needs = append(needs, needsTree)
		}
	}
	slices.Sort(needs)
	return slices.Compact(needs), polygraphy
}

// all are the outputs of every run and iteration.
func (h *head) all() (all []headOutput) {
	for _, run := range h.Runs {
		for _, outputs := range run.Iterations {
			all = append(all, outputs...)
		}
	}
	return all
}

// blobs are what the outputs keep elsewhere.
func (h *head) blobs() (all []*blob) {
	for _, o := range h.all() {
		if o.Blob != nil {
			all = append(all, o.Blob)
		}
	}
	return all
}

// cloned is the head with outputs of its own.
func (h head) cloned() head {
	h.Runs = slices.Clone(h.Runs)
	for i := range h.Runs {
		h.Runs[i].Iterations = slices.Clone(h.Runs[i].Iterations)
		for k, outputs := range h.Runs[i].Iterations {
			h.Runs[i].Iterations[k] = slices.Clone(outputs)
		}
	}
	return h
}

// laidOut is an error for a head that no writer of ours made.
func (h *head) laidOut() error {
	for _, o := range h.all() {
		if o.Blob != nil && o.Sample != nil {
			return fmt.Errorf("output %q is a sample and lies elsewhere: it was edited by hand", o.Name)
		}
		if (o.Blob != nil || o.Sample != nil) && (h.Kind != kindGolden || o.sum() == "") {
			return fmt.Errorf("output %q: nothing vouches for its data: it was edited by hand", o.Name)
		}
		if o.Tree != nil {
			if o.SHA256 != "" {
				return fmt.Errorf("output %q has two checksums: it was edited by hand", o.Name)
			}
			if err := o.Tree.sound(o); err != nil {
				return fmt.Errorf("output %q: %w: it was edited by hand", o.Name, err)
			}
		}
		if o.Blob != nil && o.Type == tensor.String {
			return fmt.Errorf("output %q lies elsewhere and holds strings: it was edited by hand", o.Name)
		}
		if o.Blob != nil {
			if err := o.Blob.sound(); err != nil {
				return fmt.Errorf("output %q: %w: it was edited by hand", o.Name, err)
			}
		}
		if o.Sample != nil {
			if err := o.Sample.sound(o); err != nil {
				return fmt.Errorf("output %q: %w: it was edited by hand", o.Name, err)
			}
		}
	}
	needs, polygraphy := h.wants()
	if !slices.Equal(needs, h.Needs) || polygraphy != h.Polygraphy {
		return fmt.Errorf("it needs %q, the outputs need %q: it was edited by hand", h.Needs, needs)
	}
	return nil
}

// inFile are the outputs whose data is in the file.
func inFile(outputs []headOutput) []headOutput {
	if !slices.ContainsFunc(outputs, func(o headOutput) bool { return o.Blob != nil }) {
		return outputs
	}
	return slices.DeleteFunc(slices.Clone(outputs), func(o headOutput) bool { return o.Blob != nil })
}

// inFile are the outputs as the file holds them: without those that lie elsewhere, and of a sample
// its elements.
func (r headRun) inFile(sets []*tensor.Set) ([]*tensor.Set, error) {
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
				if entry.Tensor, err = o.Sample.take(entry.Tensor); err != nil {
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

// elsewhere is where the data of an output is, in a word; "" in the file.
func (o headOutput) elsewhere() string {
	switch {
	case o.Sample != nil:
		return fmt.Sprintf("a sample of %d", o.Sample.Elements)
	case o.Blob != nil:
		return "in a sidecar"
	}
	return ""
}
