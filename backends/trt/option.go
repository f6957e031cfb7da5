package trt

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/tensor"
)

// Option says how an engine is built, found or run. Without options an engine computes in float32
// without TF32, as Polygraphy's does, and everything else is TensorRT's default.
//
// Names of enumerators are NVIDIA's without the k ("AMPERE_PLUS"), in any case. A name that does
// not exist, or that the TensorRT in use lacks, is an error of the call that takes the options; for
// what TensorRT 11 removed, the error names the replacement.
type Option func(*settings)

// Options joins several options into one, for a set that many specs share.
func Options(options ...Option) Option {
	return func(s *settings) {
		for _, option := range options {
			option(s)
		}
	}
}

// settings is what the options say.
type settings struct {
	build buildSettings
	run   runSettings

	library  string
	driver   string // the CUDA driver's library, which only our own specs name
	device   int
	cache    string // "" for the usual folder
	noCache  bool
	timing   timing
	tactics  tactics
	log      io.Writer
	severity trtabi.Severity
	progress func(string)
	part     *fixtures.Inputs // of [Part]
	err      error            // of the first option that is wrong
}

// buildSettings is what decides the numbers of an engine. It is part of the engine's key in the
// cache, so every field is written to JSON.
type buildSettings struct {
	Flags         map[string]bool   `json:"flags,omitempty"` // builder flags, by name
	StronglyTyped bool              `json:"strongly_typed,omitempty"`
	Profiles      [][]ProfileRange  `json:"profiles,omitempty"`
	Derived       bool              `json:"-"` // the profile comes from the inputs
	Part          bool              `json:"-"` // names that the network lacks are passed over
	Pools         map[string]int    `json:"pools,omitempty"`
	Level         *int              `json:"level,omitempty"`
	Hardware      string            `json:"hardware,omitempty"`
	Capability    string            `json:"capability,omitempty"`
	Platform      string            `json:"platform,omitempty"`
	Tiling        string            `json:"tiling,omitempty"`
	Verbosity     string            `json:"verbosity,omitempty"`
	AuxStreams    *int              `json:"aux_streams,omitempty"`
	Tactics       *[]string         `json:"tactics,omitempty"`
	Replay        string            `json:"replay,omitempty"` // the digest of LoadTactics' file
	Preview       map[string]bool   `json:"preview,omitempty"`
	LayerTypes    map[string]string `json:"layer_types,omitempty"`
	TensorTypes   map[string]string `json:"tensor_types,omitempty"`
	Formats       map[string]string `json:"formats,omitempty"` // names joined by "|"
	Decomposable  bool              `json:"decomposable_attentions,omitempty"`
	DLA           *int              `json:"dla,omitempty"`
	Plugins       []string          `json:"plugins,omitempty"`
	PluginNorm    bool              `json:"plugin_instancenorm,omitempty"`
	ParserFlags   []string          `json:"parser_flags,omitempty"`
	Quantization  []string          `json:"quantization,omitempty"`
	Calibration   *calibration      `json:"calibration,omitempty"`
	Marks         marks             `json:"marks"`
}

// runSettings is what decides how an engine is run.
type runSettings struct {
	profile     int
	strategy    string
	budget      *int64
	percent     *float64
	warmUp      int
	loadRuntime string
	plugins     []string
}

// resolve applies options to the defaults.
func resolve(options []Option) (settings, error) {
	s := settings{build: buildSettings{Flags: map[string]bool{"TF32": false}},
		severity: trtabi.Warning}
	for _, option := range options {
		option(&s)
	}
	s.cutDown()
	return s, s.err
}

// fail keeps the first error of an option.
func (s *settings) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("trt: "+format, args...)
	}
}

// enumerator finds NVIDIA's name for one that a user wrote.
func (s *settings) enumerator(what, name string, known []string) string {
	upper := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	if !slices.Contains(known, upper) {
		s.fail("unknown %s %q; there are %s", what, name, strings.Join(known, ", "))
	}
	return upper
}

// dataType finds TensorRT's name for an element type.
func (s *settings) dataType(t tensor.ElementType) string {
	if _, ok := dataTypes[t]; !ok {
		s.fail("TensorRT has no element type %v", t)
	}
	return t.String()
}

// set writes into a map that may be nil.
func set[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}
