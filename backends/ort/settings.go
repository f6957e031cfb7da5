package ort

import (
	"fmt"
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
		s.providers[i].Options = s.of[p.Name]
		delete(s.of, p.Name)
	}
	for name := range s.of {
		return nil, fmt.Errorf("options are set for %s, which ort.Providers does not name", name)
	}
	return s, nil
}

// session is the settings as the library takes them.
func (s *settings) session() onnxruntime.Options {
	o := onnxruntime.Options{Optimization: levels[s.level], IntraThreads: s.intra,
		InterThreads: s.inter, Providers: s.providers, Config: s.config}
	if !s.cpu {
		o.Config = append([]onnxruntime.Setting{{Key: disableFallback, Value: "1"}}, s.config...)
	}
	return o
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
