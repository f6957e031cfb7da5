package tolerances_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/precision"
)

// enginesVariable names the environment variable for the folder of the engines of lower precision
// that make/make_engines.py writes.
const enginesVariable = "MODELPARITY_TOLERANCES_ENGINES"

// A bad engine counts if its errors in some column are this many times the errors of the worst good
// engine: their root mean square, or the greatest error.
const (
	leastWorse         = 1.5
	leastWorseGreatest = 5
)

// lowerEngine is an engine of lower precision, a model that rounds, as engines.json describes it.
type lowerEngine struct {
	File, Format, Kind string
	Good               bool
	RMS, Greatest      float64
}

// band says how much worse a bad engine is, by the measure that shows it best.
func (e lowerEngine) band() string {
	times := max(e.RMS, e.Greatest*leastWorse/leastWorseGreatest)
	for _, most := range []float64{2, 3, 5, 10} {
		if times < most {
			return fmt.Sprintf("below %2.0f times", most)
		}
	}
	return "from 10 times"
}

// lowerRow is the result for one model and format.
type lowerRow struct {
	Model, Format string
	Good          counts
	Bad           map[string]counts // by kind
	Worse         map[string]counts // the same engines, by how much worse they are
	Hidden        int               // bad engines that are hardly worse
	Notes         []string          `json:",omitempty"`
}

var _ = Describe("NoWorseThan", Ordered, ContinueOnFailure, func() {
	var rows []*lowerRow

	BeforeAll(func() { ort.Require(GinkgoT()) })

	made, _ := filepath.Glob(filepath.Join(os.Getenv(enginesVariable), "*", "engines.json"))
	only := regexp.MustCompile(os.Getenv(onlyVariable))
	for _, file := range made {
		folder := filepath.Dir(file)
		name := filepath.Base(folder)
		if !only.MatchString(name) {
			continue
		}
		for _, format := range []precision.Format{precision.FP16, precision.BF16, precision.INT8} {
			It(fmt.Sprintf("accepts the good engines of %s in %s, and rejects most bad ones", name, format),
				func(ctx SpecContext) {
					r := &lowerRow{Model: name, Format: string(format), Bad: map[string]counts{},
						Worse: map[string]counts{}}
					key := "worse_" + name + "_" + string(format)
					if !stored(key, r) {
						r.run(ctx, folder, format)
						store(key, r)
					}
					rows = append(rows, r)
					fmt.Printf("WORSE %s %s: %d of %d good rejected, %d of %d bad accepted\n", r.Model,
						r.Format, r.Good.Wrong, r.Good.Engines, r.bad().Wrong, r.bad().Engines)
					Expect(publishWorse(rows)).To(Succeed())
					Expect(r.Good.Wrong).To(BeZero(), strings.Join(r.Notes, "\n"))
				}, SpecTimeout(timeout))
		}
	}

	It("rejects nine of ten bad engines", func() {
		sum := counts{}
		for _, r := range rows {
			sum = sum.plus(r.bad())
		}
		Expect(10*sum.Wrong).To(BeNumerically("<=", sum.Engines), "%d of %d are accepted", sum.Wrong,
			sum.Engines)
	})
})

