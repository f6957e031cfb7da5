package locate

import "github.com/modelparity/modelparity/tensor"

// firstBatch is the size of the first batch if memory use cannot be watched. It is 1, because even
// a few tensors of unknown size could exceed the budget. Each later batch is at most four times as
// large as the one before. If memory use is watched, the first batch contains all tensors.
const firstBatch = 1

// batches splits names into batches. The size of each batch follows from the memory that the
// previous batch took, because models rarely declare the shapes of inner tensors.
type batches struct {
	names  []string
	memory int64
	next   int
	size   int
}

func newBatches(names []string, memory int64, watched bool) *batches {
	b := &batches{names: names, memory: memory, size: firstBatch}
	if watched {
		b.size = max(b.size, len(names))
	}
	return b
}

// take returns the next batch, or nil if all names have been returned.
func (b *batches) take() []string {
	to := min(b.next+b.size, len(b.names))
	batch := b.names[b.next:to]
	b.next = to
	return batch
}

// giveBack takes back a batch that exceeded the memory budget. The next batch is a quarter as
// large.
func (b *batches) giveBack(batch []string) {
	b.next -= len(batch)
	b.size = max(1, len(batch)/4)
}

// learn sets the size of the next batch, given the bytes that the last batch took. It aims at a
// quarter of the budget, because later tensors may be larger, and at most quadruples the size.
func (b *batches) learn(bytes int64, tensors int) {
	if tensors == 0 {
		return
	}
	fit := int64(4 * b.size)
	if bytes > 0 {
		fit = min(fit, b.memory/4*int64(tensors)/bytes)
	}
	b.size = int(max(1, fit))
}

// bytesOf returns the memory that sets occupy.
func bytesOf(sets []*tensor.Set) (total int64) {
	for _, set := range sets {
		for _, t := range set.All() {
			total += int64(len(t.Bytes()))
		}
	}
	return total
}
