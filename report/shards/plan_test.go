package shards

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/reportfile"
)

// fleet is a suite of ten thousand specs with realistic durations: most about a second, some a
// minute. Four engines run each of 2,500 models.
const (
	manySpecs  = 10_000
	manyShards = 200
	engines    = 4
)

func fleet() (names []string, times map[string]time.Duration) {
	random := rand.New(rand.NewPCG(16, 10))
	times = map[string]time.Duration{}
	for i := range manySpecs {
		name := fmt.Sprintf("model %d matches its golden file on engine %d", i/engines, i%engines)
		names = append(names, name)
		times[name] = time.Duration(math.Exp(random.NormFloat64()) * float64(time.Second))
	}
	return names, times
}

// loads returns the shards' total times.
func loads(p plan, names []string, times map[string]time.Duration) (all []time.Duration) {
	all = make([]time.Duration, p.total)
	for _, name := range names {
		all[p.shardOf(name)] += times[name]
	}
	return all
}

// imbalance is the ratio of the longest shard's time to the average.
func imbalance(loads []time.Duration) float64 {
	var sum time.Duration
	for _, l := range loads {
		sum += l
	}
	return float64(slices.Max(loads)) * float64(len(loads)) / float64(sum)
}

var _ = Describe("Ten thousand specs on two hundred shards", func() {
	It("are balanced evenly by timings, and less so by hash", func() {
		names, times := fleet()
		hashed := imbalance(loads(plan{total: manyShards}, names, times))
		weighed := imbalance(loads(plan{total: manyShards, by: balance(manyShards, times)}, names,
			times))
		// Timings of the last run are off by a fifth or more, and one spec in a hundred is new.
		random := rand.New(rand.NewPCG(1, 2))
		last := map[string]time.Duration{}
		for i, name := range names {
			if i%100 != 0 {
				last[name] = time.Duration(float64(times[name]) * (0.8 + 0.4*random.Float64()))
			}
		}
		stale := imbalance(loads(plan{total: manyShards, by: balance(manyShards, last)}, names, times))
		AddReportEntry("the longest shard over the average", fmt.Sprintf(
			"by hash %.2f, by the last run's timings %.3f, by timings that are 20 %% off and lack 1 %% %.2f",
			hashed, weighed, stale))
		Expect(hashed).To(BeNumerically("<", 2))
		Expect(weighed).To(BeNumerically("<", 1.02))
		Expect(stale).To(BeNumerically("<", 1.25))
	})

	It("depend neither on the order nor on added specs", func() {
		names, times := fleet()
		p := plan{total: manyShards, by: balance(manyShards, times)}
		again := map[string]time.Duration{}
		for _, i := range rand.Perm(len(names)) {
			again[names[i]] = times[names[i]]
		}
		Expect(balance(manyShards, again)).To(Equal(p.by))
		Expect(plan{total: manyShards}.shardOf("the text of a spec")).To(Equal(35))
		Expect(plan{total: 8}.shardOf("the text of a spec")).To(Equal(3))
	})

	It("need few copies of golden files and models, and small reports", func() {
		names, _ := fleet()
		// A spec reads its model's golden file. Count how many shards need each file.
		p := plan{total: manyShards}
		fetched := map[string]bool{}
		for i, name := range names {
			fetched[fmt.Sprintf("%d on %d", i/engines, p.shardOf(name))] = true
		}
		AddReportEntry("transfers of golden files, cached by shard", fmt.Sprintf(
			"%d for %d files of %d specs", len(fetched), manySpecs/engines, manySpecs))
		Expect(len(fetched)).To(BeNumerically("<=", manySpecs))

		// Compare one shard's thin report with Ginkgo's own.
		mine := reportfile.Share{Index: 7, Total: manyShards, From: "test"}
		r := Report{SuiteDescription: "fleet", SuitePath: "/src/fleet"}
		for _, name := range names {
			owner := reportfile.Share{Index: p.shardOf(name), Total: manyShards}
			spec := types.SpecReport{LeafNodeType: types.NodeTypeIt, LeafNodeText: name,
				State: types.SpecStatePassed, LeafNodeLabels: []string{owner.Label()},
				LeafNodeLocation: types.CodeLocation{FileName: "/src/fleet/fleet_test.go", LineNumber: 40}}
			if owner.Index != mine.Index {
				spec.State = types.SpecStateSkipped
				spec.Failure = types.Failure{Message: owner.Elsewhere(),
					Location: types.NewCodeLocationWithStackTrace(0)}
			}
			r.SpecReports = append(r.SpecReports, spec)
		}
		full, err := json.Marshal([]Report{r})
		Expect(err).NotTo(HaveOccurred())
		path := filepath.Join(GinkgoT().TempDir(), "thin.json")
		Expect(writeThin(path, r, mine)).To(Succeed())
		thin, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		AddReportEntry("bytes of the reports of all shards", fmt.Sprintf(
			"Ginkgo's %.0f MB; thin %.0f MB, %.0f MB with gzip", float64(manyShards*len(full))/1e6,
			float64(manyShards*len(thin))/1e6, float64(manyShards*zipped(thin))/1e6))
		Expect(len(thin)).To(BeNumerically("<", len(full)/4))
		Expect(manyShards * zipped(thin)).To(BeNumerically("<", 40e6))
		read, err := reportfile.Decode(bytes.NewReader(thin))
		Expect(err).NotTo(HaveOccurred())
		Expect(read.Suites[0].Count()).To(Equal(manySpecs))
	})
})

