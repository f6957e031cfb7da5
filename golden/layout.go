package golden

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/runfile"
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
	head   *runfile.Output
	tensor *tensor.Tensor
}

// outputs are those of a run that h describes as its first, in order.
func outputsOfRun(h *runfile.Head, run *backends.Run) (all []placedOutput) {
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
func layOut(h *runfile.Head, run *backends.Run, l Layout, keep func(o placedOutput) error) error {
	limit, err := l.limit()
	if err != nil {
		return err
	}
	if l.Sample < 0 {
		return fmt.Errorf("a sample of %d elements", l.Sample)
	}
	all := outputsOfRun(h, run)
	for _, o := range all {
		if l.Sample > 0 && o.tensor.Len() > l.Sample {
			if o.head.Sample, err = runfile.SampleOf(o.tensor, l.Sample); err != nil {
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
	h.Needs, h.Polygraphy = h.Wants()
	h.SHA256, err = h.Sum()
	return err
}
