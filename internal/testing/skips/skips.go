// Package skips says at the end of a suite how many of its specs were skipped and why: what a build
// server does not have, so that .ci/skipped tells them from those that should have run, or time.
package skips

import (
	"fmt"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
)

// Announce counts the skipped specs whose message starts with prefix, and prints after the suite
// that so many need what need names. .ci/skipped lists the needs that it accepts.
func Announce(prefix, need string) bool {
	return ginkgo.ReportAfterSuite("skipped specs that need "+need, func(report ginkgo.Report) {
		if n := count(report.SpecReports, prefix); n > 0 {
			fmt.Printf("\nmodelparity: %d skipped specs need %s\n", n, need)
		}
	})
}

// tooLong is how the message of a spec begins that go test -short skips.
const tooLong = "long: "

var _ = Announce(tooLong, "go test without -short")

// Long skips the spec of t under `go test -short`, which `make test` runs; .ci/run runs it. Long is
// a big table, an exhaustive sweep, or what starts compilers, modules of users or a browser.
func Long(t interface {
	Helper()
	Skip(args ...any)
}) {
	t.Helper()
	if testing.Short() {
		t.Skip(tooLong + "go test without -short runs it")
	}
}

// AnnounceExceptions counts the specs of backendtest that the suite's engine is excepted from, each
// with its reason, and prints so after the suite.
func AnnounceExceptions() bool {
	return ginkgo.ReportAfterSuite("excepted specs", func(report ginkgo.Report) {
		excepted := 0
		for _, spec := range report.SpecReports.WithState(types.SpecStateSkipped) {
			if strings.Contains(spec.Failure.Message, "is excepted: ") {
				excepted++
			}
		}
		if excepted > 0 {
			fmt.Printf("\nmodelparity: %d skipped specs are excepted\n", excepted)
		}
	})
}

// inherited is what Ginkgo says of the specs that follow in an ordered container whose BeforeAll
// skipped.
const inherited = "Spec skipped because Skip() was called in BeforeAll"

func count(specs types.SpecReports, prefix string) (n int) {
	counted := false
	for _, spec := range specs {
		message := spec.Failure.Message
		counted = spec.State == types.SpecStateSkipped && (strings.HasPrefix(message, prefix) ||
			counted && message == inherited)
		if counted {
			n++
		}
	}
	return n
}
