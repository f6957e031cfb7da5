package genai

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/option"
)

// Option sets how a model runs. Without options it runs with one thread, as in package ort.
//
// An option prints itself as the Go call that makes it.
type Option = option.Option[settings]

// settings is the sum of the options. Its JSON is the engine's text.
type settings struct {
	Library string `json:"library,omitempty"`
	Threads int    `json:"threads"`
	Overlay string `json:"overlay,omitempty"`
	WarmUp  int    `json:"warm_up,omitempty"`
}

// kind is the engine with any options.
var kind = option.Kind[settings]{Package: Name, Name: "onnxruntime-genai",
	Defaults: func() settings { return settings{Threads: 1} }}

// Library runs on the shared library at path. Without this option the library is looked for as
// [Require] says.
func Library(path string) Option {
	return option.New(option.Call("genai.Library", path), func(s *settings) error {
		if path == "" {
			return errors.New("the path is empty; name a libonnxruntime-genai")
		}
		s.Library = path
		return nil
	})
}

// Threads computes an operator in n threads; 1 without this option, and 0 takes one a core. A
// genai_config.json that the model came with says it itself, and the option is left out there.
func Threads(n int) Option {
	return option.New(option.Call("genai.Threads", n), func(s *settings) error {
		if n < 0 {
			return errors.New("the number of threads must be 0 or more")
		}
		s.Threads = n
		return nil
	})
}

// Overlay lays JSON over the configuration, which is that of a genai_config.json:
//
//	genai.Overlay(`{"search": {"past_present_share_buffer": true, "max_length": 512}}`)
//
// It names the tensors of a model whose names are not found, and sets whatever else the library
// reads from there.
func Overlay(text string) Option {
	return option.New(option.Call("genai.Overlay", text), func(s *settings) error {
		var object map[string]any
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			return fmt.Errorf("expected a JSON object: %w", err)
		}
		s.Overlay = text
		return nil
	})
}

// WarmUp runs the first inputs n times before the iterations that count, so that their times are
// those of a warm engine; 0 without this option.
func WarmUp(n int) Option {
	return option.New(option.Call("genai.WarmUp", n), func(s *settings) error {
		if n < 0 {
			return errors.New("the number of runs must be 0 or more")
		}
		s.WarmUp = n
		return nil
	})
}
