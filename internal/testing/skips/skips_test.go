package skips

import (
	"testing"

	"github.com/onsi/ginkgo/v2/types"
)

func TestOnlySkipsWithTheMessageCount(t *testing.T) {
	skipped := func(message string) types.SpecReport {
		return types.SpecReport{State: types.SpecStateSkipped, Failure: types.Failure{Message: message}}
	}
	passed := skipped("make engines runs this one")
	passed.State = types.SpecStatePassed
	specs := types.SpecReports{passed, skipped(""), skipped("the library is missing"),
		skipped(inherited), skipped("make engines runs this one"),
		skipped("make engines runs this one: it needs jax"), skipped(inherited), passed,
		skipped(inherited)}
	if n := count(specs, "make engines"); n != 3 {
		t.Errorf("%d skipped specs, expected 3", n)
	}
}
