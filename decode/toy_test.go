package decode_test

import (
	"context"
	"math"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// toy is a decoder written in Go, both model and engine. Its cache stores each token with its
// position, and its logits favour the sum of all visible tokens.
type toy struct {
	inputs, outputs []loaders.Value
	past, present   string
	axis            int
	static          int  // slots of a cache of fixed length
	lastAlone       bool // logits only for a step's last token
	nan             bool
	opened          [][2]int // shapes at Open: tokens of a step, and slots before them
}

const toyWords = 11

func dims(sizes ...int) []loaders.Dim {
	list := make([]loaders.Dim, len(sizes))
	for i, n := range sizes {
		list[i].Size = n
	}
	return list
}

func value(name string, t tensor.ElementType, sizes ...int) loaders.Value {
	return loaders.Value{Name: name, Type: t, HasShape: true, Dims: dims(sizes...)}
}

// toyOf returns a toy with these cache names, shaped [batch,1,slots,1], or [1,batch,1,slots,1] if
// axis is 3.
func toyOf(past, present string, axis int) *toy {
	shape := []int{-1, 1, -1, 1}
	if axis == 3 {
		shape = []int{1, -1, 1, -1, 1}
	}
	return &toy{past: past, present: present, axis: axis, inputs: []loaders.Value{
		value("input_ids", tensor.Int32, -1, -1), value("attention_mask", tensor.Int64, -1, -1),
		value("position_ids", tensor.Int64, -1, -1), value(past, tensor.Float32, shape...)},
		outputs: []loaders.Value{value("logits", tensor.Float32, -1, -1, toyWords),
			value(present, tensor.Float32, shape...)}}
}

func (t *toy) Name() string                      { return "toy" }
func (t *toy) Inputs() ([]loaders.Value, error)  { return t.inputs, nil }
func (t *toy) Outputs() ([]loaders.Value, error) { return t.outputs, nil }
func (t *toy) Text() string                      { return "toy {}" }
func (t *toy) String() string                    { return "toy" }
func (t *toy) GoString() string                  { return "toy.Engine()" }
func (t *toy) Close() error                      { return nil }

func (t *toy) Open(_ context.Context, _ fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	t.opened = nil
	for set, err := range inputs.All() {
		if err != nil {
			return nil, err
		}
		t.opened = append(t.opened, t.step(set))
	}
	return t, nil
}

// step returns the number of tokens in a step, and of slots before them.
func (t *toy) step(set *tensor.Set) [2]int {
	ids, _ := set.Get("input_ids")
	past, _ := set.Get(t.past)
	return [2]int{ids.Shape()[1], past.Shape()[t.axis]}
}

func (t *toy) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	return backends.Collect(ctx, backends.Provenance{Backend: "toy"}, backends.Subject{Engine: t},
		inputs, t.infer)
}

func (t *toy) infer(_ context.Context, set *tensor.Set) (*tensor.Set, error) {
	if err := backends.CheckInputs(t.inputs, set); err != nil {
		return nil, err
	}
	ids, _ := set.Get("input_ids")
	mask, _ := set.Get("attention_mask")
	positions, _ := set.Get("position_ids")
	past, _ := set.Get(t.past)
	rows, n := ids.Shape()[0], ids.Shape()[1]
	before := past.Shape()[t.axis]
	after := before + n
	if t.static > 0 {
		after, before = t.static, used(mask, t.static)-n
	}
	cache := make([]float32, rows*after)
	logits := make([]float32, rows*n*toyWords)
	for r := range rows {
		for i := range past.Shape()[t.axis] {
			cache[r*after+i] = float32(past.Float64At(r*past.Shape()[t.axis] + i))
		}
		for i := range n {
			cache[r*after+before+i] = float32(ids.Float64At(r*n+i) + positions.Float64At(r*n+i)/64)
			sum := 0.0
			for j := range before + i + 1 {
				if mask.Float64At(r*mask.Shape()[1]+j) != 0 {
					sum += float64(cache[r*after+j])
				}
			}
			for w := range toyWords {
				logits[(r*n+i)*toyWords+w] = -float32(math.Abs(float64(w) - math.Mod(sum, toyWords)))
				if t.nan {
					logits[(r*n+i)*toyWords+w] = float32(math.NaN())
				}
			}
		}
	}
	shape := slices.Clone(past.Shape())
	shape[t.axis] = after
	present, err := tensor.New(shape, cache)
	if err != nil {
		return nil, err
	}
	of := tensor.Shape{rows, n, toyWords}
	if t.lastAlone {
		of, logits = tensor.Shape{rows, 1, toyWords}, logits[:rows*toyWords]
	}
	given, err := tensor.New(of, logits)
	if err != nil {
		return nil, err
	}
	return tensor.NewSet(tensor.Entry{Name: "logits", Tensor: given},
		tensor.Entry{Name: t.present, Tensor: present})
}

// used is the number of slots visible in the first row's mask, up to its last non-zero entry.
func used(mask *tensor.Tensor, most int) int {
	n := 0
	for i := range min(most, mask.Shape()[1]) {
		if mask.Float64At(i) != 0 {
			n = i + 1
		}
	}
	return n
}
