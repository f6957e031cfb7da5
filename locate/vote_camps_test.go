package locate

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
)

func TestCampsAndOutcomes(t *testing.T) {
	for name, row := range map[string]struct {
		n     int
		pairs [][2]int // that agree
		camps [][]int  // nil: none
		ends  VoteOutcome
		apart []int
	}{
		"all agree":        {3, [][2]int{{0, 1}, {0, 2}, {1, 2}}, [][]int{{0, 1, 2}}, Agreed, nil},
		"the first is odd": {3, [][2]int{{1, 2}}, [][]int{{1, 2}, {0}}, OddOneOut, []int{0}},
		"two odd of five": {5, [][2]int{{0, 2}, {0, 4}, {2, 4}}, [][]int{{0, 2, 4}, {1}, {3}},
			SeveralApart, []int{1, 3}},
		"a camp of two against three": {5, [][2]int{{0, 2}, {0, 4}, {2, 4}, {1, 3}},
			[][]int{{0, 2, 4}, {1, 3}}, SeveralApart, []int{1, 3}},
		"two":                    {2, nil, [][]int{{0}, {1}}, Tied, nil},
		"two camps":              {4, [][2]int{{0, 3}, {1, 2}}, [][]int{{0, 3}, {1, 2}}, Tied, nil},
		"two camps and one":      {5, [][2]int{{0, 3}, {1, 2}}, [][]int{{0, 3}, {1, 2}, {4}}, Tied, nil},
		"no one agrees":          {3, nil, [][]int{{0}, {1}, {2}}, Scattered, nil},
		"half is not a majority": {4, [][2]int{{0, 1}}, [][]int{{0, 1}, {2}, {3}}, Scattered, nil},
		"a chain":                {3, [][2]int{{0, 1}, {1, 2}}, nil, Chained, nil},
		"a chain next to one":    {4, [][2]int{{1, 2}, {2, 3}}, nil, Chained, nil},
		"a ring of four":         {4, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}}, nil, Chained, nil},
	} {
		g := NewWithT(t)
		list, ok := camps(row.n, func(a, b int) bool {
			return slices.Contains(row.pairs, [2]int{a, b}) || slices.Contains(row.pairs, [2]int{b, a})
		})
		g.Expect(ok).To(Equal(row.camps != nil), name)
		if !ok {
			continue
		}
		g.Expect(list).To(Equal(row.camps), name)
		ends, apart := outcome(row.n, list)
		g.Expect(ends).To(Equal(row.ends), name)
		g.Expect(apart).To(Equal(row.apart), name)
	}
}
