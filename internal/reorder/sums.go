package reorder

import (
	"slices"

	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// fewChannels is the minimum number of input channels at which permuting the channels reorders a
// convolution's sum well. With fewer channels, most terms of the sum come from inside the kernel,
// so a permutation changes little.
const fewChannels = 16

// product reorders the sums of a matrix multiplication or convolution. It permutes the reduction
// axis of MatMul and Gemm, and the input channels of a convolution. If a convolution has too few
// channels, product replaces it with the sum of two convolutions instead. Each of the two uses a
// random half of the weights; see [plan.halves]. If the axis to permute is not known, product adds
// random errors to the operands.
func (p *plan) product(n *node, b *builder, change *edit.NodeEdit) {
	if len(n.Inputs) < 2 {
		return
	}
	x, w := n.Inputs[0], n.Inputs[1]
	rankX, rankW := p.rank(x), p.rank(w)
	first, second, known := -1, -1, false // the axes; -1 is the last
	switch n.Op {
	case "MatMul":
		known, second = rankW > 0 && rankX != 0, max(0, rankW-2)
	case "Gemm":
		first, second = 1-n.attributes.Integer("transA", 0), n.attributes.Integer("transB", 0)
		known = true
	case "Conv", "ConvTranspose":
		if n.attributes.Integer("group", 1) == 1 {
			first, second, known = 1, 1, true
			if n.Op == "ConvTranspose" {
				second = 0
			}
		}
	}
	elemW := p.float(w)
	convolves := n.Op == "Conv" || n.Op == "ConvTranspose"
	terms := p.size(w, max(0, second))
	if convolves && (!known || terms < fewChannels) && (elemW == tensor.Float32 ||
		elemW == tensor.Float64) {
		p.halves(n, b, change, elemW)
		return
	}
	if !known || x == w || !p.sized(w, second) {
		p.operands(n, b, change, moving*2)
		return
	}
	if terms == 1 && (n.Op == "MatMul" || n.Op == "Gemm") { // the sum has only one term
		return
	}
	length := terms
	if convolves {
		length *= p.length(w, axesFrom(2, rankW))
		p.Convolved = max(p.Convolved, length)
	}
	p.Addends = max(p.Addends, length)
	order := b.order(w, second)
	change.Inputs[x] = b.along(x, first, order)
	change.Inputs[w] = b.along(w, second, order)
}

// halves replaces a convolution with the sum of two convolutions, so that the terms are added in a
// different order. Each of the two uses a random half of the weights, with zeros instead of the
// other half.
func (p *plan) halves(n *node, b *builder, change *edit.NodeEdit, elem tensor.ElementType) {
	w, out := n.Inputs[1], n.Outputs[0]
	chosen := b.add("Floor", nil, b.random(w, elem, 0, 2))
	half := b.add("Mul", nil, w, chosen)
	other := b.add("Sub", nil, w, half)
	change.Inputs[w] = half
	change.Outputs[out] = b.fresh()
	second := b.fresh()
	change.After = []edit.NewNode{
		{Like: true, Inputs: []string{n.Inputs[0], other}, Outputs: []string{second}},
		{Op: "Add", Inputs: []string{change.Outputs[out], second}, Outputs: []string{out}},
	}
	length := p.length(w, axesFrom(1, p.rank(w)))
	p.Addends, p.Convolved = max(p.Addends, length), max(p.Convolved, length)
}

// reduction reorders the terms of a reduction along each of its axes.
func (p *plan) reduction(n *node, b *builder, change *edit.NodeEdit) {
	x := n.Inputs[0]
	rank := p.rank(x)
	elem := p.float(x)
	axes, known := p.axes(n, rank)
	if !known || slices.ContainsFunc(axes, func(axis int) bool {
		return !p.sized(x, (axis+max(0, rank))%max(1, rank))
	}) {
		p.operands(n, b, change, moving)
		return
	}
	sorted, length := x, 1
	for _, axis := range axes {
		if axis < 0 && rank >= 0 {
			axis += rank
		}
		if rank >= 0 && (axis < 0 || axis >= rank) || p.size(x, axis) == 1 {
			continue
		}
		sorted = b.along(sorted, axis, b.order(x, axis))
		length *= max(1, p.size(x, axis))
	}
	p.Addends = max(p.Addends, length)
	if sorted == x {
		return
	}
	change.Inputs[x] = b.moved(sorted, elem, arithmetic)
}

// axes returns the axes of a reduction. known is false if the axes are computed at run time.
func (p *plan) axes(n *node, rank int) (axes []int, known bool) {
	switch {
	case n.Op == "GlobalAveragePool":
		return axesFrom(2, rank), rank >= 0
	case n.attributes["axes"] != "":
		axes, err := n.attributes.Integers("axes")
		return axes, err == nil
	case len(n.Inputs) > 1 && n.Inputs[1] != "":
		list, ok := p.settings[n.Inputs[1]]
		for _, v := range list {
			axes = append(axes, int(v))
		}
		return axes, ok
	}
	if n.attributes.Integer("noop_with_empty_axes", 0) != 0 {
		return nil, true
	}
	return axesFrom(0, rank), rank >= 0
}

// length returns the number of elements along the given axes of a tensor. It ignores axes of
// unknown size.
func (p *plan) length(name string, axes []int) int {
	length := 1
	for _, axis := range axes {
		length *= max(1, p.size(name, axis))
	}
	return length
}

// axesFrom returns the axes from start to rank-1.
func axesFrom(start, rank int) (axes []int) {
	for ; start < rank; start++ {
		axes = append(axes, start)
	}
	return axes
}

// normalization permutes the input of a normalization, so that the terms of its sums are added in a
// different order. It returns a function that adds nodes to restore the order of the results.
func (p *plan) normalization(n *node, b *builder, change *edit.NodeEdit) (
	inverse func(*builder, *edit.NodeEdit)) {
	x := n.Inputs[0]
	rank := p.rank(x)
	spatial := n.Op == "InstanceNormalization" || n.Op == "GroupNormalization"
	axis := n.attributes.Integer("axis", -1)
	var axes []int
	switch {
	case rank < 0:
	case spatial:
		axes = axesFrom(2, rank)
	case axis == -1 || axis == rank-1:
		axes = []int{rank - 1}
	}
	if slices.ContainsFunc(axes, func(axis int) bool { return !p.sized(x, axis) }) {
		axes = nil
	}
	var orders []string
	sorted := x
	for _, axis := range axes {
		order := b.order(x, axis)
		orders = append(orders, order)
		sorted = b.along(sorted, axis, order)
	}
	p.Addends = max(p.Addends, p.length(x, axes))
	if len(axes) == 0 {
		p.Jittered[n.Op]++
		sorted = b.moved(x, p.float(x), moving)
	}
	change.Inputs[x] = sorted
	for _, name := range n.Inputs[1:] {
		if name != "" && !spatial && len(axes) > 0 && change.Inputs[name] == "" {
			change.Inputs[name] = b.along(name, 0, orders[0])
		}
	}
	return func(b *builder, change *edit.NodeEdit) {
		if len(axes) == 0 {
			return
		}
		result := n.Outputs[0]
		raw := b.fresh()
		for i := range b.nodes {
			for k, o := range b.nodes[i].Outputs {
				if o == result {
					b.nodes[i].Outputs[k] = raw
				}
			}
		}
		for i, axis := range axes {
			raw = b.along(raw, axis, b.inverse(orders[i], p.size(x, axis)))
		}
		if n.Op == "LayerNormalization" && p.float(x) == tensor.Float32 && len(n.Inputs) > 1 {
			b.add("Add", nil, raw, b.add("Mul", nil, b.offset(x), n.Inputs[1]))
		}
		b.nodes[len(b.nodes)-1].Outputs[0] = result
	}
}

// meanError is the largest relative error of a rounded mean, in units of the unit roundoff.
const meanError = 1.5

// offset returns a random error for each row along the last axis. It imitates how a rounded mean
// shifts the normalized values: by up to meanError·u times the mean, divided by the standard
// deviation, where u is the unit roundoff.
func (b *builder) offset(x string) string {
	last := []edit.NodeAttribute{{Name: "axes", Value: []int64{-1}}}
	inputs := []string{x}
	if b.opset >= 18 {
		last, inputs = nil, []string{x, b.integer(-1)}
	}
	mean := b.add("ReduceMean", last, inputs...)
	inputs[0] = b.add("Sub", nil, x, mean)
	inputs[0] = b.add("Mul", nil, inputs[0], inputs[0])
	deviation := b.add("Sqrt", nil, b.add("ReduceMean", last, inputs...))
	smallest := b.scalar(tensor.Float32, 1e-30)
	ratio := b.add("Div", nil, mean, b.add("Add", nil, deviation, smallest))
	errors := b.random(ratio, tensor.Float32, -meanError*0x1p-24, meanError*0x1p-24)
	return b.add("Mul", nil, ratio, errors)
}

// interpolation adds random errors to the results of a node that interpolates, such as Resize. The
// errors imitate the effect of rounded coordinates. A coordinate's error is up to 2·u times the
// largest coordinate, where u is the unit roundoff. The error of a result is the coordinate's error
// times the difference between neighbouring results.
func (p *plan) interpolation(n *node, b *builder, change *edit.NodeEdit) {
	out := n.Outputs[0]
	rank, elem := p.rank(out), p.float(out)
	mode := n.attributes.Word("mode")
	if mode == "nearest" || mode == "" && n.Op != "GridSample" {
		p.pass(n)
		return
	}
	p.Rounds++
	p.noisy[out] = true
	raw := b.fresh()
	change.Outputs[out] = raw
	moved := raw
	if rank == 4 && elem == tensor.Float32 {
		around := []edit.NodeAttribute{{Name: "kernel_shape", Value: []int64{3, 3}},
			{Name: "pads", Value: []int64{1, 1, 1, 1}}}
		span := b.add("Add", nil, b.add("MaxPool", around, raw),
			b.add("MaxPool", around, b.add("Neg", nil, raw)))
		coordinate := float64(max(1, p.size(out, 2), p.size(out, 3), p.size(n.Inputs[0], 2),
			p.size(n.Inputs[0], 3)))
		errors := b.random(raw, elem, -2*coordinate*unit(elem), 2*coordinate*unit(elem))
		moved = b.add("Add", nil, raw, b.add("Mul", nil, span, errors))
	} else {
		p.Jittered[n.Op]++
	}
	b.moved(moved, elem, 2*moving)
	b.nodes[len(b.nodes)-1].Outputs[0] = out
	change.After, b.nodes = b.nodes, nil
}
