package compare_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestCompare(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "compare")
}

// testingAllocs is the mean number of allocations of f. Other goroutines' count too, so the least
// of a few tries is taken.
func testingAllocs(f func()) float64 {
	least := testing.AllocsPerRun(100, f)
	for range 5 {
		least = min(least, testing.AllocsPerRun(100, f))
	}
	return least
}
