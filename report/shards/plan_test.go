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

// imbalance is the ratio of the longest shard's time to the average.
func imbalance(loads []time.Duration) float64 {
	var sum time.Duration
	for _, l := range loads {
		sum += l
	}
	return float64(slices.Max(loads)) * float64(len(loads)) / float64(sum)
}

var _ = Describe("Ten thousand specs on two hundred shards", func() {
	It("are balanced by hash", func() {
		names, times := fleet()
		loads := make([]time.Duration, manyShards)
		for _, name := range names {
			loads[shardOf(name, manyShards)] += times[name]
		}
		hashed := imbalance(loads)
		AddReportEntry("the longest shard over the average", fmt.Sprintf("%.2f", hashed))
		Expect(hashed).To(BeNumerically("<", 2))
	})

	It("stay in their shards", func() {
		Expect(shardOf("the text of a spec", manyShards)).To(Equal(35))
		Expect(shardOf("the text of a spec", 8)).To(Equal(3))
	})

	It("need few copies of golden files and models", func() {
		names, _ := fleet()
		// A spec reads its model's golden file. Count how many shards need each file.
		fetched := map[string]bool{}
		for i, name := range names {
			fetched[fmt.Sprintf("%d on %d", i/engines, shardOf(name, manyShards))] = true
		}
		AddReportEntry("transfers of golden files, cached by shard", fmt.Sprintf(
			"%d for %d files of %d specs", len(fetched), manySpecs/engines, manySpecs))
		Expect(len(fetched)).To(BeNumerically("<=", manySpecs))
	})
})
