package budget_test

import (
	"math"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/internal/budget"
)

func TestStructureGrowsWithWhatWasRead(t *testing.T) {
	var s budget.Structure
	if err := s.Take(16<<20, 0); err != nil {
		t.Error("a small file has room: ", err)
	}
	if err := s.Take(1, 0); err == nil {
		t.Error("nothing was read, and more than the room was taken")
	}
	var large budget.Structure
	for read := range int64(1000) {
		if err := large.Take(1500_000, read*1_000_000+1_000_000); err != nil {
			t.Fatalf("after %d MB: %v", read, err)
		}
	}
}

func TestTheVariableRaisesTheLimitAndNeverLowersIt(t *testing.T) {
	const standard = 16<<20 + 2000
	for text, want := range map[string]int64{
		"": standard, "100": standard, "nonsense": standard, "-1G": standard, "1T": standard,
		"99999999999G": standard, "2G": 2 << 30, "512m": 512 << 20, "30000K": 30000 << 10,
		"20000000": 20000000,
	} {
		t.Setenv(budget.Variable, text)
		if got := budget.Unpacked(1000); got != want {
			t.Errorf("%s=%s: %d, want %d", budget.Variable, text, got, want)
		}
	}
	t.Setenv(budget.Variable, "")
	if got := budget.Unpacked(math.MaxInt64 - 1); got != math.MaxInt64 {
		t.Error(got)
	}
}

func TestTheErrorNamesAValueThatIsEnough(t *testing.T) {
	for _, need := range []int64{1, 1 << 20, 1<<20 + 1, 1 << 30, 1<<30 + 1, 5 << 30} {
		text := budget.Refuse("the archive", need, 0).Error()
		_, after, found := strings.Cut(text, budget.Variable+"=")
		value, _, _ := strings.Cut(after, " ")
		t.Setenv(budget.Variable, value)
		if limit := budget.Unpacked(0); !found || limit < need {
			t.Errorf("%q raises the limit to %d, and %d are needed", text, limit, need)
		}
	}
}
