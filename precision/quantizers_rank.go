package precision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// choosing returns the model with a single active quantizer, whose number is an additional input.
func (q *quantized) choosing() (*loaders.Model, error) {
	number := map[string]int{}
	for j, one := range q.Quantization.Quantizers {
		for _, name := range one.gives {
			number[name] = j
		}
	}
	whole, err := edit.Nodes(q.opened.model, func(n loaders.Node) (to edit.NodeEdit, err error) {
		if n.Index == 0 {
			value, err := tensor.New(tensor.Shape{}, []int64{none})
			if err != nil {
				return to, err
			}
			to.Before = []edit.NewNode{{Op: "Constant", Value: value, Outputs: []string{which}}}
		}
		if !links(n, "DequantizeLinear") {
			return to, nil
		}
		j, some := number[n.Outputs[0]]
		if !some {
			return to, nil
		}
		name := n.Outputs[0]
		value, err := tensor.New(tensor.Shape{}, []int64{int64(j)})
		at := name + suffix + "at"
		to.Outputs = map[string]string{name: name + suffix + "quantized"}
		to.After = []edit.NewNode{{Op: "Constant", Value: value, Outputs: []string{at}},
			{Op: "Equal", Inputs: []string{which, at}, Outputs: []string{at + "/is"}},
			{Op: "Where", Inputs: []string{at + "/is", name + suffix + "quantized",
				q.Quantization.Quantizers[j].Tensor}, Outputs: []string{name}}}
		return to, err
	})
	if err != nil {
		return nil, err
	}
	return whole.Cut([]loaders.Value{{Name: which, Type: tensor.Int64, HasShape: true}}, q.outputs)
}

// rank measures each quantizer's effect by running the model with only that quantizer active.
func (q *quantized) rank(ctx context.Context) (err error) {
	if q.Quantization.Format == INT4 {
		return q.rankWeights(ctx)
	}
	engine := lowest(q.opened.engine) // otherwise quantizers would be fused with computing nodes
	model, err := q.choosing()
	if err != nil {
		return err
	}
	var marks []string
	for _, one := range q.Quantization.Quantizers {
		if marks = append(marks, one.gives[0]+suffix+"quantized"); !one.Constant {
			marks = append(marks, one.Tensor)
		}
	}
	sets := q.inputs[:min(ranked, len(q.inputs))]
	if err := q.ratios(ctx, engine, model, sets, marks); err != nil {
		return err
	}
	first, err := chosen(sets, none)
	if err != nil {
		return err
	}
	backend, err := engine.Open(ctx, model, fixtures.Of(first...))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, backend.Close()) }()
	var exact []*tensor.Set
	for j := none; j < len(q.Quantization.Quantizers); j++ {
		given, err := chosen(sets, j)
		if err != nil {
			return err
		}
		run, err := backend.Run(ctx, fixtures.Of(given...))
		if err != nil {
			return err
		}
		q.Runs++
		if j == none {
			exact = run.Outputs()
			continue
		}
		one := &q.Quantization.Quantizers[j]
		if one.Error, err = relative(q.names, run.Outputs(), exact); err != nil {
			return err
		}
		q.say(j)
	}
	q.sort()
	return nil
}

func (q *quantized) say(j int) {
	if q.Progress != nil {
		q.Progress(fmt.Sprintf("measured quantizer %d of %d", j+1, len(q.Quantization.Quantizers)))
	}
}

// sort ranks the quantizers, worst first.
func (q *quantized) sort() {
	slices.SortStableFunc(q.Quantization.Quantizers, func(a, b Quantizer) int {
		return cmp.Or(cmp.Compare(b.Error, a.Error), cmp.Compare(a.SNR, b.SNR))
	})
}

// ratios measures the signal-to-noise ratio of each quantizer.
func (q *quantized) ratios(ctx context.Context, engine backends.Engine, model *loaders.Model,
	sets []*tensor.Set, marks []string) error {
	weights := map[string]*tensor.Tensor{}
	err := edit.Constants(q.opened.model, func(c loaders.Constant) error {
		for _, one := range q.Quantization.Quantizers {
			if one.Constant && one.Tensor == c.Name {
				weights[c.Name] = c.Values
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	marked, err := model.Mark(marks...)
	if err != nil {
		return err
	}
	given, err := chosen(sets, none)
	if err != nil {
		return err
	}
	run, err := backends.RunIn(ctx, engine, marked, fixtures.Of(given...))
	if err != nil {
		return fmt.Errorf("measure the quantized tensors: %w", err)
	}
	q.Runs++
	for j := range q.Quantization.Quantizers {
		one := &q.Quantization.Quantizers[j]
		signal, noise := 0.0, 0.0
		for i, set := range run.Outputs() {
			rounded, _ := set.Get(one.gives[0] + suffix + "quantized")
			exact, ok := set.Get(one.Tensor)
			if !ok {
				exact, ok = given[i].Get(one.Tensor)
			}
			if !ok {
				exact = weights[one.Tensor]
			}
			if exact == nil || rounded == nil {
				return fmt.Errorf("the engine did not return the output of quantizer %q", one.Node)
			}
			s, n := powers(rounded, exact)
			signal, noise = signal+s, noise+n
		}
		one.SNR = decibels(signal, noise)
	}
	return nil
}
