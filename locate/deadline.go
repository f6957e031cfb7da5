package locate

import (
	"context"
	"flag"
	"fmt"
	"time"
)

// started is when this process began, as nearly as a package can tell: never after the testing
// package starts its clock.
var started = time.Now()

// longestMargin is how much time is left at most between the end of a search and that of the
// process, for the search to stop in the middle of a run and for the finding to be written.
const longestMargin = time.Minute

// inTime is ctx that ends well before go test would end the process: a diagnosis that was cut off
// says what it found so far, and a process that was cut off says nothing.
func inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	timeout := testTimeout()
	if timeout <= 0 {
		return context.WithCancel(ctx)
	}
	at := started.Add(timeout - min(timeout/4, longestMargin))
	return context.WithDeadlineCause(ctx, at, fmt.Errorf("go test ends this process %v after its "+
		"start: give -timeout more", timeout))
}

// testTimeout is the flag -timeout of go test, or 0 for none.
func testTimeout() time.Duration {
	f := flag.Lookup("test.timeout")
	if f == nil {
		return 0 // no test
	}
	value, ok := f.Value.(flag.Getter)
	if !ok {
		return 0
	}
	timeout, _ := value.Get().(time.Duration)
	return timeout
}
