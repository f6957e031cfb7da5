package ort

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxruntime"
)

// resolve adds the options up.
func resolve(options []Option) (*settings, error) {
	s := &settings{level: OptimizeAll, intra: 1, inter: 1, of: map[string]map[string]string{}}
	for _, o := range options {
		if o.apply == nil {
			continue // the zero Option changes nothing
		}
		if err := o.apply(s); err != nil {
			return nil, err
		}
	}
	if len(s.providers) == 0 {
		s.providers, s.cpu = []onnxruntime.Provider{{Name: onnxruntime.CPU}}, true
	}
	for i, p := range s.providers {
		if p.Name == onnxruntime.CPU && i < len(s.providers)-1 {
			return nil, fmt.Errorf("ort.Providers names cpu before %s, but ONNX Runtime always asks "+
				"the CPU last; put cpu at the end", s.providers[i+1].Name)
		}
		s.providers[i].Options = exact(p.Name, s.of[p.Name])
		delete(s.of, p.Name)
	}
	for name := range s.of {
		return nil, fmt.Errorf("options are set for %s, which ort.Providers does not name", name)
	}
	return s, nil
}

// exact is a provider's options, and for CUDA that float32 is float32 unless they say otherwise:
// its own default is TF32, which rounds the factors of products to 10 bits of mantissa.
func exact(provider string, options map[string]string) map[string]string {
	if _, said := options[useTF32]; said || provider != onnxruntime.CUDA {
		return options
	}
	options = maps.Clone(options)
	if options == nil {
		options = map[string]string{}
	}
	options[useTF32] = "0"
	return options
}

const useTF32 = "use_tf32"

// accelerated reports whether a provider other than the CPU is asked for.
func (s *settings) accelerated() bool { return s.providers[0].Name != onnxruntime.CPU }

// session is the settings as the library takes them.
func (s *settings) session() onnxruntime.Options {
	o := s.lenient()
	if !s.cpu {
		o.Config = append([]onnxruntime.Setting{{Key: disableFallback, Value: "1"}}, o.Config...)
	}
	return o
}

// lenient is the same, but lets nodes fall back to the CPU.
func (s *settings) lenient() onnxruntime.Options {
	return onnxruntime.Options{Optimization: levels[s.level], IntraThreads: s.intra,
		InterThreads: s.inter, Providers: s.providers, Config: s.config, Record: s.accelerated()}
}

// disableFallback is the configuration entry that makes a session fail when a node has to run on
// the CPU provider that nobody asked for.
const disableFallback = "session.disable_cpu_ep_fallback"

// text is what decides the numbers beside model and inputs, for the provenance.
func (s *settings) text() map[string]string {
	text := map[string]string{
		"optimization":  string(s.level),
		"intra_threads": strconv.Itoa(s.intra),
		"inter_threads": strconv.Itoa(s.inter),
	}
	var names []string
	for _, p := range s.providers {
		names = append(names, p.Name)
		for key, value := range p.Options {
			text[p.Name+"."+key] = value
		}
	}
	if len(names) > 1 {
		text["providers"] = strings.Join(names, ",")
	}
	for _, c := range s.config {
		text[c.Key] = c.Value
	}
	return text
}
