// Package field_test runs the localiser on models from other projects' exporters: pairs of the same
// model by two makers, healthy and with planted faults. By default it uses a digest of pairs in
// testdata; MODELPARITY_FIELD names the folder of all pairs, as `make field` does.
//
// make/ contains the scripts that make the models. docs/evidence/field.md lists the scores.
package field_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
)

func TestField(t *testing.T) {
	RegisterFailHandler(Fail)
	if os.Getenv(trainedVariable) != "" {
		describeTrained(t)
		RunSpecs(t, "models of the field")
		return
	}
	pairs, seeds, err := pairsAndSeeds()
	if err != nil {
		t.Fatal(err)
	}
	describe(pairs, seeds)
	if os.Getenv(folderVariable) == "" { // a measurement takes longer than all that it judges
		describeByNoise(pairs, seeds)
	}
	RunSpecs(t, "models of the field")
}

// least is the share of visible faults that must be located exactly, by makers of a pair.
var least = map[string]float64{"one": 0.95, "rewritten": 0.9, "two": 0.9}

func describe(pairs []pair, seeds []uint64) {
	var _ = Describe("the localiser", Ordered, ContinueOnFailure, func() {
		var outcomes []outcome

		BeforeAll(func() { ort.Require(GinkgoT()) })

		for _, p := range pairs {
			Context(p.String(), func() { describePair(p, seeds, false, &outcomes) })
		}

		for class, share := range least {
			if os.Getenv(folderVariable) == "" {
				break // the digest is too small for percentages
			}
			It(fmt.Sprintf("names %.0f %% of the faults exactly: %s", 100*share, makers[class]), func() {
				all, _ := tally(outcomes, func(o outcome) string { return o.Makers })
				if all[class].shown() == 0 {
					Skip("no pair of this kind ran")
				}
				Expect(all[class].share()).To(BeNumerically(">=", share))
			})
		}

		AfterAll(func() {
			fmt.Println(page(outcomes))
			Expect(publish(page(outcomes))).To(Succeed())
		})
	})
}

// leastByNoise is the share of the digest's visible faults that noise must locate exactly.
const leastByNoise = 0.95

func describeByNoise(pairs []pair, seeds []uint64) {
	var _ = Describe("the localiser without a tolerance", Ordered, ContinueOnFailure, func() {
		var outcomes []outcome

		BeforeAll(func() { ort.Require(GinkgoT()) })

		for _, p := range pairs {
			Context(p.String(), func() { describePair(p, seeds, true, &outcomes) })
		}

		It("names every fault exactly in models that agree within noise without it", func() {
			all, otherTypes := counts{}, counts{}
			for _, o := range outcomes {
				if o.kind == "" {
					continue
				}
				all[o.score]++
				if o.Types {
					otherTypes[o.score]++
				}
			}
			AddReportEntry("by noise", fmt.Sprintf("%v, of which in models of different types: %v", all,
				otherTypes))
			Expect(all[exact]-otherTypes[exact]).To(Equal(all.shown()-otherTypes.shown()), "%v", all)
			Expect(all.share()).To(BeNumerically(">=", leastByNoise), "%v", all)
		})
	})
}

func describePair(p pair, seeds []uint64, byNoise bool, outcomes *[]outcome) {
	var b *bench

	// All specs are in one ordered container, so a pair that cannot be opened must not abort it.
	BeforeEach(func(ctx SpecContext) {
		if b != nil {
			return
		}
		opened, err := open(ctx, p)
		if err != nil && strings.Contains(err.Error(), "the system has no locale of that name") {
			Skip("ONNX Runtime's StringNormalizer needs the locale en_US.UTF-8 on this system")
		}
		Expect(err).NotTo(HaveOccurred())
		b = opened
		b.byNoise = byNoise
	})

	It("raises no false alarm", func(ctx SpecContext) {
		o := b.look(ctx)
		*outcomes = append(*outcomes, o)
		if o.score != quiet {
			Expect(b.keep(o)).To(Succeed())
		}
		Expect(o.score).To(Equal(quiet), o.said)
	})

	for _, kind := range kinds {
		for _, seed := range seeds {
			It(fmt.Sprintf("names no innocent node for a fault of %s (%d)", kind.name, seed),
				func(ctx SpecContext) {
					o, err := b.judge(ctx, kind.name, kind.sites, seed)
					Expect(err).NotTo(HaveOccurred())
					*outcomes = append(*outcomes, o)
					switch o.score {
					case stretch, nowhere, wrong, broken:
						Expect(b.keep(o)).To(Succeed())
					}
					Expect(o.score).NotTo(BeElementOf(wrong, broken), o.what+": "+o.said)
				})
		}
	}
}
