package precision

import "math"

// group combines nodes into groups that are measured in one run, if measuring each node separately
// would leave too few runs for the search. It pairs a node with the only reader of its output, if
// that reader has no constants that would be rounded. It stops when only limit groups are left, or
// when no more nodes can be paired. It returns the group number of each compute node, and the
// number of groups.
func (n *network) group(limit int) (of []int, count int) {
	with := make([]int, len(n.steps)) // the first node of each group
	merged := make([]bool, len(n.steps))
	count = len(n.steps)
	for j, i := range n.steps {
		with[j] = j
		l := &n.nodes[i]
		if count <= limit || n.constants(l) > 0 || len(l.data) != 1 {
			continue
		}
		source := l.data[0]
		maker, made := n.maker[source]
		if !made || n.kept[source] || len(n.leaves[source]) != 1 {
			continue
		}
		if p := n.nodes[maker].step; n.nodes[maker].role == computes && !merged[p] {
			with[j], merged[p], merged[j] = p, true, true
			count--
		}
	}
	of = make([]int, len(n.steps))
	next := 0
	for j := range of {
		if of[j] = next; with[j] != j {
			of[j] = of[with[j]]
		} else {
			next++
		}
	}
	return of, count
}

// constants returns the largest error of rounding one of a node's constants, relative to that
// constant's norm. The error is infinite if a constant leaves the format's range.
func (n *network) constants(l *layer) float64 {
	most := 0.0
	for _, name := range l.takes {
		if w, ok := n.weights[name]; ok {
			if n.format.beyond(w.largest) || n.format.loses(w.largest) {
				return math.Inf(1)
			}
			most = max(most, w.error)
		}
	}
	return most
}

// split distributes each group's squared error among its nodes, in proportion to the nodes' squared
// relative rounding errors. The last list in measured is the error of the inputs, which stays
// unchanged.
func (n *network) split(measured [][]float64, of []int, stored []float64) [][]float64 {
	sizes := make([]int, len(measured))
	total := make([]float64, len(measured))
	weightOf := func(j int) float64 {
		c := n.constants(&n.nodes[n.steps[j]])
		return float64(c*c) + float64(stored[j]*stored[j])
	}
	for j, g := range of {
		sizes[g]++
		total[g] += weightOf(j)
	}
	own := make([][]float64, len(of), len(of)+1)
	for j, g := range of {
		own[j] = measured[g]
		if part := weightOf(j) / total[g]; sizes[g] > 1 && part == part && part < 1 {
			own[j] = make([]float64, len(measured[g]))
			for o, e := range measured[g] {
				if own[j][o] = e; part > 0 || e-e == 0 {
					own[j][o] = e * math.Sqrt(part)
				}
			}
		}
	}
	return append(own, measured[len(measured)-1])
}
