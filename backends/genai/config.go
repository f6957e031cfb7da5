package genai

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/loaders"
)

// config is the genai_config.json that this package generates.
type config struct {
	Model struct {
		Type    string `json:"type"`
		Context int    `json:"context_length"`
		Vocab   int    `json:"vocab_size"`
		Pad     int    `json:"pad_token_id"`
		EOS     int    `json:"eos_token_id"`
		BOS     int    `json:"bos_token_id"`
		Decoder struct {
			decoder
			Session map[string]any `json:"session_options"`
			Heads   int            `json:"num_key_value_heads"`
			Queries int            `json:"num_attention_heads"`
			Size    int            `json:"head_size"`
			Hidden  int            `json:"hidden_size"`
			Layers  int            `json:"num_hidden_layers"`
		} `json:"decoder"`
	} `json:"model"`
	Search struct {
		Max   int  `json:"max_length"`
		Share bool `json:"past_present_share_buffer"`
	} `json:"search"`
}

// decoder is the decoder section of a configuration.
type decoder struct {
	File    string      `json:"filename"`
	Inputs  inputNames  `json:"inputs"`
	Outputs outputNames `json:"outputs"`
}

// under returns a copy of d in which the names from an overlay replace d's own.
func (d decoder) under(overlay []byte) (decoder, error) {
	var c struct {
		Model struct {
			Decoder decoder `json:"decoder"`
		} `json:"model"`
	}
	c.Model.Decoder = d
	err := json.Unmarshal(overlay, &c)
	return c.Model.Decoder, err
}

// printable returns an error if a cache's name has more than one placeholder for the layer number,
// because the library passes the names to C's printf.
func (d decoder) printable() error {
	for _, name := range []string{d.Inputs.Key, d.Inputs.Value, d.Outputs.Key, d.Outputs.Value} {
		if strings.Contains(strings.Replace(name, "%d", "", 1), "%") {
			return fmt.Errorf("the cache name %.99q must contain %%d once, for the layer number, and "+
				"no other %%", name)
		}
	}
	return nil
}

// inputNames contains the names of a decoder's inputs. In a name, %d stands for the layer number.
type inputNames struct {
	Tokens    string `json:"input_ids"`
	Mask      string `json:"attention_mask"`
	Positions string `json:"position_ids"`
	Key       string `json:"past_key_names,omitempty"`
	Value     string `json:"past_value_names,omitempty"`
}

// outputNames contains the names of a decoder's outputs. In a name, %d stands for the layer number.
type outputNames struct {
	Logits string `json:"logits"`
	Key    string `json:"present_key_names,omitempty"`
	Value  string `json:"present_value_names,omitempty"`
}

// defaultNames returns the names of inputs and outputs that the library assumes by default.
func defaultNames() decoder {
	return decoder{Inputs: inputNames{Tokens: "input_ids", Mask: "attention_mask",
		Positions: "position_ids", Key: "past_key_values.%d.key", Value: "past_key_values.%d.value"},
		Outputs: outputNames{Logits: "logits", Key: "present.%d.key", Value: "present.%d.value"}}
}

// mostTokens is the length of the longest supported sequence. There must be a limit, because the
// library reserves 4 bytes per token in advance.
const mostTokens = 1 << 17

// modelFile is the model's file name in a generated configuration.
const modelFile = "model.onnx"

// number matches the layer number in a cache's name.
var number = regexp.MustCompile(`\d+`)

