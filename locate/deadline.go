package locate

import (
	"context"
	"flag"
	"fmt"
	"time"
)

// started is approximately the time at which this process started. It is never later than the time
// at which go test's timeout starts.
var started = time.Now()

// longestMargin is the longest time to reserve before go test's timeout. It lets a search that is
// in the middle of a run stop and write the finding.
const longestMargin = time.Minute

// inTime returns a context that ends well before go test's timeout, because a search that is
// stopped in time can still report what it has found. A process killed by the timeout reports
// nothing.
func inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	f := flag.Lookup("test.timeout")
	if f == nil {
		return context.WithCancel(ctx) // not a test process
	}
	timeout, err := time.ParseDuration(f.Value.String())
	if err != nil || timeout <= 0 {
		return context.WithCancel(ctx)
	}
	at := started.Add(timeout - min(timeout/4, longestMargin))
	return context.WithDeadlineCause(ctx, at, fmt.Errorf("go test stops this process %v after its "+
		"start: raise -timeout", timeout))
}
