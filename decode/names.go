package decode

import "fmt"

// Names says which tensors of a model have which role, for [Mapped]. For an empty field, decoding
// looks for the names that Hugging Face's exporters and ONNX Runtime GenAI use; each field's
// comment lists them after the shape.
type Names struct {
	Tokens    string // [batch,tokens]: decoder_input_ids, input_ids
	Mask      string // [batch,past and present]: attention_mask, decoder_attention_mask
	Positions string // [batch,tokens]: position_ids
	Slots     string // [tokens], the tokens' positions in the cache: cache_position
	Branch    string // bool, false in the first step of a merged decoder: use_cache_branch
	Logits    string // [batch,tokens,vocabulary]: logits
	Caches    []Cache
}

// Cache describes an input and an output that carry a cache from one step to the next: one such
// pair for each layer, or a single pair for all layers.
type Cache struct {
	// Past is the name of an input, and Present the name of the output that becomes its value in the
	// next step. %d stands for the layer's number: "past_key_values.%d.key".
	Past, Present string
	// Part names the cache's contents in reports: "key".
	Part string
	// Axis is the token axis: 2 in [batch,heads,tokens,size].
	Axis int
	// Batch is the batch axis: 0 in [batch,heads,tokens,size].
	Batch int
	// Fixed marks a cache that the first step computes from the encoder's output and later steps only
	// read.
	Fixed bool
}

// known lists, for each family of exporters, how it names the cache tensors. The families are tried
// in this order.
var known = [][]Cache{
	pairs("past_key_values.%%d.%s", "present.%%d.%s"),
	append(pairs("past_key_values.%%d.decoder.%s", "present.%%d.decoder.%s"),
		fixed(pairs("past_key_values.%%d.encoder.%s", "present.%%d.encoder.%s"))...),
	append(pairs("past_%s_self_%%d", "present_%s_self_%%d"),
		fixed(pairs("past_%s_cross_%%d", "present_%s_cross_%%d"))...),
	pairs("past_%s_%%d", "present_%s_%%d"),
	pairs("past.%%d.%s", "present.%%d.%s"),
	{{Past: "past_%d", Present: "present_%d", Part: "key and value", Axis: 3, Batch: 1}},
}

// pairs returns a cache for the keys and one for the values. past and present are patterns for the
// names of the caches' inputs and outputs.
func pairs(past, present string) []Cache {
	var list []Cache
	for _, part := range []string{"key", "value"} {
		list = append(list, Cache{Past: fmt.Sprintf(past, part), Present: fmt.Sprintf(present, part),
			Part: part, Axis: 2})
	}
	return list
}

// fixed marks an encoder's caches, which only the first step computes.
func fixed(list []Cache) []Cache {
	for i := range list {
		list[i].Fixed, list[i].Part = true, "encoder "+list[i].Part
	}
	return list
}
