package locate

import "github.com/modelparity/modelparity/tensor"

// firstBatch is the size of the first batch if memory use is not watched: 1, because even a few
// tensors of unknown size could exceed the budget. Later batches grow by at most a factor of
// four. If memory use is watched, the first batch contains all tensors.
const firstBatch = 1

// batches iterates over names in batches. Each batch's memory determines the size of the next,
// because models rarely declare the shapes of inner tensors.
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

// giveBack returns a batch that exceeded the memory budget. The next one has a quarter of its
// size.
func (b *batches) giveBack(batch []string) {
	b.next -= len(batch)
	b.size = max(1, len(batch)/4)
}

// learn sets the next batch's size from the last batch's memory. It aims at half the budget,
// since later tensors may be larger, and at most quadruples the size.
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

// bytesOf is the memory that sets occupy.
func bytesOf(sets []*tensor.Set) (total int64) {
	for _, set := range sets {
		for _, t := range set.All() {
			total += int64(len(t.Bytes()))
		}
	}
	return total
}
