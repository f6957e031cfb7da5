package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
)

// voting is what only vote asks for.
type voting struct {
	engines []backends.Engine // in the order of their flags
	outputs bool              // do not look inside the model
}

// candidate is an engine that can vote: its flag, what may stand behind it, and how that becomes
// the engine.
type candidate struct {
	flag, title string
	settings    []setting
	engine      func(options []any) backends.Engine
	available   func() error
}

// setting is a word, or KEY=VALUE, behind an engine's flag.
type setting struct {
	key, value string // value is what stands in the help, "" for a word
	option     func(value string) (any, error)
}

// candidates lists the engines, in the order in which they vote where none is named.
var candidates = []candidate{
	{flag: "--onnxrt", title: "ONNX Runtime", settings: []setting{
		{"level", "LEVEL", func(v string) (any, error) {
			return ort.OptimizationLevel(ort.Level(v)), nil
		}},
		{"threads", "N", whole(func(n int) any { return ort.Threads(n) })},
		{"providers", "P+Q", func(v string) (any, error) {
			return ort.Providers(strings.Split(v, "+")...), nil
		}},
	}, engine: func(options []any) backends.Engine {
		return ort.Engine(optionsOf[ort.Option](options)...)
	}, available: func() error { return ort.Available() }},
	{flag: "--openvino", title: "OpenVINO", settings: []setting{
		{"precision", "TYPE", func(v string) (any, error) {
			return openvino.Precision(openvino.Type(v)), nil
		}},
		{"threads", "N", whole(func(n int) any { return openvino.Threads(n) })},
		{"device", "NAME", func(v string) (any, error) { return openvino.Device(v), nil }},
	}, engine: func(options []any) backends.Engine {
		return openvino.Engine(optionsOf[openvino.Option](options)...)
	}, available: func() error { return openvino.Available() }},
	{flag: "--tract", title: "tract", settings: []setting{
		{"fp16", "", func(string) (any, error) { return tract.FP16(), nil }},
		{"on", "RUNTIME", func(v string) (any, error) { return tract.On(tract.Runtime(v)), nil }},
	}, engine: func(options []any) backends.Engine {
		return tract.Engine(optionsOf[tract.Option](options)...)
	}, available: func() error { return tract.Available() }},
}

// whole is a setting that counts something.
func whole(option func(n int) any) func(string) (any, error) {
	return func(v string) (any, error) {
		n, err := strconv.Atoi(v)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", v)
		}
		return option(n), nil
	}
}

// optionsOf is options in their engine's own type.
func optionsOf[O any](options []any) []O {
	list := make([]O, len(options))
	for i, o := range options {
		list[i] = o.(O)
	}
	return list
}

// parse makes the engine of what stands behind its flag.
func (c candidate) parse(words []string) (backends.Engine, error) {
	var options []any
	for _, word := range words {
		key, value, has := strings.Cut(word, "=")
		i := slices.IndexFunc(c.settings, func(s setting) bool { return s.key == key })
		if i < 0 || has == (c.settings[i].value == "") {
			return nil, fmt.Errorf("%q is not known here; write %s", word, c.usage(" or "))
		}
		o, err := c.settings[i].option(value)
		if err != nil {
			return nil, err
		}
		options = append(options, o)
	}
	return c.engine(options), nil
}

// usage lists what may stand behind the flag.
func (c candidate) usage(between string) string {
	var words []string
	for _, s := range c.settings {
		word := s.key
		if s.value != "" {
			word += "=" + s.value
		}
		words = append(words, word)
	}
	return strings.Join(words, between)
}

// candidateFlags name the engines that vote.
func candidateFlags() []flag {
	var list []flag
	for _, c := range candidates {
		list = append(list, flag{Name: c.flag, Arity: arguments.Any, Value: "SETTING",
			Text: "ENGINE",
			Fill: []string{"{title}", c.title, "{settings}", c.usage(", ")},
			Apply: func(r *request, words []string) error {
				e, err := c.parse(words)
				r.voting.engines = append(r.voting.engines, e)
				return err
			}})
	}
	return list
}

// voteFlags are the flags of vote alone.
var voteFlags = []flag{
	arguments.Spelled("--no-locate",
		arguments.Set(func(r *request) *bool { return &r.voting.outputs })),
}

// present is every engine on this machine, for a vote in which none is named.
func present() ([]backends.Engine, error) {
	var list []backends.Engine
	var absent []error
	for _, c := range candidates {
		if err := c.available(); err != nil {
			absent = append(absent, err)
			continue
		}
		list = append(list, c.engine(nil))
	}
	if len(list) < 2 {
		return nil, fmt.Errorf("a vote needs two engines or more, and this machine has %d (%w); "+
			"`modelparity setup --all` fetches them", len(list), errors.Join(absent...))
	}
	return list, nil
}
