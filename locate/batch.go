package locate

import "github.com/modelparity/modelparity/tensor"

// firstBatch is how many tensors are marked before anything is known about their size, where the
// memory that they take is not watched: a single one, because even a few could exceed the budget.
// Batches quadruple from there. Where it is watched, all tensors are the first batch.
const firstBatch = 1

// batches walks over names one batch at a time. Earlier batches decide how large the next may be,
// because models rarely declare the shapes of their inner tensors.
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

// take returns the next batch, or nil at the end.
func (b *batches) take() []string {
	to := min(b.next+b.size, len(b.names))
	batch := b.names[b.next:to]
	b.next = to
	return batch
}

// giveBack takes back a batch that was stopped because it took too much memory. The next one is a
// quarter of it.
func (b *batches) giveBack(batch []string) {
	b.next -= len(batch)
	b.size = max(1, len(batch)/4)
}

// learn sets the size of the next batch by what the last one held: it aims at half the budget,
// since later tensors may be larger, and at most quadruples.
func (b *batches) learn(bytes int64, tensors int) {
	if tensors == 0 {
		return
	}
	fit := int64(4 * b.size)
	if bytes > 0 {
		fit = min(fit, b.memory/2*int64(tensors)/bytes)
	}
	b.size = int(max(1, fit))
}

// bytesOf is the memory that sets take.
func bytesOf(sets []*tensor.Set) (total int64) {
	for _, set := range sets {
		for _, t := range set.All() {
			total += int64(len(t.Bytes()))
		}
	}
	return total
}