func (r *lowerRow) run(ctx context.Context, folder string, format precision.Format) {
	GinkgoHelper()
	var all []lowerEngine
	data, err := os.ReadFile(filepath.Join(folder, "engines.json"))
	Expect(err).NotTo(HaveOccurred())
	Expect(json.Unmarshal(data, &all)).To(Succeed())
	inputs, err := filepath.Glob(filepath.Join(folder, "inputs-*.npz"))
	Expect(err).NotTo(HaveOccurred())
	plain := ort.Engine(ort.OptimizationLevel(ort.OptimizeNone), ort.Threads(1))
	run := func(file string) *backends.Run {
		GinkgoHelper()
		run, err := backends.RunIn(ctx, plain, loaders.ONNX(filepath.Join(folder, file)),
			fixtures.Load(inputs...))
		Expect(err).NotTo(HaveOccurred(), file)
		return run
	}
	expected := run("model.onnx")
	lower, err := precision.Of(ctx, expected.Subject(), format)
	Expect(err).NotTo(HaveOccurred())
	for _, e := range all {
		if e.Format != string(format) {
			continue
		}
		if !e.Good && e.RMS < leastWorse && e.Greatest < leastWorseGreatest {
			r.Hidden++
			continue
		}
		passes, text := noWorse(run(e.File), expected, lower)
		one := counts{Engines: 1}
		if passes != e.Good {
			one.Wrong = 1
			r.Notes = append(r.Notes, fmt.Sprintf("%s (%.3g and %.3g times the worst good engine): %s",
				e.File, e.RMS, e.Greatest, text))
		}
		if e.Good {
			r.Good = r.Good.plus(one)
		} else {
			r.Bad[e.Kind] = r.Bad[e.Kind].plus(one)
			r.Worse[e.band()] = r.Worse[e.band()].plus(one)
		}
	}
}

// noWorse judges an engine. Outputs that cannot be judged are left out.
func noWorse(actual, expected *backends.Run, lower *compare.LowerPrecision) (passes bool,
	text string) {
	GinkgoHelper()
	o := compare.Options{AllowEmpty: true}
	for {
		report, err := compare.NoWorseThan(actual.Outputs(), expected.Outputs(), lower,
			compare.Bars{}, o)
		var powerless *compare.Powerless
		if errors.As(err, &powerless) && len(o.Except) < expected.Outputs()[0].Len() {
			o.Except = append(o.Except, powerless.Output)
			continue
		}
		Expect(err).NotTo(HaveOccurred())
		return report.Verdict == compare.Pass, report.Text()
	}
}

func (r *lowerRow) bad() counts { return total(r.Bad) }

// publishWorse writes worse.md next to the page, if one is named.
func publishWorse(rows []*lowerRow) error {
	path := os.Getenv(pageVariable)
	if path == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(filepath.Dir(path), "no-worse-than.md"), []byte(pageWorse(rows)),
		0o644)
}

const headWorse = `# Good and bad engines of lower precision

` + "`make tolerances`" + ` writes this page: simulated engines in FP16, BF16 and INT8 that are
known to be good or bad (conformance/tolerances/make), judged by [NoWorseThan](../noise.md). Good
engines differ in which tensors they round and in the order of their sums. A bad engine has a fault,
and an error that is 1.5 times the worst good engine's in some column of its outputs, or a largest
error that is 5 times as large.

`

const bandsWorse = `
The bad engines by how much worse they are: the ratio of root mean square errors in the worst
column, compared with the worst good engine, or 0.3 times the ratio of the largest errors:

`

func pageWorse(rows []*lowerRow) string {
	var b strings.Builder
	b.WriteString(headWorse)
	b.WriteString("| model | format | good | rejected | bad | accepted |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- |\n")
	good, bad, hidden := counts{}, counts{}, 0
	kinds, bands := map[string]counts{}, map[string]counts{}
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d |\n", r.Model, r.Format, r.Good.Engines,
			r.Good.Wrong, r.bad().Engines, r.bad().Wrong)
		good, bad, hidden = good.plus(r.Good), bad.plus(r.bad()), hidden+r.Hidden
		add(kinds, r.Bad)
		add(bands, r.Worse)
	}
	fmt.Fprintf(&b, "| **all** | | %d | %d | %d | %d |\n\n", good.Engines, good.Wrong, bad.Engines,
		bad.Wrong)
	fmt.Fprintf(&b, "%d more engines have a fault with almost no effect, and are not counted.\n\n",
		hidden)
	writeKinds(&b, kinds)
	b.WriteString(bandsWorse)
	writeKinds(&b, bands)
	return b.String()
}
