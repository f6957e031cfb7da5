package bound

import (
	"fmt"
	"math"
	"slices"
)

// factor is one side of a product: its elements, and the errors that an engine's copies of them may
// have.
type factor struct {
	*operand
	absolute float64 // the error of an element that may have become zero
	largest  float64
}

func newFactor(o *operand) factor {
	f := factor{operand: o}
	for _, v := range o.values {
		if v != 0 && math.Abs(v) < o.least {
			f.absolute = o.least
		}
		f.largest = max(f.largest, math.Abs(v))
	}
	return f
}

// dot collects Σ a·b and Σ |a·b|.
type dot struct {
	v, magnitude float64
	terms        int
}

func (d *dot) add(a, b float64) {
	p := float64(a * b)
	d.v += p
	d.magnitude += math.Abs(p)
}

// result bounds the sum: the rounding of each product and of each addition, in any order, and the
// errors of the operands.
func (f format) result(d dot, a, b factor, more int) number {
	terms := float64(d.terms)
	operands := a.relative + b.relative + float64(a.relative*b.relative)
	e := float64(d.magnitude*(f.gamma(d.terms+more)*(1+operands)+operands)) +
		float64(terms*(float64(a.largest*b.absolute)+float64(b.largest*a.absolute)))
	if d.magnitude > 0 {
		e += float64(2 * terms * f.least)
	}
	if d.magnitude >= f.most { // a partial sum may overflow
		e = math.Inf(1)
	}
	return number{d.v, e}
}

// matMul computes MatMul.
func matMul(n *Node, arithmetic Arithmetic) (*computation, error) {
	f := formatOf(arithmetic.Sums)
	x, y, err := n.pair(arithmetic)
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
		return nil, fmt.Errorf("MatMul of shapes %v and %v", x.shape, y.shape)
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
	turned := transposed(y.values, terms, columns)
	return &computation{shape, product(shape), terms, func(g int, put func(int, number)) {
		column, row, matrix := g%columns, g/columns%rows, g/columns/rows
		from, to := (ofX.at(matrix)*rows+row)*terms, (ofY.at(matrix)*columns+column)*terms
		put(g, f.result(dotOf(x.values[from:from+terms], turned[to:to+terms]), x, y, 0))
	}}, nil
}

// pair returns the two factors of a product.
func (n *Node) pair(a Arithmetic) (x, y factor, err error) {
	first, err := n.operand(0, a)
	if err != nil {
		return x, y, err
	}
	second, err := n.operand(1, a)
	if err != nil {
		return x, y, err
	}
	if first == nil || second == nil {
		return x, y, fmt.Errorf("%s lacks an operand", n.Op)
	}
	return newFactor(first), newFactor(second), nil
}

func dotOf(a, b []float64) dot {
	d := dot{terms: len(a)}
	for i, v := range a {
		d.add(v, b[i])
	}
	return d
}

// transposed swaps the axes of each matrix, so that the terms of a sum are neighbours.
func transposed(values []float64, rows, columns int) []float64 {
	turned := make([]float64, len(values))
	size := rows * columns
	for at := 0; at < len(values); at += size {
		for i := range rows {
			for k := range columns {
				turned[at+k*rows+i] = values[at+i*columns+k]
			}
		}
	}
	return turned
}

// gemm computes alpha·A·B + beta·C.
func gemm(n *Node, arithmetic Arithmetic) (*computation, error) {
	f := formatOf(arithmetic.Sums)
	x, y, err := n.pair(arithmetic)
	if err != nil {
		return nil, err
	}
	c, err := n.operand(2, arithmetic)
	if err != nil {
		return nil, err
	}
	if len(x.shape) != 2 || len(y.shape) != 2 {
		return nil, fmt.Errorf("Gemm of shapes %v and %v", x.shape, y.shape)
	}
	rows, terms := x.shape[0], x.shape[1]
	left, right := x.values, y.values
	if n.integer("transA", 0) != 0 {
		rows, terms = terms, rows
		left = transposed(left, terms, rows)
	}
	columns, other := y.shape[0], y.shape[1]
	if n.integer("transB", 0) == 0 {
		columns, other = other, columns
		right = transposed(right, other, columns)
	}
	if terms != other {
		return nil, fmt.Errorf("Gemm of shapes %v and %v", x.shape, y.shape)
	}
	alpha, beta := n.float("alpha", 1), n.float("beta", 1)
	shape := []int{rows, columns}
	bias := func(int) number { return number{} }
	if c != nil {
		if _, err := broadcast(c.shape, shape); err != nil || len(c.shape) > 2 {
			return nil, fmt.Errorf("Gemm with C of shape %v", c.shape)
		}
		to := spread(c.shape, shape)
		bias = func(i int) number {
			v := c.at(to.at(i))
			return number{float64(beta * v.v), float64(math.Abs(beta) * v.e)}
		}
	}
	return &computation{shape, rows * columns, terms, func(g int, put func(int, number)) {
		row, column := g/columns*terms, g%columns*terms
		d := dotOf(left[row:row+terms], right[column:column+terms])
		sum := f.result(d, x, y, 3)
		put(g, f.biased(number{float64(alpha * sum.v), float64(math.Abs(alpha) * sum.e)}, bias(g),
			terms+3))
	}}, nil
}

// biased adds a term that an engine may have added first, so that it is rounded as often as a sum
// has terms.
func (f format) biased(sum, bias number, roundings int) number {
	if bias == (number{}) {
		return sum
	}
	return number{sum.v + bias.v,
		sum.e + bias.e + float64(f.gamma(roundings)*bias.most()) + f.least}
}
