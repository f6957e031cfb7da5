package engineflags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/names"
)

// Engine is an engine whose flag takes settings, such as `--openvino precision=bfloat16 threads=2`,
// so that a command can use the same engine several times with different settings.
type Engine struct {
	Flag, Title string
	settings    []setting
	available   func() error // nil: Voters uses the engine only if it is named
}

// setting is a word, or KEY=VALUE, that may follow an engine's flag. It stands for another flag and
// has the same effect.
type setting struct {
	key, value string // value is the placeholder in the help; "" for a word
	flag       string
}

// Engines returns the engines that accept settings, in display order.
func Engines() []Engine {
	return []Engine{
		{onnxrt, "ONNX Runtime", []setting{
			{"level", "LEVEL", "--graph-optimization-level"}, {"threads", "N", "--onnxrt-threads"},
			{"providers", "P+Q", "--providers"}, {"accuracy", "TYPE", "--onnxrt-accuracy-level"},
		}, func() error { return ort.Available() }},
		{openvinoRunner, "OpenVINO", []setting{
			{"precision", "TYPE", "--openvino-precision"}, {"mode", "MODE", "--openvino-execution-mode"},
			{"threads", "N", "--openvino-threads"}, {"device", "NAME", "--openvino-device"},
			{"static-shapes", "", "--openvino-static-shapes"},
		}, func() error { return openvino.Available() }},
		{tractRunner, "tract", []setting{{"fp16", "", "--tract-fp16"}},
			func() error { return tract.Available() }},
		{genaiRunner, "ONNX Runtime GenAI", []setting{{"threads", "N", "--genai-threads"}}, nil},
		{trtRunner, "TensorRT", []setting{
			{"fp16", "", "--fp16"}, {"bf16", "", "--bf16"}, {"tf32", "", "--tf32"},
			{"level", "N", "--builder-optimization-level"},
		}, func() error { return trt.Available() }},
	}
}

// With returns the engine with the given settings. Each setting is a word or KEY=VALUE. A value may
// consist of several values separated by +.
func (e Engine) With(words ...string) (backends.Engine, error) {
	var f Flags
	for _, word := range words {
		key, value, has := strings.Cut(word, "=")
		i := slices.IndexFunc(e.settings, func(s setting) bool { return s.key == key })
		if i < 0 || has == (e.settings[i].value == "") {
			return nil, fmt.Errorf("unknown option %q; use %s", word, e.usage(" or "))
		}
		var behind []string
		if has {
			if behind = []string{value}; strings.Contains(e.settings[i].value, "+") {
				behind = strings.Split(value, "+")
			}
		}
		if err := f.Set(e.settings[i].flag, behind...); err != nil {
			return nil, err
		}
	}
	return f.engine(e.Flag, nil)
}

// Usage returns the settings that the flag accepts.
func (e Engine) Usage() string { return e.usage(", ") }

func (e Engine) usage(between string) string {
	var words []string
	for _, s := range e.settings {
		word := s.key
		if s.value != "" {
			word += "=" + s.value
		}
		words = append(words, word)
	}
	return strings.Join(words, between)
}

// Voters returns the named engines or, if none are named, all available ones. For a model that only
// one engine can read, it is an error to name none.
func Voters(model fixtures.Declaration, named []backends.Engine) ([]backends.Engine, error) {
	only := reader(model)
	switch {
	case only == trtRunner:
		return nil, fmt.Errorf("a vote needs a model that several engines can run, got %s",
			backends.Described(model))
	case len(named) > 0:
		return named, nil
	case only == openvinoRunner:
		return nil, fmt.Errorf("got %s; repeat --openvino with different settings, such as "+
			"--openvino --openvino threads=2", backends.Described(model))
	}
	return Available(2)
}

// Available returns the [Engines] that are installed on this machine. If fewer than minimum are
// installed, it returns an error that lists the missing ones.
func Available(minimum int) ([]backends.Engine, error) {
	var list []backends.Engine
	var found, missing []string
	for _, e := range Engines() {
		if e.available == nil {
			continue
		}
		if e.available() != nil {
			missing = append(missing, e.Title)
			continue
		}
		engine, err := e.With()
		if err != nil {
			return nil, err
		}
		list, found = append(list, engine), append(found, e.Title)
	}
	if len(list) < minimum {
		return nil, fmt.Errorf("a vote needs at least %d engines, and this machine has %s: "+
			"`modelparity setup --all` downloads engines, and `modelparity doctor` "+
			"says what is wrong with %s", minimum, names.Join(found), names.Join(missing))
	}
	return list, nil
}
