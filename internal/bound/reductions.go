package bound

import (
	"math"
	"slices"
)

// reduce computes operators that reduce the elements along some axes to a single number.
func reduce(n *Node, a Arithmetic) (*computation, error) {
	x, err := n.operand(0, a)
	if err != nil {
		return nil, err
	}
	axes, err := n.axes(len(x.shape))
	if err != nil {
		return nil, err
	}
	shape := []int{}
	for i, d := range x.shape {
		switch {
		case !slices.Contains(axes, i):
			shape = append(shape, d)
		case n.Attributes.Integer("keepdims", 1) != 0:
			shape = append(shape, 1)
		}
	}
	outer, inner := positions(x.shape, axes)
	if len(inner) == 0 {
		return nil, &Unknown{n.Op + " of no elements"}
	}
	f, reduce := formatOf(a.Sums), reducers[n.Op]
	return inGroups(shape, len(outer), len(inner), func(g int, put func(int, number)) {
		put(g, reduce(f, len(inner), func(i int) number { return x.at(outer[g] + inner[i]) }))
	}), nil
}

// axes returns the axes that the node reduces.
func (n *Node) axes(rank int) ([]int, error) {
	if n.Op == "GlobalAveragePool" || n.Op == "GlobalMaxPool" {
		return span(2, rank), nil
	}
	list, given := n.settings(1)
	if !given {
		var err error
		if list, err = n.Attributes.Integers("axes"); err != nil {
			return nil, err
		}
	}
	if len(list) == 0 && n.Attributes.Integer("noop_with_empty_axes", 0) == 0 {
		return span(0, rank), nil
	}
	axes := make([]int, len(list))
	for i, a := range list {
		var err error
		if axes[i], err = axis(a, rank); err != nil {
			return nil, err
		}
	}
	return axes, nil
}

