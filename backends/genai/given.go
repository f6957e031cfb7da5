package genai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/loaders"
)

// section says which values of a model's own genai_config.json are used. It maps each key to a
// nested section, a rule, or unused. The file could make the library load other libraries, write
// files and open other models, and the model's folder may come from an untrusted place. The
// library therefore never reads the file itself: it gets a configuration that contains only these
// values.
type section map[string]any

// rule returns an error that says which value was expected, or nil if the value is valid.
type rule = func(value any) error

// unused marks a value that is accepted but dropped, because it affects only token selection or
// logging, not logits.
type unused struct{}

// taken lists every key that a model's own file may contain. Any other key is an error, because it
// could change the results.
var taken = section{
	"model": section{
		"type": matching(`[a-z0-9_-]{1,64}`), "context_length": size, "vocab_size": size,
		"pad_token_id": token, "bos_token_id": token, "sep_token_id": token, "eos_token_id": tokens,
		"decoder_start_token_id": token,
		"decoder": section{
			"filename": text, "head_size": size, "hidden_size": size, "num_attention_heads": size,
			"num_key_value_heads": size, "num_hidden_layers": between(1, 4096),
			"inputs": section{"input_ids": text, "attention_mask": text, "position_ids": text,
				"past_key_names": text, "past_value_names": text},
			"outputs": section{"logits": text, "present_key_names": text, "present_value_names": text},
			"session_options": section{"log_id": unused{}, "log_severity_level": unused{},
				"log_verbosity_level": unused{}, "provider_options": empty,
				"intra_op_num_threads": between(0, 1024), "inter_op_num_threads": between(0, 1024),
				"enable_cpu_mem_arena": truth, "enable_mem_pattern": truth,
				"graph_optimization_level": matching(`ORT_(DISABLE|ENABLE)_(ALL|BASIC|EXTENDED)`)},
			"sliding_window": section{"window_size": size, "pad_value": token, "slide_inputs": truth,
				"slide_key_value_cache": truth, "alignment": matching(`left|right`)},
		},
	},
	"search": section{"max_length": size, "chunk_size": size, "past_present_share_buffer": truth,
		"do_sample": unused{}, "diversity_penalty": unused{}, "early_stopping": unused{},
		"length_penalty": unused{}, "min_length": unused{}, "no_repeat_ngram_size": unused{},
		"num_beams": unused{}, "num_return_sequences": unused{}, "random_seed": unused{},
		"repetition_penalty": unused{}, "temperature": unused{}, "top_k": unused{}, "top_p": unused{}},
}

// Sizes are limited, because the library reserves memory according to some of them before it reads
// the model.
var (
	size  = between(1, 1<<24)
	token = between(-1, math.MaxInt32)
)

func between(least, most float64) rule {
	return func(value any) error {
		n, ok := value.(float64)
		if !ok || n != math.Trunc(n) || n < least || n > most {
			return fmt.Errorf("expected a whole number from %.0f to %.0f", least, most)
		}
		return nil
	}
}

func tokens(value any) error {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, v := range list {
		if err := token(v); err != nil {
			return err
		}
	}
	return nil
}

func matching(pattern string) rule {
	whole := regexp.MustCompile("^(" + pattern + ")$")
	return func(value any) error {
		if s, ok := value.(string); !ok || !whole.MatchString(s) {
			return errors.New("expected " + pattern)
		}
		return nil
	}
}

func text(value any) error {
	if s, ok := value.(string); !ok || s == "" || len(s) > 255 {
		return errors.New("expected a name of up to 255 bytes")
	}
	return nil
}

func truth(value any) error {
	if _, ok := value.(bool); !ok {
		return errors.New("expected true or false")
	}
	return nil
}

func empty(value any) error {
	if list, ok := value.([]any); !ok || len(list) > 0 {
		return errors.New("expected [], because this engine runs on the CPU")
	}
	return nil
}

// of filters a section of a configuration: it returns only the values that are used. path is the
// path of the section, for messages.
func (s section) of(given map[string]any, path string) (map[string]any, error) {
	got := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		var err error
		switch known := s[key].(type) {
		case unused:
			continue
		case section:
			inner, ok := given[key].(map[string]any)
			if !ok {
				return nil, fmt.Errorf("%.99q: expected an object", path+key)
			}
			if got[key], err = known.of(inner, path+key+"."); err != nil {
				return nil, err
			}
		case rule:
			got[key], err = given[key], known(given[key])
		default:
			err = errors.New("a file next to a model must not set this key; delete the key, or move " +
				"the model to another folder and use genai.Overlay")
		}
		if err != nil {
			return nil, fmt.Errorf("%.99q: %w", path+key, err)
		}
	}
	return got, nil
}

// found reads the genai_config.json next to the model and returns the values that are used, or nil
// if there is no such file.
func found(model *loaders.Model) (map[string]any, error) {
	if model.Path() == "" {
		return nil, nil
	}
	data, err := read(filepath.Join(model.Dir(), configFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var given map[string]any
	if err == nil {
		err = json.Unmarshal(data, &given)
	}
	if err == nil {
		of, _ := given["model"].(map[string]any)
		decoder, _ := of["decoder"].(map[string]any)
		file := decoder["filename"]
		if name, ok := file.(string); file == nil || ok && name != model.Name() {
			return nil, nil
		}
		given, err = taken.of(given, "")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", configFile, err)
	}
	return given, nil
}

// mostConfig is the size limit of a configuration file in bytes.
const mostConfig = 1 << 20

// read reads a configuration file. It rejects devices and pipes, because reading them may never
// end.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > mostConfig) {
		err = fmt.Errorf("expected a regular file of up to %d bytes", mostConfig)
	}
	if err != nil {
		return nil, err
	}
	return regular.Read(path)
}
