package locate

import (
	"context"
	"flag"
	"fmt"
	"time"
)

// started approximates the start of this process; it is never later than the start of go test's
// timeout.
var started = time.Now()

// longestMargin is the maximum time reserved at the end of the process, so that the search can
// stop in the middle of a run and write the finding.
const longestMargin = time.Minute

// inTime returns a context that ends well before go test's timeout, because a stopped search
// reports what it has found and a killed process does not.
func inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	timeout := testTimeout()
	if timeout <= 0 {
		return context.WithCancel(ctx)
	}
	at := started.Add(timeout - min(timeout/4, longestMargin))
	return context.WithDeadlineCause(ctx, at, fmt.Errorf("go test stops this process %v after its "+
		"start: raise -timeout", timeout))
}

// testTimeout is go test's flag -timeout, or 0.
func testTimeout() time.Duration {
	f := flag.Lookup("test.timeout")
	if f == nil {
		return 0 // not a test
	}
	value, ok := f.Value.(flag.Getter)
	if !ok {
		return 0
	}
	timeout, _ := value.Get().(time.Duration)
	return timeout
}
