package decode_test

import (
	"context"
	"math"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// fault changes a step's inputs or outputs.
type fault struct {
	name string
	feed func(step int, inputs map[string]*tensor.Tensor)
	give func(step int, outputs map[string]*tensor.Tensor)
}

// faulty is an engine with a fault.
type faulty struct {
	backends.Engine
	fault *fault
}

func (e faulty) Text() string   { return "faulty " + e.fault.name + " " + e.Engine.Text() }
func (e faulty) String() string { return e.Engine.String() + " with " + e.fault.name }

func (e faulty) Open(ctx context.Context, m fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	b, err := e.Engine.Open(ctx, m, inputs)
	return &faultyBackend{Backend: b, fault: e.fault}, err
}

type faultyBackend struct {
	backends.Backend
	fault *fault
	step  int
}

func (b *faultyBackend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	defer func() { b.step++ }()
	if b.fault.feed != nil {
		for set, err := range inputs.All() {
			if err != nil {
				return nil, err
			}
			inputs = fixtures.Of(edited(set, func(m map[string]*tensor.Tensor) {
				b.fault.feed(b.step, m)
			}))
			break
		}
	}
	run, err := b.Backend.Run(ctx, inputs)
	if err != nil || b.fault.give == nil {
		return run, err
	}
	return run.Changed(func(outputs *tensor.Set) (*tensor.Set, error) {
		return edited(outputs, func(m map[string]*tensor.Tensor) { b.fault.give(b.step, m) }), nil
	})
}

// edited returns a copy of the set after edit changed its tensors.
func edited(set *tensor.Set, edit func(map[string]*tensor.Tensor)) *tensor.Set {
	all := map[string]*tensor.Tensor{}
	for name, t := range set.All() {
		all[name] = t
	}
	edit(all)
	var entries []tensor.Entry
	for _, name := range set.Names() {
		entries = append(entries, tensor.Entry{Name: name, Tensor: all[name]})
	}
	changed, err := tensor.NewSet(entries...)
	Expect(err).NotTo(HaveOccurred())
	return changed
}

// named returns the name of the non-encoder tensor with the given ending.
func named(all map[string]*tensor.Tensor, ending string) string {
	for name := range all {
		if strings.HasSuffix(name, ending) && !strings.Contains(name, "encoder.") {
			return name
		}
	}
	for name := range all {
		if strings.HasSuffix(name, strings.Replace(ending, ".1.", ".1.decoder.", 1)) {
			return name
		}
	}
	return ""
}

// slots picks slots of a cache along axis 2; −1 is a slot of zeros.
func slots(t *tensor.Tensor, picks []int) *tensor.Tensor {
	shape := slices.Clone(t.Shape())
	outer, inner, n := shape[0]*shape[1], shape[3]*4, shape[2]
	shape[2] = len(picks)
	data := make([]byte, 0, outer*len(picks)*inner)
	for o := range outer {
		for _, p := range picks {
			if p < 0 {
				data = append(data, make([]byte, inner)...)
			} else {
				data = append(data, t.Bytes()[(o*n+p)*inner:(o*n+p+1)*inner]...)
			}
		}
	}
	changed, err := tensor.FromBytes(t.ElementType(), shape, data)
	Expect(err).NotTo(HaveOccurred())
	return changed
}

func counted(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// corrupted drops slot 3 of layer 1's key before step 7.
var corrupted = &fault{name: "a corrupted slot", feed: func(step int,
	inputs map[string]*tensor.Tensor) {
	if name := named(inputs, ".1.key"); step == 7 {
		picks := counted(7)
		picks[3] = -1
		inputs[name] = slots(inputs[name], picks)
	}
}}

// swapped returns layer 1's key as its value from step 4 on.
var swapped = &fault{name: "a swapped key and value", give: func(step int,
	outputs map[string]*tensor.Tensor) {
	if k, v := named(outputs, ".1.key"), named(outputs, ".1.value"); step >= 4 {
		n := outputs[k].Shape()[2]
		oldKey, oldValue := outputs[k], outputs[v]
		outputs[k], outputs[v] = mixed(oldKey, oldValue, n), mixed(oldValue, oldKey, n)
	}
}}

// mixed returns t with its last slot from another cache.
func mixed(t, last *tensor.Tensor, n int) *tensor.Tensor {
	shape := t.Shape()
	inner := shape[3] * 4
	data := slices.Clone(t.Bytes())
	for o := range shape[0] * shape[1] {
		from := (o*n + n - 1) * inner
		copy(data[from:from+inner], last.Bytes()[from:from+inner])
	}
	changed, err := tensor.FromBytes(t.ElementType(), shape, data)
	Expect(err).NotTo(HaveOccurred())
	return changed
}

// late shifts positions by one from step 6 on, through position_ids, or through an additional cache
// slot if the model derives positions from the cache's length.
var late = &fault{name: "a position too far", feed: func(step int,
	inputs map[string]*tensor.Tensor) {
	if step < 6 {
		return
	}
	if ids := inputs["position_ids"]; ids != nil {
		values, err := tensor.Values[int64](ids)
		Expect(err).NotTo(HaveOccurred())
		for i := range values {
			values[i]++
		}
		inputs["position_ids"], err = tensor.New(ids.Shape(), values)
		Expect(err).NotTo(HaveOccurred())
		return
	}
	for name, t := range inputs {
		if strings.Contains(name, ".decoder.") {
			inputs[name] = slots(t, append(counted(t.Shape()[2]), -1))
		}
	}
}, give: func(step int, outputs map[string]*tensor.Tensor) {
	for name, t := range outputs {
		if strings.Contains(name, ".decoder.") && t.Shape()[2] > step+1 {
			outputs[name] = slots(t, append(counted(step), step+1))
		}
	}
}}

// unmasked marks padding as tokens.
var unmasked = &fault{name: "an unmasked pad", feed: func(_ int,
	inputs map[string]*tensor.Tensor) {
	for _, name := range []string{"attention_mask", "encoder_attention_mask"} {
		if t := inputs[name]; t != nil {
			ones := slices.Repeat([]int64{1}, t.Len())
			var err error
			inputs[name], err = tensor.New(t.Shape(), ones)
			Expect(err).NotTo(HaveOccurred())
		}
	}
}}

// padded returns an architecture's inputs with padding: left of the second sequence, or after the
// encoder's tokens.
func (e exported) padded() fixtures.Inputs {
	set := e.answers.Only("input_ids", "encoder_attention_mask", "encoder_hidden_states")
	ids, _ := set.Get("input_ids")
	values, err := tensor.Values[int64](ids)
	Expect(err).NotTo(HaveOccurred())
	mask, encodes := set.Get("encoder_attention_mask")
	if !encodes {
		return decode.Tokens(values[:12], values[12:20])
	}
	shorter := slices.Repeat([]int64{1}, mask.Len())
	shorter[mask.Len()-1], shorter[mask.Len()-2] = 0, 0
	states, _ := set.Get("encoder_hidden_states")
	mask, err = tensor.New(mask.Shape(), shorter)
	Expect(err).NotTo(HaveOccurred())
	changed, err := tensor.NewSet(tensor.Entry{Name: "input_ids", Tensor: ids},
		tensor.Entry{Name: "encoder_attention_mask", Tensor: mask},
		tensor.Entry{Name: "encoder_hidden_states", Tensor: states})
	Expect(err).NotTo(HaveOccurred())
	return fixtures.Of(changed)
}

// rebased changes the model's position encoding from token 1 or 5 on: rotary base 1,000 instead of
// 10,000, another row of the position table, or other relative positions.
func (e exported) rebased() *loaders.Model {
	changed, err := edit.ReplaceConstants(e.model, func(c loaders.Constant) (*tensor.Tensor, error) {
		t := c.Values
		if t.ElementType() != tensor.Float32 {
			return nil, nil
		}
		values, err := tensor.Values[float32](t)
		if err != nil {
			return nil, err
		}
		values = slices.Clone(values)
		switch {
		case strings.Contains(c.Name, "wpe"):
			for i := range 32 {
				values[5*32+i] *= 1.01
			}
		case strings.Contains(c.Name, "relative_attention_bias"):
			for i := range values {
				values[i] *= 1.01 + float32(i)/1000
			}
		case t.Len() == 4 && values[0] == 1 && values[1] < 1: // a rotary embedding's frequencies
			for i := range values {
				values[i] = float32(math.Pow(1000, -float64(i)/4))
			}
		default:
			return nil, nil
		}
		return tensor.New(t.Shape(), values)
	})
	Expect(err).NotTo(HaveOccurred())
	return changed
}

var _ = Describe("Planted faults", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	// expected is the first difference for gpt2, llama and t5.
	type place struct {
		position, layer int
		part            string
	}
	faults := []struct {
		fault *fault
		where map[string]place
	}{
		{corrupted, map[string]place{"gpt2": {3, 1, "key"}, "llama": {3, 1, "key"},
			"t5": {3, 1, "key"}}},
		{swapped, map[string]place{"gpt2": {4, 1, "key"}, "llama": {4, 1, "key"},
			"t5": {4, 1, "key"}}},
		{late, map[string]place{"gpt2": {6, 0, "key"}, "llama": {6, 0, "key"},
			// Keys of the same layer do not contain positions, so the next layer is affected first.
			"t5": {6, 1, "key"}}},
		{unmasked, map[string]place{"gpt2": {4, 1, "key"}, "llama": {4, 1, "key"},
			"t5": {0, 1, "key"}}},
	}
	for _, name := range architectures {
		for _, f := range faults {
			It("names "+f.fault.name+" in "+name+" by token, layer and part",
				func(ctx SpecContext) {
					e := exportedAs(name)
					healthy, err := decode.Run(ctx, ort.Engine(), e.model, e.padded())
					Expect(err).NotTo(HaveOccurred())
					broken, err := decode.Run(ctx, faulty{ort.Engine(), f.fault}, e.model, e.padded())
					Expect(err).NotTo(HaveOccurred())
					found, err := decode.Part(broken, healthy, near)
					Expect(err).NotTo(HaveOccurred())
					Expect(found).NotTo(BeNil())
					Expect(place{found.Position, found.Layer, found.Part}).To(
						Equal(f.where[name]), found.String())
				})
		}

		It("locates wrong positions in "+name+" by token, layer and part", func(ctx SpecContext) {
			e := exportedAs(name)
			broken, err := decode.Run(ctx, ort.Engine(), e.rebased(), e.inputs())
			Expect(err).NotTo(HaveOccurred())
			found, err := decode.Part(broken, e.run(ctx), near)
			Expect(err).NotTo(HaveOccurred())
			Expect(found).NotTo(BeNil())
			Expect(place{found.Position, found.Layer, found.Part}).To(Equal(map[string]place{
				"gpt2": {5, 0, "key"}, "llama": {1, 0, "key"}, "t5": {1, 1, "key"}}[name]),
				found.String())
		})

		It("raises no alarm on healthy runs of "+name, func(ctx SpecContext) {
			e := exportedAs(name)
			plain, err := decode.Run(ctx, ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)), e.model,
				e.padded())
			Expect(err).NotTo(HaveOccurred())
			for _, options := range [][]decode.Option{nil, {decode.Whole()}, {decode.Steps(3)}} {
				run, err := decode.Run(ctx, ort.Engine(), e.model, e.padded(), options...)
				Expect(err).NotTo(HaveOccurred())
				found, err := decode.Part(run, plain, near)
				Expect(err).NotTo(HaveOccurred())
				Expect(found).To(BeNil())
			}
		})
	}
})