// made generates the configuration of a decoder. If loose is true, made ignores
// values that it cannot find, because an overlay supplies them.
func made(inputs, outputs []loaders.Value, threads int, loose bool) (config, error) {
	var c config
	m, d := &c.Model, &c.Model.Decoder
	d.decoder = defaultNames()
	m.Type, m.Context, d.File = "llama", mostTokens, modelFile
	c.Search.Max = mostTokens
	// Memory plans are off because they would leak: the library keeps one for each sequence length,
	// but never uses it again.
	d.Session = map[string]any{"intra_op_num_threads": threads, "inter_op_num_threads": 1,
		"log_severity_level": 4, "enable_mem_pattern": false, "provider_options": []any{}}
	if threads == 0 {
		delete(d.Session, "intra_op_num_threads")
	}
	given := map[string]loaders.Value{}
	for _, out := range outputs {
		given[out.Name] = out
	}
	logits := given[d.Outputs.Logits]
	if len(logits.Dims) == 3 && !logits.Dims[2].Dynamic() {
		m.Vocab = logits.Dims[2].Size
	} else if loose {
		m.Vocab = 1
	} else {
		return c, fmt.Errorf("output %q is missing or does not declare the size of the vocabulary; %s",
			d.Outputs.Logits, ownConfig)
	}
	var tokens bool
	d.Inputs.Key, d.Inputs.Value, d.Outputs.Key, d.Outputs.Value = "", "", "", ""
	for _, in := range inputs {
		switch in.Name {
		case d.Inputs.Tokens:
			tokens = true
		case d.Inputs.Mask, d.Inputs.Positions:
		default:
			if err := c.cache(in, given); err != nil && !loose {
				return c, err
			}
		}
	}
	if !loose && (!tokens || d.Inputs.Key == "" || d.Inputs.Value == "") {
		return c, fmt.Errorf("expected the input input_ids, and key and value caches such as "+
			"past_key_values.0.key, got %s; %s", names.List(loaders.Names(inputs)), ownConfig)
	}
	return c, nil
}

// ownConfig is the remedy in the error for a model whose configuration cannot be generated.
const ownConfig = "describe the model with genai.Overlay"

// cache adds an input to the configuration. It returns an error if the input is not the key or
// value cache of a layer.
func (c *config) cache(in loaders.Value, outputs map[string]loaders.Value) error {
	d := &c.Model.Decoder
	past, present := &d.Inputs.Key, &d.Outputs.Key
	own := strings.Replace(in.Name, "past_key_values", "past", 1) // drop the common prefix
	if strings.Contains(own, "value") {
		past, present = &d.Inputs.Value, &d.Outputs.Value
	}
	at := number.FindStringIndex(in.Name)
	if !strings.HasPrefix(in.Name, "past") || at == nil || !strings.Contains(own, "key") &&
		!strings.Contains(own, "value") || strings.Contains(own, "encoder") ||
		strings.Contains(own, "cross") || len(in.Dims) != 4 || in.Dims[1].Dynamic() ||
		!in.Dims[2].Dynamic() || in.Dims[3].Dynamic() {
		return fmt.Errorf("input %s: ONNX Runtime GenAI supports only tokens, their mask and "+
			"positions, and growing key and value caches [batch,heads,tokens,size]; %s", in, ownConfig)
	}
	pattern := in.Name[:at[0]] + "%d" + in.Name[at[1]:]
	following := strings.Replace(strings.Replace(pattern, "past_key_values", "present", 1), "past",
		"present", 1)
	_, given := outputs[strings.Replace(following, "%d", in.Name[at[0]:at[1]], 1)]
	if !given || *past != "" && *past != pattern {
		return fmt.Errorf("input %s: each layer's cache needs an output %q, and the names of cache "+
			"inputs may differ only in the layer's number; %s", in, following, ownConfig)
	}
	if *past == "" {
		d.Heads, d.Queries, d.Size = in.Dims[1].Size, in.Dims[1].Size, in.Dims[3].Size
		d.Hidden = d.Heads * d.Size
	}
	if present == &d.Outputs.Key {
		d.Layers++
	}
	*past, *present = pattern, following
	return nil
}

// isCache reports whether an output is the key or value cache of a layer,
// [batch,heads,tokens,size].
func (d decoder) isCache(output string) bool {
	layer := number.FindAllStringIndex(output, -1)
	return slices.ContainsFunc(layer, func(at []int) bool {
		pattern := output[:at[0]] + "%d" + output[at[1]:]
		return pattern == d.Outputs.Key || pattern == d.Outputs.Value
	})
}
