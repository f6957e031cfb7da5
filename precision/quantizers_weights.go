package precision

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

// weights finds the weights that the format rounds.
func (q *quantized) weights() error {
	readers := map[string][]string{}
	for _, n := range q.nodes {
		for _, name := range q.opened.format.operands(n, q.lengths) {
			readers[name] = append(readers[name], n.Name)
		}
	}
	grid := newGrid(q.opened.format, 0)
	err := edit.Constants(q.opened.model, func(c loaders.Constant) error {
		if readers[c.Name] == nil {
			return nil
		}
		rounded, err := grid.blocks(c.Values, sumAxis(c))
		if err != nil {
			return err
		}
		one := Quantizer{Tensor: c.Name, Node: readers[c.Name][0], Constant: true, nodes: readers[c.Name]}
		one.SNR = decibels(powers(rounded, c.Values))
		q.Quantization.Quantizers = append(q.Quantization.Quantizers, one)
		return nil
	})
	if err == nil && len(q.Quantization.Quantizers) == 0 {
		err = fmt.Errorf("%s has no MatMul or Gemm with a constant float32 weight, so %s would round "+
			"nothing%s", q.Model, q.opened.format, q.opened.model.File().Unread())
	}
	return err
}

// excluded lists, as Python strings, the nodes whose weights must stay in float32.
func (q *Quantization) excluded() string {
	var names []string
	for _, one := range q.Quantizers[:q.Remove] {
		for _, name := range one.nodes {
			names = append(names, strconv.Quote(name))
		}
	}
	return strings.Join(names, ", ")
}
