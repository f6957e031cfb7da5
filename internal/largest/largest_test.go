package largest_test

import (
	"math"
	"slices"
	"testing"

	"github.com/modelparity/modelparity/internal/largest"
)

func TestIndices(t *testing.T) {
	row := make([]float64, 3000)
	for i := range row {
		row[i] = float64(i * 7919 % 997) // with ties
	}
	list := largest.Indices(row, 300)
	for i := 1; i < len(list); i++ {
		x, y := list[i-1], list[i]
		if row[x] < row[y] || row[x] == row[y] && x > y {
			t.Errorf("%d before %d", x, y)
		}
	}
	if all := largest.Indices(row, 3000); !slices.Equal(list, all[:300]) {
		t.Error("the first 300 of all differ from the 300 largest")
	}
	row[0], row[1] = math.NaN(), math.NaN()
	if list := largest.Indices(row, 2); slices.Contains(list, 0) || slices.Contains(list, 1) {
		t.Error("NaN is among the largest")
	}
}
