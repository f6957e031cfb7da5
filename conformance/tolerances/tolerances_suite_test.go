// Package tolerances_test measures comparison rules, noise and fixed tolerances: how often each
// rejects correct engines, and how many planted faults each accepts. By default it uses the two
// small example models; `make tolerances` adds ONNX's nine CNN topologies and the field suite's
// models, and writes docs/evidence/false-alarms.md.
package tolerances_test

import (
	"fmt"
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
)

// pageVariable names the environment variable for the file with the table.
const pageVariable = "MODELPARITY_TOLERANCES_PAGE"

func TestTolerances(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "tolerances")
}

var _ = Describe("Noise", Ordered, ContinueOnFailure, func() {
	var rows []*row

	BeforeAll(func() { ort.Require(GinkgoT()) })

	for _, s := range subjects() {
		It("rejects no correct engine on "+s.name+", and each fault above its power",
			func(ctx SpecContext) {
				r := &row{model: s.name}
				defer func() { // keep the measurements even after a failure
					rows = append(rows, r)
					fmt.Println("ROW", r.line())
					Expect(publish(rows)).To(Succeed())
				}()
				r.run(ctx, s)
				Expect(r.alarms[byNoise]).To(BeZero(), "false alarms: %v", r.notes)
				Expect(r.missed[byNoise]).To(BeZero(), "missed faults: %v", r.notes)
			}, SpecTimeout(timeout))
	}

	It("is judged by enough results", func() {
		results, faults := 0, 0
		for _, r := range rows {
			results, faults = results+r.results, faults+r.faults
		}
		fmt.Println("TOTAL", results, "results,", faults, "faults")
		least := 20 // of the digest, with any set of engines
		if os.Getenv(pageVariable) != "" {
			least = 500
		}
		Expect(results).To(BeNumerically(">=", least))
		Expect(faults).To(BeNumerically(">=", least))
	})
})

// publish writes the page, if one is named.
func publish(rows []*row) error {
	path := os.Getenv(pageVariable)
	if path == "" {
		return nil
	}
	return os.WriteFile(path, []byte(page(rows)), 0o644)
}
