package bound

import (
	"fmt"
	"math"
	"slices"
)

// factor is one of the two operands of a matrix multiplication or convolution, with the errors that
// an engine may make when it stores the elements.
type factor struct {
	*operand
	absolute float64 // the error of an element that may have become zero
	largest  float64
}

func newFactor(o *operand) factor {
	f := factor{operand: o}
	for i := range o.count() {
		v := o.value(i)
		if v != 0 && math.Abs(v) < o.least {
			f.absolute = o.least
		}
		f.largest = max(f.largest, math.Abs(v))
	}
	return f
}

// dot accumulates, one term at a time, Σ a·b and Σ |a·b| in float64, and Σ a·b in float32.
type dot struct {
	v, magnitude float64
	squares      float64 // sum of the squares of all products and partial sums
	plain        float32
	terms        int
}

func (d *dot) add(a, b float64) {
	p := float64(a * b)
	d.v += p
	d.magnitude += math.Abs(p)
	d.squares += float64(p*p) + float64(d.v*d.v)
	d.plain += float32(p)
}

// usual returns the square of the error that a float32 sum typically has. The measured error of
// d.plain does not suffice, because it is 0 for a sum of small integers. usual therefore adds the
// expected error of rounding each product.
func (d *dot) usual(f format) float64 {
	k := float64(max(1, d.terms))
	sum, products := float64(d.plain)-d.v, f.u*d.magnitude
	least := k * f.least
	return float64(sum*sum) + float64(products*products)/k + float64(least*least)
}

// result returns the sum with an error bound. The bound covers the errors of the operands, and the
// rounding of each product and of each addition in any order.
func (f format) result(d dot, a, b factor, more int) number {
	terms := float64(d.terms)
	operands := a.relative + b.relative + float64(a.relative*b.relative)
	e := float64(d.magnitude*(float64(f.gamma(d.terms+more)*(1+operands))+operands)) +
		float64(terms*(float64(a.largest*b.absolute)+float64(b.largest*a.absolute)))
	if d.magnitude > 0 {
		e += float64(2 * terms * f.least)
	}
	if d.magnitude >= f.most { // a partial sum may overflow
		e = math.Inf(1)
	}
	return number{d.v, e}
}

func matMul(n *Node, arithmetic Arithmetic) (*computation, error) {
	f := formatOf(arithmetic.Sums)
	x, y, _, err := n.factors(arithmetic)
	if err != nil {
		return nil, err
	}
	dimsX, dimsY := slices.Clone(x.shape), slices.Clone(y.shape)
	if len(dimsX) == 1 {
		dimsX = []int{1, dimsX[0]}
	}
	if len(dimsY) == 1 {
		dimsY = append(dimsY, 1)
	}
	if len(dimsX) < 2 || len(dimsY) < 2 || dimsX[len(dimsX)-1] != dimsY[len(dimsY)-2] {
		return nil, n.mismatch(x.shape, y.shape)
	}
	rows, terms := dimsX[len(dimsX)-2], dimsX[len(dimsX)-1]
	columns := dimsY[len(dimsY)-1]
	batch, err := broadcast(dimsX[:len(dimsX)-2], dimsY[:len(dimsY)-2])
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(batch)
	if len(x.shape) > 1 {
		shape = append(shape, rows)
	}
	if len(y.shape) > 1 {
		shape = append(shape, columns)
	}
	ofX, ofY := spread(dimsX[:len(dimsX)-2], batch), spread(dimsY[:len(dimsY)-2], batch)
	sum := func(g int) dot {
		column, row, matrix := g%columns, g/columns%rows, g/columns/rows
		return dotOf(terms, vector{x.operand, (ofX.at(matrix)*rows + row) * terms, 1},
			vector{y.operand, ofY.at(matrix)*terms*columns + column, columns})
	}
	return &computation{shape: shape, groups: product(shape), terms: terms, sum: sum,
		stored: !x.rounds && !y.rounds,
		group:  func(g int, put func(int, number)) { put(g, f.result(sum(g), x, y, 0)) }}, nil
}

// factors returns the two operands of a matrix multiplication or convolution as factors. It also
// returns the node's third input, or nil if the node omits that input.
func (n *Node) factors(a Arithmetic) (x, y factor, third *operand, err error) {
	operands, err := n.operands(3, a)
	if err != nil {
		return x, y, nil, err
	}
	if operands[1] == nil {
		return x, y, nil, fmt.Errorf("%s: the second input is missing", n.Op)
	}
	return newFactor(operands[0]), newFactor(operands[1]), operands[2], nil
}

// vector is a row or a column of a matrix operand.
type vector struct {
	*operand
	from, step int
}

func dotOf(terms int, a, b vector) dot {
	d := dot{terms: terms}
	for i := range terms {
		d.add(a.value(a.from+i*a.step), b.value(b.from+i*b.step))
	}
	return d
}

// gemm computes alpha·A·B + beta·C.
func gemm(n *Node, arithmetic Arithmetic) (*computation, error) {
	f := formatOf(arithmetic.Sums)
	x, y, c, err := n.factors(arithmetic)
	if err != nil {
		return nil, err
	}
	if len(x.shape) != 2 || len(y.shape) != 2 {
		return nil, n.mismatch(x.shape, y.shape)
	}
	rows, terms, down, along := x.shape[0], x.shape[1], x.shape[1], 1
	if n.integer("transA", 0) != 0 {
		rows, terms, down, along = terms, rows, 1, x.shape[1]
	}
	other, columns, step, next := y.shape[0], y.shape[1], y.shape[1], 1
	if n.integer("transB", 0) != 0 {
		other, columns, step, next = columns, other, 1, y.shape[1]
	}
	if terms != other {
		return nil, n.mismatch(x.shape, y.shape)
	}
	alpha, beta := n.float("alpha", 1), n.float("beta", 1)
	shape := []int{rows, columns}
	bias := func(int) number { return number{} }
	if c != nil {
		if _, err := broadcast(c.shape, shape); err != nil || len(c.shape) > 2 {
			return nil, fmt.Errorf("input C of Gemm has shape %v, which does not broadcast to %v",
				c.shape, shape)
		}
		to := spread(c.shape, shape)
		bias = func(i int) number {
			v := c.at(to.at(i))
			return number{float64(beta * v.v), float64(math.Abs(beta) * v.e)}
		}
	}
	products := func(g int) dot {
		return dotOf(terms, vector{x.operand, g / columns * down, along},
			vector{y.operand, g % columns * next, step})
	}
	all := &computation{shape: shape, groups: rows * columns, terms: terms,
		group: func(g int, put func(int, number)) {
			s := f.result(products(g), x, y, 3)
			put(g, f.biased(number{float64(alpha * s.v), float64(math.Abs(alpha) * s.e)}, bias(g), terms+3))
		}}
	if alpha == 1 {
		all.sum, all.stored = products, !x.rounds && !y.rounds
	}
	return all, nil
}

// biased adds a bias to a sum. An engine may start the sum with the bias, so the error bound counts
// as many roundings of the bias as of any other term.
func (f format) biased(sum, bias number, roundings int) number {
	if bias == (number{}) {
		return sum
	}
	return number{sum.v + bias.v,
		sum.e + bias.e + float64(f.gamma(roundings)*bias.most()) + f.least}
}
