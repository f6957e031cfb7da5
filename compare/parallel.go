package compare

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// block is the number of elements in one piece of work. The number is fixed, and the sums of blocks
// are added up in the order of the blocks, so reports do not depend on the number of workers.
const block = 1 << 16

// overBlocks calls work for every block of n elements, on several goroutines, and returns the
// results in the order of the blocks. Each goroutine has its own [scratch] buffers.
func overBlocks[T any](n int, work func(lo, hi int, s *scratch) T) []T {
	results := make([]T, (n+block-1)/block)
	overWorkers(n, func(s *scratch, next func() (lo, hi int, ok bool)) {
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			results[lo/block] = work(lo, hi, s)
		}
	})
	return results
}

// overWorkers starts the goroutines of overBlocks. Each calls worker, which takes blocks from next
// until none is left.
func overWorkers(n int, worker func(s *scratch, next func() (lo, hi int, ok bool))) {
	var drawn atomic.Int64
	next := func() (lo, hi int, ok bool) {
		lo = int(drawn.Add(1)-1) * block
		return lo, min(lo+block, n), lo < n
	}
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+block-1)/block) - 1 {
		group.Go(func() {
			s := scratches.Get().(*scratch)
			defer scratches.Put(s)
			worker(s, next)
		})
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	worker(s, next)
	group.Wait()
}