// span lists the integers of the half-open range [from, to).
func span(from, to int) []int {
	var list []int
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// positions splits the elements of a shape into groups along the axes. It returns the flat position
// of each group's first element, and the offsets of a group's elements from its first.
func positions(shape, axes []int) (outer, inner []int) {
	outer, inner = []int{0}, []int{0}
	steps := strides(shape)
	for a, size := range shape {
		list := &outer
		if slices.Contains(axes, a) {
			list = &inner
		}
		var next []int
		for _, at := range *list {
			for i := range size {
				next = append(next, at+i*steps[a])
			}
		}
		*list = next
	}
	return outer, inner
}

// reducers maps operators to functions that reduce the numbers at(0) to at(count-1) to one number.
var reducers = map[string]func(f format, count int, at func(int) number) number{
	"ReduceSum":         sum,
	"ReduceMean":        mean,
	"GlobalAveragePool": mean,
	"ReduceL1": func(f format, count int, at func(int) number) number {
		return sum(f, count, func(i int) number { return magnitude(at(i)) })
	},
	"ReduceSumSquare": squares,
	"ReduceL2": func(f format, count int, at func(int) number) number {
		return f.sqrt(squares(f, count, at))
	},
	"ReduceProd":    multiplied,
	"ReduceMax":     greatest,
	"GlobalMaxPool": greatest,
	"ReduceMin": func(f format, count int, at func(int) number) number {
		least := greatest(f, count, func(i int) number { return number{-at(i).v, at(i).e} })
		return number{-least.v, least.e}
	},
	"ReduceLogSum": func(f format, count int, at func(int) number) number {
		return logarithm(f, sum(f, count, at))
	},
	"ReduceLogSumExp": func(f format, count int, at func(int) number) number {
		e := newExponentials(f, count, at)
		return e.logarithm()
	},
}

func magnitude(n number) number { return number{math.Abs(n.v), n.e} }

func sum(f format, count int, at func(int) number) number {
	t := total{format: f}
	for i := range count {
		t.add(at(i))
	}
	return t.result(0)
}

func mean(f format, count int, at func(int) number) number {
	s := sum(f, count, at)
	return f.rounded(s.v/float64(count), s.e/float64(count), 3)
}

func squares(f format, count int, at func(int) number) number {
	t := total{format: f}
	for i := range count {
		x := at(i)
		t.add(number{float64(x.v * x.v), float64(x.e * (2*math.Abs(x.v) + x.e))})
	}
	return t.result(1)
}

func greatest(_ format, count int, at func(int) number) number {
	best, e := math.Inf(-1), 0.0
	for i := range count {
		x := at(i)
		best, e = max(best, x.v), max(e, x.e) // NaN stays
	}
	return number{best, e}
}

// multiplied returns the product of the numbers at(0) to at(count-1). The error bound of the
// product is infinite if some order of multiplication may overflow or lose digits.
func multiplied(f format, count int, at func(int) number) number {
	p, up, down, relative := 1.0, 1.0, 1.0, 0.0
	for i := range count {
		x := at(i)
		p *= x.v
		if x.v != 0 {
			up, down = float64(up*max(1, x.most())), float64(down*min(1, math.Abs(x.v)))
			relative += x.e / math.Abs(x.v)
		} else {
			return number{}
		}
	}
	if up >= f.most || down < f.least {
		return number{p, math.Inf(1)}
	}
	return number{p, float64(math.Abs(p) * (math.Expm1(relative) + f.gamma(count)))}
}

func logarithm(f format, x number) number {
	relative, floor := accuracy("Log")
	if x.v <= x.e {
		return number{math.Log(x.v), math.Inf(1)}
	}
	v := math.Log(x.v)
	n := f.rounded(v, -math.Log1p(-x.e/x.v), relative)
	n.e += float64(floor * f.u)
	return n
}

// exponentials contains the numbers exp(x − max x), their sum, and the relative error of each
// number.
type exponentials struct {
	format
	most           number
	values, errors []float64
	sum, error     float64 // error is relative
	inputs         func(int) number
}

func newExponentials(f format, count int, at func(int) number) exponentials {
	e := exponentials{format: f, most: greatest(f, count, at), inputs: at,
		values: make([]float64, count), errors: make([]float64, count)}
	relative, _ := accuracy("Exp")
	weighted, lost := 0.0, 0.0
	for i := range count {
		x := at(i)
		distance := e.most.v - x.v
		e.values[i] = math.Exp(-distance)
		if e.values[i] < f.least { // an engine may have zero here
			lost += f.least
			continue
		}
		// The argument is rounded up to three times: in the difference, in the product with log₂e, and in
		// the range reduction.
		argument := float64(3*(f.u+own)*distance) + x.e + e.most.e
		e.errors[i] = math.Expm1(argument) + float64(relative*f.u)
		e.sum += e.values[i]
		weighted += float64(e.values[i] * e.errors[i])
	}
	e.error = (weighted+lost)/e.sum + f.gamma(count+1)
	return e
}

// share returns element i of a Softmax, exp(xᵢ)/Σ exp(x).
func (e *exponentials) share(i int) number {
	v := e.values[i] / e.sum
	if e.error >= 0.5 {
		return number{v, math.Inf(1)}
	}
	n := e.rounded(v, float64(v*(e.errors[i]+e.error)/(1-e.error)), 3)
	n.e += 2 * e.least
	return n
}

// logarithm returns log Σ exp(x).
func (e *exponentials) logarithm() number {
	l := logarithm(e.format, number{e.sum, float64(e.sum * e.error)})
	return e.add(l, e.most)
}

func softmax(n *Node, a Arithmetic) (*computation, error) {
	f := formatOf(a.Sums)
	x, err := n.operand(0, a)
	if err != nil {
		return nil, err
	}
	otherwise, rank := -1, len(x.shape)
	if n.Opset < 13 {
		otherwise, rank = 1, max(2, rank)
	}
	first, err := axis(n.Attributes.Integer("axis", otherwise), rank)
	if err != nil {
		return nil, err
	}
	axes := []int{first}
	if n.Opset < 13 { // all axes from the given one on
		axes = span(first, len(x.shape))
	}
	outer, inner := positions(x.shape, axes)
	return inGroups(x.shape, len(outer), len(inner), func(g int, put func(int, number)) {
		e := newExponentials(f, len(inner), func(i int) number { return x.at(outer[g] + inner[i]) })
		if n.Op == "Softmax" {
			for i, at := range inner {
				put(outer[g]+at, e.share(i))
			}
			return
		}
		all := e.logarithm()
		for i, at := range inner {
			// An engine may first subtract the maximum from the input or from the logarithm.
			result := f.sub(e.inputs(i), all)
			result.e += float64(2 * f.u * math.Abs(e.inputs(i).v-e.most.v))
			put(outer[g]+at, result)
		}
	}), nil
}
