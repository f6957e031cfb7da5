package genai

import (
	"encoding/json"
	"fmt"

	"github.com/modelparity/modelparity/internal/option"
)

// Option sets how a model runs. By default it runs with one thread, as in package ort.
//
// An option prints itself as the Go call that creates it.
type Option = option.Option[settings]

// settings contains the values of all options. Encoded as JSON, it is part of the text from which
// another process recreates the engine.
type settings struct {
	Library string `json:"library,omitempty"`
	Threads int    `json:"threads"`
	Overlay string `json:"overlay,omitempty"`
	WarmUp  int    `json:"warm_up,omitempty"`
}

var kind = option.Kind[settings]{Package: backendName, Name: "onnxruntime-genai",
	Defaults: func() settings { return settings{Threads: 1} }}

// Library uses the shared library at path. Without this option, the library is found as described
// at [Require].
func Library(path string) Option {
	return option.Field(option.Call("genai.Library", path), path,
		func(s *settings) *string { return &s.Library },
		option.Refuse(path == "", "the path is empty; pass the path of a libonnxruntime-genai"))
}

// Threads sets the number of threads that compute one operator; the default is 1, and 0 means one
// per core. An [Overlay] that sets intra_op_num_threads overrides this option.
func Threads(n int) Option {
	return option.Field(option.Call("genai.Threads", n), n,
		func(s *settings) *int { return &s.Threads },
		option.Refuse(n < 0, "the number of threads must be 0 or more"))
}

// Overlay overrides values of the configuration. text is JSON in the form of a genai_config.json:
//
//	genai.Overlay(`{"search": {"past_present_share_buffer": true, "max_length": 512}}`)
//
// Overlay can set every value that the library reads from the configuration, for example the tensor
// names of a model that uses unusual names.
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

// WarmUp runs the first inputs n times before the measured iterations, so that the engine is warm
// when it is measured; the default is 0.
func WarmUp(n int) Option {
	return option.Field(option.Call("genai.WarmUp", n), n, func(s *settings) *int { return &s.WarmUp },
		option.Refuse(n < 0, "the number of warm-up runs must be 0 or more"))
}
