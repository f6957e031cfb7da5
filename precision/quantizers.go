package precision

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// Quantizer is a pair of QuantizeLinear and DequantizeLinear nodes, which rounds a tensor to
// integers.
type Quantizer struct {
	// Tensor is the tensor that the quantizer rounds. Node is the name of the QuantizeLinear node or,
	// if the node has none, of its output. For INT4, Node is the node that multiplies by the weight.
	Tensor string `json:"tensor"`
	Node   string `json:"node"`
	// Constant reports whether the tensor is a weight.
	Constant bool `json:"constant,omitempty"`
	// SNR is the signal-to-noise ratio of rounding the tensor, in dB: 20·log10(‖x‖₂ / ‖Q(x)−x‖₂),
	// or 999 if the error is zero.
	SNR float64 `json:"snr"`
	// Error is the norm-wise relative error of the worst output if only this quantizer is active.
	Error float64 `json:"error"`

	weight *tensor.Tensor // the tensor if it is a weight
	gives  []string       // outputs of its DequantizeLinear nodes
	nodes  []string       // for INT4: the names of the nodes that multiply by the weight
}

// Point is one point of [Quantization.Curve]: the result of running the model with its worst
// quantizers removed.
type Point struct {
	Removed int     `json:"removed"`
	Percent float64 `json:"percent"` // removed quantizers, as a percentage of all
	// SNR is the signal-to-noise ratio of the worst output, in dB, relative to the model without
	// quantizers; 999 if the outputs are equal.
	SNR    float64 `json:"snr"`
	Passes bool    `json:"passes"`
}

// Quantization describes how much error the quantizers of a model cause.
type Quantization struct {
	Model string `json:"model"`
	// Format is INT4 if each quantizer stands for a weight that the measurement rounded to INT4. It is
	// "" if the quantizers are QuantizeLinear and DequantizeLinear nodes of the model.
	Format Format `json:"format,omitempty"`
	// Quantizers lists the quantizers by their effect on the outputs, worst first.
	Quantizers []Quantizer `json:"quantizers"`
	// Curve describes the model with the n worst quantizers removed, for about 20 values of n from
	// zero to all.
	Curve []Point `json:"curve"`
	// Remove is the smallest number of quantizers to remove, worst first, for the rule to pass.
	Remove int `json:"remove"`
	// Frozen is the number of weights stored as integers, whose original values are unknown.
	Frozen int `json:"frozen,omitempty"`
	Runs   int `json:"runs"`

	model *loaders.Model
}

// Repaired returns the model without its worst quantizers, whose number is q.Remove. For INT4, it
// returns a model that computes in float32, with all weights rounded except the worst ones.
func (q *Quantization) Repaired() *loaders.Model { return q.model }

// Quantizers ranks a model's quantizers by their effect on the outputs, and finds how many of the
// worst quantizers to remove so that the rule passes. The outputs are compared with r.Expected or,
// if that is nil, with the outputs of the model without quantizers. Quantizers takes one run per
// quantizer to rank them, about 20 runs for [Quantization.Curve], and a few more.
//
// If r.Format is INT4, the model has no quantizers yet: each weight that INT4 would round counts as
// one. Quantizers then finds the weights that must stay in float32 if a tool such as ONNX Runtime's
// MatMulNBitsQuantizer stores the others in INT4. For any other format, the quantizers are the
// model's own QuantizeLinear and DequantizeLinear nodes.
//
// Quantizers returns [ErrBeyond] if the rule fails even without quantizers, and an error if the
// model has no quantizers.
func (r Repair) Quantizers(ctx context.Context, subject backends.Subject) (of *Quantization,
	err error) {
	defer prefix("precision: quantizers", &err)
	ctx = guesses.Context(ctx, subject.Inputs.Notes())
	format := FP16 // any format will do: nothing is rounded here
	if r.Format == INT4 {
		format = INT4
	}
	s, err := open(ctx, subject, format)
	if err != nil {
		return nil, err
	}
	defer s.forget()
	q := &quantized{Repair: r, opened: s, kept: map[string]bool{}, reference: r.Expected,
		Quantization: &Quantization{Model: s.model.Name(), model: s.model}}
	if err := errors.Join(r.fitting(s.inputs), q.read()); err != nil {
		return nil, err
	}
	find := q.pairs
	if r.Format == INT4 {
		q.Quantization.Format, find = INT4, q.weights
	}
	if err := find(); err != nil {
		return nil, err
	}
	if err := q.rank(ctx); err != nil {
		return nil, err
	}
	return q.Quantization, q.curve(ctx)
}

// quantized is the state of ranking a model's quantizers.
type quantized struct {
	Repair
	*Quantization
	*opened
	nodes     []loaders.Node
	outputs   []loaders.Value
	names     []string        // of the outputs
	kept      map[string]bool // tensors that must exist: outputs, and tensors that bodies read
	reference []*tensor.Set
	reason    string // the reason why the last point failed
}

// read lists the model's nodes and outputs.
func (q *quantized) read() (err error) {
	if q.nodes, err = q.opened.model.Nodes(); err != nil {
		return err
	}
	q.outputs, err = q.opened.model.Outputs()
	q.names = loaders.Names(q.outputs)
	return err
}

// pairs finds the model's quantizers.
func (q *quantized) pairs() error {
	model := q.opened.model
	constants, users := map[string]*tensor.Tensor{}, map[string][]int{}
	err := edit.Constants(model, func(c loaders.Constant) error {
		constants[c.Name] = c.Values
		return nil
	})
	if err != nil {
		return err
	}
	for _, v := range q.outputs {
		q.kept[v.Name] = true
	}
	for i, n := range q.nodes {
		for _, name := range n.Inputs {
			users[name] = append(users[name], i)
		}
		for _, name := range n.Captured {
			q.kept[name] = true
		}
	}
	for _, n := range q.nodes {
		switch {
		case links(n, "DequantizeLinear"):
			if constants[n.Inputs[0]] != nil {
				q.Frozen++
			}
		case links(n, "QuantizeLinear"):
			weight := constants[n.Inputs[0]]
			one := Quantizer{Tensor: n.Inputs[0], Node: cmp.Or(n.Name, n.Outputs[0]),
				Constant: weight != nil, weight: weight}
			for _, user := range users[n.Outputs[0]] {
				if !links(q.nodes[user], "DequantizeLinear") {
					one.gives = nil
					break
				}
				one.gives = append(one.gives, q.nodes[user].Outputs[0])
			}
			if len(one.gives) > 0 && !q.kept[n.Outputs[0]] {
				q.Quantization.Quantizers = append(q.Quantization.Quantizers, one)
			}
		}
	}
	if len(q.Quantization.Quantizers) == 0 {
		return fmt.Errorf("%s has no removable pair of QuantizeLinear and DequantizeLinear; "+
			"weights that are already stored as integers: %d", q.Model, q.Frozen)
	}
	return nil
}

// links reports whether the node has the given operator, of ONNX or ONNX Runtime, and at least one
// input and one output. In a malformed file, a node may lack these.
func links(n loaders.Node, op string) bool {
	return n.Op == op && (n.Domain == "" || n.Domain == "ai.onnx" || n.Domain == "com.microsoft") &&
		len(n.Inputs) > 0 && n.Inputs[0] != "" && len(n.Outputs) > 0 && n.Outputs[0] != ""
}
