package locate

import "slices"

// camps splits n voters into camps. Every voter agrees with all members of its camp and with no
// other voter. The largest camp comes first. Camps of equal size keep the order of the voters. If
// agreement is not transitive, no such split exists, and ok is false.
func camps(n int, agree func(a, b int) bool) (list [][]int, ok bool) {
	seen := make([]bool, n)
	for a := range n {
		if seen[a] {
			continue
		}
		var camp []int
		for b := range n {
			if b == a || agree(a, b) {
				camp = append(camp, b)
			}
		}
		for _, x := range camp {
			differs := func(y int) bool { return y != x && !agree(x, y) }
			if seen[x] || slices.ContainsFunc(camp, differs) {
				return nil, false
			}
			seen[x] = true
		}
		list = append(list, camp)
	}
	slices.SortStableFunc(list, func(a, b []int) int { return len(b) - len(a) })
	return list, true
}

// outcome returns the outcome of a vote that formed camps, and the voters outside the majority.
func outcome(n int, camps [][]int) (VoteOutcome, []int) {
	switch {
	case len(camps) == 1:
		return Agreed, nil
	case 2*len(camps[0]) > n:
		apart := slices.Concat(camps[1:]...)
		slices.Sort(apart)
		if len(apart) == 1 {
			return OddOneOut, apart
		}
		return SeveralApart, apart
	case len(camps) == 2 || len(camps[0]) == len(camps[1]) && len(camps[0]) > 1:
		return Tied, nil
	}
	return Scattered, nil
}
