package precision

import (
	"maps"
	"math"
	"slices"
)

// prediction predicts the error that remains if a set of nodes is kept in float32. It assumes that
// the errors of nodes are independent, so that their squares add up. Each other node contributes
// the error of its constants, and each tensor that it reads or writes contributes the error of
// storing it in the format.
type prediction struct {
	// weights contains, by compute node and output, the squared error from rounding the node's
	// constants. stored contains, by tensor and output, the squared error from storing the tensor.
	// Each compute node has one tensor, which stands for all its outputs; the last tensor stands for
	// the model's inputs.
	weights, stored [][]float64
	touch           [][]int // by tensor: the compute nodes that write or read it
	touched         [][]int // by compute node: the tensors that it writes or reads
}

// errors returns the predicted squared error of each output if the kept nodes stay in float32.
func (p *prediction) errors(kept []bool) []float64 {
	sum := make([]float64, len(p.stored[0]))
	for j := range p.weights {
		if !kept[j] {
			add(sum, p.weights[j])
		}
	}
	for t := range p.stored {
		if slices.ContainsFunc(p.touch[t], func(j int) bool { return !kept[j] }) {
			add(sum, p.stored[t])
		}
	}
	return sum
}

func add(sum, more []float64) {
	for o, v := range more {
		sum[o] += v
	}
}

// within reports whether every error is at most its limit. Both lists contain squares.
func within(errors, limits []float64) bool {
	for o, e := range errors {
		if !(e <= limits[o]) {
			return false
		}
	}
	return true
}

// smallest returns a small set of nodes to keep in float32, so that the predicted errors are within
// the limits. The set has at most the given number of nodes; ok is false if smallest finds none. It
// returns the smallest result of three methods: removing one node after another, keeping only the
// first nodes, and keeping only the last nodes.
func (p *prediction) smallest(limits []float64, most int) (kept []bool, ok bool) {
	count := len(p.weights)
	best := most + 1
	take := func(k []bool) {
		if n := size(k); n < best && within(p.errors(k), limits) {
			kept, best = slices.Clone(k), n
		}
	}
	take(p.shrink(limits, all(count)))
	for _, reverse := range []bool{false, true} {
		k := make([]bool, count)
		for j := 0; j <= min(most, count); j++ {
			take(k)
			if best <= j || j == count {
				break
			}
			if reverse {
				k[count-1-j] = true
			} else {
				k[j] = true
			}
		}
	}
	if kept == nil {
		return nil, false
	}
	return p.shrink(limits, kept), true
}

func all(count int) []bool { return slices.Repeat([]bool{true}, count) }

func size(kept []bool) int {
	n := 0
	for _, k := range kept {
		if k {
			n++
		}
	}
	return n
}

// shrink removes nodes from a set of kept nodes as long as the predicted errors stay within the
// limits. Each time, it removes the node that adds the smallest error.
func (p *prediction) shrink(limits []float64, start []bool) []bool {
	kept := slices.Clone(start)
	errors, lowered := p.errors(kept), p.lowered(kept)
	for {
		least, at := math.Inf(1), -1
		for j, k := range kept {
			if !k {
				continue
			}
			if cost, fits := p.cost(j, lowered, errors, limits); fits && (cost < least || at < 0) {
				least, at = cost, j
			}
		}
		if at < 0 {
			return kept
		}
		kept[at] = false
		add(errors, p.weights[at])
		for _, t := range p.touched[at] {
			if lowered[t] == 0 {
				add(errors, p.stored[t])
			}
			lowered[t]++
		}
	}
}

// lowered counts, for each tensor, the nodes that write or read it and are not kept.
func (p *prediction) lowered(kept []bool) []int {
	counts := make([]int, len(p.touch))
	for t := range p.touch {
		for _, j := range p.touch[t] {
			if !kept[j] {
				counts[t]++
			}
		}
	}
	return counts
}

// cost returns the error that is added if node j of the compute nodes is no longer kept in float32.
// It is a fraction of the limits. fits reports whether the errors then stay within the limits.
func (p *prediction) cost(j int, lowered []int, errors, limits []float64) (cost float64,
	fits bool) {
	fits = true
	for o, limit := range limits {
		more := p.weights[j][o]
		for _, t := range p.touched[j] {
			if lowered[t] == 0 {
				more += p.stored[t][o]
			}
		}
		fits = fits && errors[o]+more <= limit
		if more > 0 {
			cost += more / max(limit, math.SmallestNonzeroFloat64)
		}
	}
	return cost, fits
}

// predict builds the prediction from measurements. own[j][o] is the error of output o if only
// compute node j computes in the format. The last row of own contains the errors if only the
// model's inputs are rounded. stored[j] is the error of rounding the outputs of compute node j,
// relative to their norm.
//
// A compute node causes errors because its constants are rounded, and because its outputs are
// rounded. predict divides the squared error of each node between these two causes, in proportion
// to the squares of their rounding errors.
func (n *network) predict(own [][]float64, stored []float64) *prediction {
	p := &prediction{}
	p.touched = make([][]int, len(n.steps))
	tensorAt := func(squares []float64, makers []int, names []string) {
		nodes := slices.Clone(makers)
		for _, name := range names {
			for _, i := range n.leaves[name] {
				j := n.nodes[i].step
				if n.nodes[i].role == computes && !slices.Contains(nodes, j) {
					nodes = append(nodes, j)
				}
			}
		}
		for _, j := range nodes {
			p.touched[j] = append(p.touched[j], len(p.stored))
		}
		p.stored, p.touch = append(p.stored, squares), append(p.touch, nodes)
	}
	for j, i := range n.steps {
		l := &n.nodes[i]
		constants := n.constants(l)
		square := float64(constants * constants)
		share := square / (square + float64(stored[j]*stored[j]))
		switch {
		case math.IsInf(constants, 1):
			share = 1
		case math.IsInf(stored[j], 1) || constants == 0:
			share = 0
		}
		ofWeights, ofStored := make([]float64, len(own[j])), make([]float64, len(own[j]))
		for o, e := range own[j] {
			switch {
			case share == 0:
				ofStored[o] = e * e
			case share == 1:
				ofWeights[o] = e * e
			default:
				ofWeights[o], ofStored[o] = share*e*e, (1-share)*e*e
			}
		}
		p.weights = append(p.weights, ofWeights)
		tensorAt(ofStored, []int{j}, l.makes)
	}
	inputs := make([]float64, len(own[len(own)-1]))
	for o, e := range own[len(own)-1] {
		inputs[o] = e * e
	}
	tensorAt(inputs, nil, slices.Sorted(maps.Keys(n.inputs)))
	return p
}