// zipped is a text's size after gzip, as build servers store artifacts.
func zipped(text []byte) int {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(text)
	Expect(err).NotTo(HaveOccurred())
	Expect(w.Close()).To(Succeed())
	return b.Len()
}

var _ = Describe("Weights", func() {
	write := func(text string) string {
		GinkgoHelper()
		path := filepath.Join(GinkgoT().TempDir(), "all.json")
		Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
		return path
	}
	const ran = `[{"SuitePath":"/elsewhere/pkg","SpecReports":[
		{"LeafNodeType":"It","LeafNodeText":"long","State":"passed","RunTime":90000},
		{"LeafNodeType":"It","LeafNodeText":"a","State":"failed","RunTime":30000},
		{"LeafNodeType":"It","LeafNodeText":"a","State":"passed","RunTime":40000},
		{"LeafNodeType":"It","LeafNodeText":"skipped","State":"skipped"},
		{"LeafNodeType":"It","LeafNodeText":"step","State":"passed","IsInOrderedContainer":true,
		 "ReportEntries":[{"Name":"modelparity: unit","Value":{"AsJSON":"\"o\"","Representation":"o"}}]},
		{"LeafNodeType":"It","LeafNodeText":"lost","State":"passed","IsInOrderedContainer":true}]}]`

	It("belong to the suite's package, by unit", func() {
		p, err := readPlan(2, write(ran), "/here/pkg", "")
		Expect(err).NotTo(HaveOccurred())
		Expect(p.by).To(Equal(map[string]int{"long": 0, "a #2": 1, "a": 1, "o": 1}))
		Expect(p.weights).To(HaveLen(64))
		Expect(p.note).To(HavePrefix("1 specs in the weights lack the name of their Ordered"))
		p, err = readPlan(2, write(ran), "/here/other", "")
		Expect(err).NotTo(HaveOccurred())
		Expect(p.by).To(BeEmpty())
		Expect(p.note).To(Equal("the weights are for other suites"))
	})

	It("are rejected if invalid", func() {
		_, err := readPlan(2, write("{"), "/here/pkg", "")
		Expect(err).To(MatchError(ContainSubstring("all.json: byte 1")))
		_, err = readPlan(2, write(`{"version":1,"kind":"vote","verdict":"pass"}`), "/here/pkg", "")
		Expect(err).To(MatchError(ContainSubstring("a report of kind vote contains no timings")))
	})
})
