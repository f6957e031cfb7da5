package bound

import (
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

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
	return sums(shape, terms, 0, x, y, func(g int) total {
		column, row, matrix := g%columns, g/columns%rows, g/columns/rows
		fromX, fromY := (ofX.at(matrix)*rows+row)*terms, ofY.at(matrix)*terms*columns+column
		t := total{format: f}
		for k := range terms {
			t.multiply(x.at(fromX+k), y.at(fromY+k*columns))
		}
		return t
	}), nil
}

// sums returns the computation of a node whose elements are sums of products of x and y. Each
// element gets the given number of roundings besides the roundings of products and additions.
func sums(shape tensor.Shape, terms, roundings int, x, y *operand, sum func(g int) total,
) *computation {
	return &computation{shape: shape, groups: product(shape), terms: terms, sum: sum,
		stored: !x.rounds && !y.rounds, group: func(g int, put func(int, number)) {
			t := sum(g)
			put(g, t.result(roundings))
		}}
}

// factors returns the inputs of a matrix multiplication or convolution. The third is nil if the
// node omits it.
func (n *Node) factors(a Arithmetic) (x, y, third *operand, err error) {
	operands, err := n.operands(3, a)
	if err == nil && operands[1] == nil {
		err = fmt.Errorf("%s: the second input is missing", n.Op)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	return operands[0], operands[1], operands[2], nil
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
	if n.Attributes.Integer("transA", 0) != 0 {
		rows, terms, down, along = terms, rows, 1, x.shape[1]
	}
	other, columns, step, next := y.shape[0], y.shape[1], y.shape[1], 1
	if n.Attributes.Integer("transB", 0) != 0 {
		other, columns, step, next = columns, other, 1, y.shape[1]
	}
	if terms != other {
		return nil, n.mismatch(x.shape, y.shape)
	}
	alpha, beta := n.Attributes.Float("alpha", 1), n.Attributes.Float("beta", 1)
	shape := []int{rows, columns}
	var bias func(i int) number
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
	return sums(shape, terms, 2, x, y, func(g int) total {
		t := total{format: f}
		if c != nil {
			t.add(bias(g))
		}
		for k := range terms {
			a := x.at(g/columns*down + k*along)
			t.multiply(number{float64(alpha * a.v), float64(math.Abs(alpha) * a.e)},
				y.at(g%columns*next+k*step))
		}
		if t.magnitude > f.most*min(1, math.Abs(alpha)) { // a sum may overflow before it is scaled
			t.e = math.Inf(1)
		}
		return t
	}), nil
}
