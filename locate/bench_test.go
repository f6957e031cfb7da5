package locate_test

import (
	"fmt"
	"testing"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/locate"
)

// BenchmarkDivergence searches graphs of 501 and 2001 nodes with a fault in the middle, both ways:
// cumulatively and each node alone.
func BenchmarkDivergence(b *testing.B) {
	ort.Require(b)
	for _, layers := range []int{167, 667} {
		faulty := network(layers)
		faulty.Nodes[3*(layers/2)+1].Op = "Sub"
		a, e := side("actual", faulty), side("expected", network(layers))
		b.Run(fmt.Sprintf("%d nodes", 3*layers), func(b *testing.B) {
			for b.Loop() {
				report, err := locate.Divergence(b.Context(), a, e, strict())
				if err != nil || report.First == nil || report.First.Index != 3*(layers/2)+1 {
					b.Fatalf("got %v, %v", report, err)
				}
			}
		})
	}
}

// BenchmarkReduce bisects 2001 nodes for one that is wrong.
func BenchmarkReduce(b *testing.B) {
	ort.Require(b)
	const layers = 667
	faulty := network(layers)
	faulty.Nodes[1000].Op = "Sub"
	a, e := side("actual", faulty), side("expected", network(layers))
	fails, forget, err := locate.Differs(b.Context(), a, e, strict().Compare)
	if err != nil {
		b.Fatal(err)
	}
	defer forget()
	for b.Loop() {
		found, err := locate.Reduce(b.Context(), a, fails, locate.ReduceOptions{Recorder: e})
		if err != nil || len(found.Nodes) != 1 {
			b.Fatalf("got %v, %v", found, err)
		}
		b.ReportMetric(float64(found.Tried), "runs")
	}
}
