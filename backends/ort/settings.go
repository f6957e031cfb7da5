package ort

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/option"
)

// settings contains the values of all options. Encoded as JSON, it is part of the text from which
// another process recreates the engine.
type settings struct {
	Library         string                       `json:"library,omitempty"`
	Release         string                       `json:"release,omitempty"`
	Level           Level                        `json:"level"`
	Accuracy        Accuracy                     `json:"accuracy"`
	Threads         int                          `json:"threads"`
	Plugins         []*plugin                    `json:"plugins,omitempty"`
	Providers       []string                     `json:"providers,omitempty"` // full names
	ProviderOptions map[string]map[string]string `json:"provider_options,omitempty"`
	Config          map[string]string            `json:"config,omitempty"`
	CustomOps       []string                     `json:"custom_ops,omitempty"` // paths
	WarmUp          int                          `json:"warm_up,omitempty"`

	log *onnxruntime.Log // the session's log
}

var kind = option.Kind[settings]{Package: backendName, Name: "onnxruntime", Defaults: defaults,
	Check: (*settings).check}

func defaults() settings {
	return settings{Level: OptimizeAll, Accuracy: AccuracyFloat32, Threads: 1}
}

// check normalises the options, and returns an error if they contradict each other.
func (s *settings) check() error {
	if s.Library != "" && s.Release != "" {
		return errors.New("ort.Library and ort.Release both choose the library; drop one")
	}
	if len(s.Plugins) == 0 && slices.Equal(s.Providers, []string{onnxruntime.CPU}) {
		s.Providers = nil // the default
	}
	for i, p := range s.Plugins {
		if slices.ContainsFunc(s.Plugins[:i], func(q *plugin) bool { return p.Path == q.Path }) {
			return fmt.Errorf("ort.PluginEP lists %s twice; remove one", p.Path)
		}
	}
	for i, name := range s.Providers {
		switch {
		case slices.Contains(s.Providers[:i], name):
			return fmt.Errorf("ort.Providers lists %s twice; remove one", shortName(name))
		case name == onnxruntime.CPU && i < len(s.Providers)-1:
			return fmt.Errorf("ort.Providers lists cpu before %s, but ONNX Runtime always tries the "+
				"CPU last; put cpu at the end", s.Providers[i+1])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.ProviderOptions)) {
		if !slices.Contains(s.Providers, name) {
			return fmt.Errorf("options are set for %s, which is not among the providers; add it with "+
				"ort.Providers, or drop the options", name)
		}
	}
	if _, said := s.ProviderOptions[onnxruntime.CUDA][useTF32]; !said &&
		slices.Contains(s.Providers, onnxruntime.CUDA) {
		put(&s.ProviderOptions, onnxruntime.CUDA, map[string]string{})
		s.ProviderOptions[onnxruntime.CUDA][useTF32] = "0"
	}
	return nil
}

// useTF32 is the option that lets CUDA compute float32 matrix multiplications and convolutions in
// TF32, with 10 bits of mantissa. ONNX Runtime turns it on by default; this package turns it off
// unless the options set it.
const useTF32 = "use_tf32"

// accuracyKey is the configuration entry with the accuracy level of matrix multiplications that
// ONNX Runtime fuses with DequantizeLinear. ONNX Runtime's default is 4; this package's is 1.
const accuracyKey = "session.qdq_matmulnbits_accuracy_level"

// put sets m[key] to value, unless the map already has the key.
func put[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	if _, has := (*m)[key]; !has {
		(*m)[key] = value
	}
}

// order returns the names of the providers in order of preference. A plug-in's provider is named
// after the path of its library until [settings.plug] finds out its real name.
func (s *settings) order() (names []string) {
	for _, p := range s.Plugins {
		names = append(names, cmp.Or(p.provider, p.Path))
	}
	if names = append(names, s.Providers...); len(names) == 0 {
		return []string{onnxruntime.CPU}
	}
	return names
}

// accelerated reports whether the preferred provider is not the CPU.
func (s *settings) accelerated() bool { return s.order()[0] != onnxruntime.CPU }

// cpu reports whether the CPU is among the providers.
func (s *settings) cpu() bool { return slices.Contains(s.order(), onnxruntime.CPU) }

// providers returns the providers and their options in the form that the library expects.
func (s *settings) providers() []onnxruntime.Provider {
	var list []onnxruntime.Provider
	for _, p := range s.Plugins {
		list = append(list, onnxruntime.Provider{Name: p.provider, Options: p.Options, Plugin: p.library})
	}
	for _, name := range s.order()[len(list):] {
		list = append(list, onnxruntime.Provider{Name: name, Options: s.ProviderOptions[name]})
	}
	return list
}

// session returns the settings in the form that the library expects.
func (s *settings) session() onnxruntime.Options {
	o := onnxruntime.Options{Optimization: levels[s.Level].number, Threads: s.Threads,
		Providers: s.providers(), Record: s.accelerated(), Log: s.log}
	for _, path := range s.CustomOps {
		if full, err := filepath.Abs(path); err == nil { // if it fails, the loader searches for the name
			path = full
		}
		o.CustomOps = append(o.CustomOps, path)
	}
	o.Config = maps.Clone(s.Config)
	put(&o.Config, accuracyKey, strconv.Itoa(accuracyLevel(s.Accuracy)))
	return o
}

// text returns the options that affect the results, for the provenance.
func (s *settings) text() map[string]string {
	text := map[string]string{
		"optimization":  string(s.Level),
		"intra_threads": strconv.Itoa(s.Threads),
	}
	if s.Accuracy != AccuracyFloat32 {
		text["accuracy"] = string(s.Accuracy)
	}
	for provider, options := range s.ProviderOptions {
		for key, value := range options {
			text[provider+"."+key] = value
		}
	}
	for _, p := range s.Plugins {
		for key, value := range p.Options {
			text[p.provider+"."+key] = value
		}
	}
	if order := s.order(); len(order) > 1 {
		text["providers"] = strings.Join(order, ",")
	}
	maps.Copy(text, s.Config)
	return text
}
