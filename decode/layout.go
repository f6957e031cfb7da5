package decode

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/loaders"
)

// layout says which inputs and outputs of a model contain tokens, logits, caches and other data
// that decoding uses.
type layout struct {
	inputs map[string]*loaders.Value // all inputs, by name

	tokens, mask, positions, slots, branch *loaders.Value // nil if the model has no such input
	logits                                 string
	caches                                 []layerCache
}

// layerCache is one cache tensor of one layer, such as its keys.
type layerCache struct {
	cached
	past loaders.Value // the input that takes the cache
}

// static reports whether the cache has a fixed length, independent of the step.
func (s layerCache) static() bool { return !s.past.Dims[s.Axis].Dynamic() }

var errNoModel = errors.New("decode: no model to run")

// layoutOf finds the model's inputs and outputs that decoding uses, and their roles.
func layoutOf(model fixtures.Declaration, n Names) (*layout, error) {
	if model == nil {
		return nil, errNoModel
	}
	inputs, err := model.Inputs()
	if err != nil {
		return nil, err
	}
	byName := map[string]*loaders.Value{}
	for i := range inputs {
		byName[inputs[i].Name] = &inputs[i]
	}
	var wrong error
	input := func(given string, usual ...string) *loaders.Value {
		if given != "" {
			usual = []string{given}
		}
		for _, name := range usual {
			if v := byName[name]; v != nil {
				return v
			}
		}
		if given != "" && wrong == nil {
			wrong = fmt.Errorf("decode: %s has no input %q; it has %s", model.Name(), given,
				inputNames(inputs))
		}
		return nil
	}
	// A model with decoder_input_ids has an encoder too, which input_ids and attention_mask belong to.
	l := &layout{inputs: byName, tokens: input(n.Tokens, "decoder_input_ids", "input_ids"),
		positions: input(n.Positions, "position_ids"), slots: input(n.Slots, "cache_position"),
		branch: input(n.Branch, "use_cache_branch"), logits: cmp.Or(n.Logits, "logits")}
	usualMask := "attention_mask"
	if l.tokens != nil && l.tokens.Name == "decoder_input_ids" {
		usualMask = "decoder_attention_mask"
	}
	l.mask = input(n.Mask, usualMask)
	switch {
	case wrong != nil:
		return nil, wrong
	case l.tokens == nil:
		return nil, fmt.Errorf("decode: %s has no input for tokens (input_ids); its inputs: %s; rename "+
			"one, or use decode.Mapped(decode.Names{Tokens: …}) in a spec", model.Name(), inputNames(inputs))
	}
	outputs, err := outputsOf(model)
	if err != nil {
		return nil, err
	}
	if outputs != nil && !slices.Contains(outputs, l.logits) {
		return nil, fmt.Errorf("decode: %s has no output %q; it has %s; rename one, or use "+
			"decode.Mapped(decode.Names{Logits: …}) in a spec", model.Name(), l.logits, names.List(outputs))
	}
	return l, l.findCaches(model, n.Caches, outputs)
}

func (l *layout) findCaches(model fixtures.Declaration, given []Cache, outputs []string) error {
	families := known
	if len(given) > 0 {
		families = [][]Cache{given}
	}
	for _, family := range families {
		for layer := 0; ; layer++ {
			found := 0
			for _, c := range family {
				past := l.inputs[numbered(c.Past, layer)]
				if past == nil || layer > 0 && !strings.Contains(c.Past, "%d") {
					continue
				}
				s := layerCache{cached{Output: numbered(c.Present, layer), Layer: layer, Part: c.Part,
					Axis: c.Axis, Batch: c.Batch, Fixed: c.Fixed}, *past}
				if err := s.check(model, outputs); err != nil {
					return err
				}
				l.caches = append(l.caches, s)
				found++
			}
			if found == 0 {
				break
			}
		}
		if len(l.caches) > 0 {
			return nil
		}
	}
	return fmt.Errorf("decode: %s has no cache: none of its inputs has a name like "+
		"past_key_values.0.key; it has %s; export the model with its past, or in a spec "+
		"name the caches with decode.Mapped(decode.Names{Caches: …})", model.Name(),
		names.List(slices.Sorted(maps.Keys(l.inputs))))
}

// check returns an error if the cache lacks an output, or has a type or shape that decoding does
// not support.
func (s layerCache) check(model fixtures.Declaration, outputs []string) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("decode: %s: input %s: %s", model.Name(), s.past,
			fmt.Sprintf(format, args...))
	}
	if !slices.Contains(outputs, s.Output) && outputs != nil {
		return wrong("the model lacks this cache's output %q; it has %s", s.Output, names.List(outputs))
	}
	if bits := s.past.Type.Bits(); bits == 0 || bits%8 != 0 {
		return wrong("this element type is not supported for caches")
	}
	if !s.past.HasShape || s.Batch < 0 || s.Axis <= s.Batch ||
		s.Axis >= len(s.past.Dims) {
		return wrong("token axis %d and batch axis %d are invalid: both must be axes of the shape, the "+
			"batch axis first", s.Axis, s.Batch)
	}
	for i, d := range s.past.Dims {
		if i != s.Axis && i != s.Batch && d.Dynamic() {
			return wrong("axis %d has no declared size, so an empty cache cannot be built: export the "+
				"model with a fixed number of heads and a fixed head size", i)
		}
	}
	return nil
}

// numbered replaces %d in a pattern with a layer's number.
func numbered(pattern string, layer int) string {
	return strings.Replace(pattern, "%d", fmt.Sprint(layer), 1)
}

// outputsOf returns the model's output names, or nil if the declaration does not list them.
func outputsOf(model fixtures.Declaration) ([]string, error) {
	m, ok := model.(interface {
		Outputs() ([]loaders.Value, error)
	})
	if !ok {
		return nil, nil
	}
	outputs, err := m.Outputs()
	return loaders.Names(outputs), err
}

func inputNames(values []loaders.Value) string { return names.List(loaders.Names(values)) }
