// Package tolerances_test measures comparison rules, noise and fixed tolerances: how often each
// rejects correct engines, and how many planted faults each accepts; and NoWorseThan on good and
// bad engines of lower precision. By default it uses the two small example models; `make
// tolerances` adds ONNX's nine CNN topologies, the field suite's models, 126 generated ones whose
// rounding is hard to judge, and trained networks, and writes docs/evidence/false-alarms.md and
// no-worse-than.md.
package tolerances_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
				r := &row{Model: s.name}
				if !stored(s.name, r) {
					r.run(ctx, s)
					store(s.name, r)
				}
				rows = append(rows, r)
				fmt.Println("ROW", r.line())
				Expect(publish(rows)).To(Succeed())
				Expect(r.Alarms[byNoise]).To(BeZero(), "false alarms: %v", r.Notes)
				Expect(r.Missed[byNoise]).To(BeZero(), "missed faults: %v", r.Notes)
			}, SpecTimeout(timeout))
	}

	It("is judged by enough results", func() {
		results, faults := 0, 0
		for _, r := range rows {
			results, faults = results+r.Results, faults+r.Faults
		}
		fmt.Println("TOTAL", results, "results,", faults, "faults")
		least := 20 // of the digest, with any set of engines
		if os.Getenv(pageVariable) != "" {
			least = 500
		}
		if os.Getenv(onlyVariable) != "" {
			least = 0
		}
		Expect(results).To(BeNumerically(">=", least))
		Expect(faults).To(BeNumerically(">=", least))
	})
})

// resultsVariable names the environment variable for a folder of rows. A model whose row is there
// is not measured again.
const resultsVariable = "MODELPARITY_TOLERANCES_RESULTS"

// resultFile is the file of a row, "" without a folder.
func resultFile(name string) string {
	folder := os.Getenv(resultsVariable)
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, strings.ReplaceAll(name, " ", "_")+".json")
}

// stored reads the row of a former run, if there is one.
func stored(name string, row any) bool {
	GinkgoHelper()
	data, err := os.ReadFile(resultFile(name))
	if err != nil {
		return false
	}
	Expect(json.Unmarshal(data, row)).To(Succeed())
	return true
}

func store(name string, row any) {
	GinkgoHelper()
	file := resultFile(name)
	if file == "" {
		return
	}
	data, err := json.MarshalIndent(row, "", " ")
	Expect(err).NotTo(HaveOccurred())
	Expect(os.MkdirAll(filepath.Dir(file), 0o755)).To(Succeed())
	Expect(os.WriteFile(file, data, 0o644)).To(Succeed())
}

// publish writes the page, if one is named.
func publish(rows []*row) error {
	path := os.Getenv(pageVariable)
	if path == "" {
		return nil
	}
	return os.WriteFile(path, []byte(page(rows)), 0o644)
}
