package locate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// inBatches passes all names of each group to the function process, in batches that fit the memory
// budget. It finds the batch sizes by trial, because models rarely declare the shapes of inner
// tensors. If memory use can be watched, the first batch of a group contains the whole group, and a
// batch that takes too much memory is run again in quarters. Otherwise the first batch is a single
// tensor, and the size of each batch follows from the memory that the previous batch took.
//
// If an engine rejects a batch, inBatches halves the batch until the offending tensor is alone. It
// then passes that tensor and the reason to the function reject.
func (w *runner) inBatches(ctx context.Context, doing string, groups [][]string,
	reject func(name, why string), process func(context.Context, []string) (int64, error)) error {
	w.progress.doing(doing, len(slices.Concat(groups...)))
	for _, names := range groups {
		size := 1
		if w.watches() {
			size = max(1, len(names))
		}
		for len(names) > 0 {
			batch := names[:min(size, len(names))]
			bytes, err := halving(ctx, batch, reject, process)
			if errors.Is(err, errTooLarge) && ctx.Err() == nil {
				size = max(1, len(batch)/4)
				continue
			}
			if err != nil {
				return err
			}
			names, size = names[len(batch):], 4*size
			if bytes > 0 { // aim at a quarter of the budget, because later tensors may be larger
				fit := w.options.memory() / 4 * int64(len(batch)) / bytes
				size = int(max(1, min(int64(size), fit)))
			}
			w.progress.done(len(batch))
		}
	}
	return nil
}

func halving(ctx context.Context, batch []string, reject func(name, why string),
	process func(context.Context, []string) (int64, error)) (int64, error) {
	bytes, err := process(ctx, batch)
	switch {
	case err == nil:
		return bytes, nil
	case ctx.Err() != nil:
		return 0, fmt.Errorf("locate: %w", context.Cause(ctx))
	case errors.Is(err, errTooLarge):
		return 0, err
	case len(batch) == 1:
		reject(batch[0], inner{err}.Error())
		return 0, nil
	}
	half := len(batch) / 2
	first, err := halving(ctx, batch[:half], reject, process)
	if err != nil {
		return 0, err
	}
	second, err := halving(ctx, batch[half:], reject, process)
	return first + second, err
}

// bytesOf returns the total size in bytes of all tensors in the sets.
func bytesOf(sets []*tensor.Set) (total int64) {
	for _, set := range sets {
		for _, t := range set.All() {
			total += int64(len(t.Bytes()))
		}
	}
	return total
}
