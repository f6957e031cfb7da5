// Package peak measures the peak memory of a spec's work.
package peak

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Of calls work and returns the largest growth of the heap during the call, in bytes. The result
// includes garbage, up to a tenth of the memory in use.
func Of(work func()) int {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	before := held()
	most, stop, stopped := before, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(200 * time.Microsecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				most = max(most, held())
			}
		}
	}()
	work()
	close(stop)
	<-stopped
	return int(max(most, held()) - before)
}

func held() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
