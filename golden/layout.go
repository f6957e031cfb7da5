package golden

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/tensor"
)

// Layout decides where a golden file's data is stored. The zero value stores up to 1 MiB of data in
// the file itself, as Polygraphy does, and the rest in sidecar files next to it.
type Layout struct {
	// Inline is the maximum number of data bytes in the file. If there are more, the largest
	// outputs go to sidecars until the rest fits. 0 means 1 MiB. If Inline is negative, all data
	// stays in the file.
	Inline int64
	// Sample is the maximum number of elements to store of each output; 0 stores all.
	Sample int
}

// defaultInline is the default for [Layout.Inline]. Repository hosts do not display larger files,
// and their diffs are unreadable.
const defaultInline = 1 << 20

// placedOutput contains an output and its entry in the golden file's header.
type placedOutput struct {
	head   *runfile.Output
	tensor *tensor.Tensor
}

// large returns the outputs to store in sidecars, largest first; outputs of equal size are in the
// file's order.
func large(all []placedOutput, limit int64) []placedOutput {
	if limit < 0 {
		return nil
	}
	whole := slices.DeleteFunc(slices.Clone(all), func(o placedOutput) bool {
		// Strings stay inline, because the size of a blob does not limit how much memory its
		// strings take.
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

// sizeOf returns the size of the tensor's elements in bytes.
func sizeOf(t *tensor.Tensor) int64 {
	n := int64(t.Size())
	for _, s := range t.Strings() {
		n += int64(len(s))
	}
	return n
}

// layOut decides where each output's data is stored and records that in the file header h. It calls
// keep for each output whose data belongs in a sidecar.
func layOut(h *runfile.Head, run *backends.Run, l Layout, keep func(o placedOutput) error) (
	err error) {
	if l.Sample < 0 {
		return fmt.Errorf("sample size %d is negative; use 0 to keep all elements", l.Sample)
	}
	var all []placedOutput
	for i, set := range run.Outputs() {
		for j := range h.Runs[0].Iterations[i] {
			o := placedOutput{&h.Runs[0].Iterations[i][j], set.At(j).Tensor}
			if l.Sample > 0 && o.tensor.Len() > l.Sample {
				if o.head.Sample, err = runfile.SampleOf(o.tensor, l.Sample); err != nil {
					return fmt.Errorf("output %q: %w", o.head.Name, err)
				}
			}
			all = append(all, o)
		}
	}
	aside := large(all, cmp.Or(l.Inline, defaultInline))
	for _, o := range all { // keep the file's order, in which readers read the sidecars
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
