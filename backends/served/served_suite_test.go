package served_test

import (
	"fmt"
	"slices"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"
)

func TestServed(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "backends/served")
}

// A build server reads from this line how many specs were skipped for want of a server
// (.ci/skipped).
var _ = ReportAfterSuite("specs that need servers", func(report Report) {
	skipped := 0
	for _, spec := range report.SpecReports.WithState(types.SpecStateSkipped) {
		if slices.Contains(spec.Labels(), "servers") && spec.Failure.Message != "" {
			skipped++
		}
	}
	if skipped > 0 {
		fmt.Printf("\nmodelparity: %d skipped specs need make served\n", skipped)
	}
})
