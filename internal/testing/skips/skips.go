// Package skips reports at the end of a suite how many of its specs were skipped, and why.
// .ci/skipped uses the report to tell expected skips, such as those for missing hardware, from
// unexpected ones.
package skips

import (
	"fmt"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
)

// Announce counts the skipped specs whose message starts with prefix, and prints the count after
// the suite. need completes the sentence "n skipped specs need …". CI fails if a spec is skipped
// for a need that .ci/skipped does not list.
func Announce(prefix, need string) bool {
	return announce("need "+need, func(message string) bool {
		return strings.HasPrefix(message, prefix)
	})
}

// AnnounceExceptions makes Ginkgo print, after the suite, how many specs of package backendtest
// were skipped as exceptions for the suite's engine. It returns true, for use in a variable
// declaration.
func AnnounceExceptions() bool {
	return announce("are exempt", func(message string) bool {
		return strings.Contains(message, "is exempt: ")
	})
}

func announce(why string, is func(message string) bool) bool {
	return ginkgo.ReportAfterSuite("skipped specs that "+why, func(report ginkgo.Report) {
		if n := count(report.SpecReports, is); n > 0 {
			fmt.Printf("\nmodelparity: %d skipped specs %s\n", n, why)
		}
	})
}

// tooLong begins the message with which `go test -short` skips long specs.
const tooLong = "long: "

var _ = Announce(tooLong, "go test without -short")

// Long skips the spec of t under `go test -short`, which `make test` uses; .ci/run runs the spec.
// A long spec has a big table or an exhaustive sweep, starts a compiler or a browser, or runs the
// tests of a separate Go module.
func Long(t interface {
	Helper()
	Skip(args ...any)
}) {
	t.Helper()
	if testing.Short() {
		t.Skip(tooLong + "go test without -short runs it")
	}
}

// inherited is Ginkgo's message for the other specs of an ordered container in which BeforeAll
// called Skip.
const inherited = "Spec skipped because Skip() was called in BeforeAll"

// count counts the skipped specs with a wanted message, and the specs that Ginkgo skips together
// with such a spec ([inherited]).
func count(specs types.SpecReports, wanted func(message string) bool) (n int) {
	counted := false
	for _, spec := range specs {
		message := spec.Failure.Message
		counted = spec.State == types.SpecStateSkipped && (wanted(message) ||
			counted && message == inherited)
		if counted {
			n++
		}
	}
	return n
}
