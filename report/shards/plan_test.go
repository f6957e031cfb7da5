package shards

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
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

	It("need few copies of golden files and models", func() {
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
	})
})
