package names_test

import (
	"slices"
	"testing"

	"github.com/modelparity/modelparity/internal/names"
)

func TestSum(t *testing.T) {
	sizes := map[string][]int{"past": {3, 0}, "seq": {2, 1}, "past + seq": {9, 9},
		"8": {1, 1}, "": {7, 7}}
	known := func(part string) []int { return sizes[part] }
	for name, want := range map[string][]int{"past + seq": {5, 1}, "past+seq+past": {8, 1},
		"past + 1": {4, 1}, "8 + past": {11, 8}, "past": nil, "past + other": nil, "past +": nil,
		"past + -1": nil, "+": nil, "": nil} {
		if sum := names.Sum(name, 2, known); !slices.Equal(sum, want) {
			t.Errorf("%q: %v; want %v", name, sum, want)
		}
	}
}
