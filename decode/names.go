package decode

import (
	"fmt"
	"strings"
)

// Names says which tensors of a model are which. What is left out is found among the names of
// Hugging Face's exporters and of ONNX Runtime GenAI; see [Mapped].
type Names struct {
	Tokens    string // [batch,tokens]: input_ids, decoder_input_ids
	Mask      string // [batch,past and present]: attention_mask, decoder_attention_mask
	Positions string // [batch,tokens]: position_ids
	Slots     string // [tokens], places in the cache: cache_position
	Branch    string // bool, false in the first step of a merged decoder: use_cache_branch
	Logits    string // [batch,tokens,vocabulary]: logits
	Caches    []Cache
}

// Cache is one tensor of each layer, or one of all layers: what a step leaves to the next.
type Cache struct {
	// Past is an input and Present the output that becomes its next value. %d stands for the
	// number of the layer: "past_key_values.%d.key".
	Past, Present string
	// Part names it in reports: "key".
	Part string
	// Axis is that of the tokens: 2 in [batch,heads,tokens,size].
	Axis int
	// Batch is the axis of the sequences.
	Batch int
	// Fixed marks what the first step makes of the encoder and later steps keep.
	Fixed bool
}

// GoString is the names as Go source.
func (n Names) GoString() string {
	var fields []string
	add := func(name, value string) {
		if value != "" {
			fields = append(fields, fmt.Sprintf("%s: %q", name, value))
		}
	}
	add("Tokens", n.Tokens)
	add("Mask", n.Mask)
	add("Positions", n.Positions)
	add("Slots", n.Slots)
	add("Branch", n.Branch)
	add("Logits", n.Logits)
	if len(n.Caches) > 0 {
		var list []string
		for _, c := range n.Caches {
			text := fmt.Sprintf("{Past: %q, Present: %q, Part: %q, Axis: %d", c.Past, c.Present,
				c.Part, c.Axis)
			if c.Batch != 0 {
				text += fmt.Sprintf(", Batch: %d", c.Batch)
			}
			if c.Fixed {
				text += ", Fixed: true"
			}
			list = append(list, text+"}")
		}
		fields = append(fields, "Caches: []decode.Cache{"+strings.Join(list, ", ")+"}")
	}
	return "decode.Names{" + strings.Join(fields, ", ") + "}"
}

// Layer names the cache of one layer in a report: "layer 3 key".
func (c Cache) layer(i int) string { return fmt.Sprintf("layer %d %s", i, c.Part) }

// known are the caches that are looked for, family by family.
var known = [][]Cache{
	pairs("past_key_values.%%d.%s", "present.%%d.%s", "key", "value"),
	append(pairs("past_key_values.%%d.decoder.%s", "present.%%d.decoder.%s", "key", "value"),
		fixed(pairs("past_key_values.%%d.encoder.%s", "present.%%d.encoder.%s", "key", "value"))...),
	append(pairs("past_%s_self_%%d", "present_%s_self_%%d", "key", "value"),
		fixed(pairs("past_%s_cross_%%d", "present_%s_cross_%%d", "key", "value"))...),
	pairs("past_%s_%%d", "present_%s_%%d", "key", "value"),
	pairs("past.%%d.%s", "present.%%d.%s", "key", "value"),
	{{Past: "past_%d", Present: "present_%d", Part: "key and value", Axis: 3, Batch: 1}},
}

// pairs are the caches of a key and a value.
func pairs(past, present string, parts ...string) []Cache {
	var list []Cache
	for _, part := range parts {
		list = append(list, Cache{Past: fmt.Sprintf(past, part), Present: fmt.Sprintf(present, part),
			Part: part, Axis: 2})
	}
	return list
}

func fixed(list []Cache) []Cache {
	for i := range list {
		list[i].Fixed, list[i].Part = true, "encoder "+list[i].Part
	}
	return list
}
