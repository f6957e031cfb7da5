package trt

import (
	"errors"
	"io"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/tensor"
)

// settings contains the values of all options. The exported fields are plain data, so that they can
// be written as text.
type settings struct {
	buildSettings
	runSettings

	Library  string      `json:"library,omitempty"`
	Device   int         `json:"device,omitempty"`
	Driver   string      `json:"driver,omitempty"` // only for this package's own specs
	Cache    string      `json:"cache,omitempty"`  // "" for the default folder
	NoCache  bool        `json:"no_cache,omitempty"`
	Timing   paths       `json:"timing,omitzero"`  // of TensorRT's measurements of kernels
	Tactics  paths       `json:"tactics,omitzero"` // of TensorRT's choices of kernels
	SavePlan string      `json:"save_plan,omitempty"`
	INT8     calibration `json:"int8_calibration,omitzero"`

	log       io.Writer
	severity  trtabi.Severity
	calibrate *fixtures.Inputs // set by [Calibrate]
	build     []string         // options that apply only to a build
}

// buildSettings contains the settings that determine an engine's results. They are part of the
// engine's cache key, so every field is written to JSON.
type buildSettings struct {
	Flags         map[string]bool           `json:"flags,omitempty"`
	StronglyTyped bool                      `json:"strongly_typed,omitempty"`
	Profiles      [][]ProfileRange          `json:"profiles,omitempty"`
	Pools         map[MemoryPool]int        `json:"pools,omitempty"`
	Level         *int                      `json:"level,omitempty"`
	Hardware      string                    `json:"hardware,omitempty"`
	Capability    string                    `json:"capability,omitempty"`
	Platform      string                    `json:"platform,omitempty"`
	Tiling        string                    `json:"tiling,omitempty"`
	Verbosity     string                    `json:"verbosity,omitempty"`
	AuxStreams    *int                      `json:"aux_streams,omitempty"`
	Kernels       *[]KernelSource           `json:"tactic_sources,omitempty"`
	Preview       []string                  `json:"preview,omitempty"`
	LayerTypes    elementTypes              `json:"layer_types,omitempty"`
	TensorTypes   elementTypes              `json:"tensor_types,omitempty"`
	Formats       map[string][]TensorFormat `json:"formats,omitempty"`
	Decomposable  bool                      `json:"decomposable_attentions,omitempty"`
	DLA           *int                      `json:"dla,omitempty"`
	Plugins       []string                  `json:"plugins,omitempty"`
	PluginNorm    bool                      `json:"plugin_instancenorm,omitempty"`
	ParserFlags   []string                  `json:"parser_flags,omitempty"`
	Quantization  []string                  `json:"quantization,omitempty"`
	Marks         marks                     `json:"marks,omitzero"`
}

// elementTypes contains element types by the name or pattern of a layer or tensor.
type elementTypes = map[string]tensor.ElementType

// runSettings contains the settings for running an engine.
type runSettings struct {
	Profile     int      `json:"profile,omitempty"`
	Strategy    string   `json:"strategy,omitempty"`
	Budget      *int64   `json:"budget,omitempty"`
	Percent     *float64 `json:"percent,omitempty"`
	WarmUp      int      `json:"warm_up,omitempty"`
	LoadRuntime string   `json:"load_runtime,omitempty"`
	Streams     int      `json:"streams,omitempty"`
}

// paths contains the path from which something is loaded and the path to which it is saved; "" for
// none.
type paths struct {
	Load string `json:"load,omitempty"`
	Save string `json:"save,omitempty"`
}

// calibration sets how the INT8 scales are computed.
type calibration struct {
	Algorithm string  `json:"algorithm,omitempty"` // "" for the default algorithm
	Quantile  float64 `json:"quantile,omitempty"`  // for the legacy algorithm
	Cutoff    float64 `json:"cutoff,omitempty"`
	Cache     string  `json:"cache,omitempty"`
}

// defaults returns the settings of an engine without options.
func defaults() settings {
	return settings{buildSettings: buildSettings{Flags: map[string]bool{flagTF32: false}},
		severity: trtabi.Warning}
}

// engines describes the options for building an engine; plans describes the options for a plan
// file.
var (
	engines = option.Kind[settings]{Package: "trt", Name: "tensorrt", Defaults: defaults,
		Check: (*settings).check}
	plans = option.Kind[settings]{Package: "trt", Name: "tensorrt plan", Defaults: defaults,
		Check: (*settings).checkPlan}
)

// check validates the combination of an engine's options and reports all errors.
func (s *settings) check() error {
	wrong := []error{
		option.Refuse(s.Tactics.Save != "" && s.Tactics.Load != "",
			"SaveTactics and LoadTactics cannot be combined: a replayed build repeats the "+
				"recorded tactics; remove one of them"),
		option.Refuse(s.Flags["EXCLUDE_LEAN_RUNTIME"] && !s.Flags[flagVersionCompatible],
			"ExcludeLeanRuntime needs VersionCompatible: without it, no engine contains the runtime"),
		option.Refuse(!s.Flags[flagINT8] && (s.INT8 != calibration{} || s.calibrate != nil),
			"calibration is for INT8: add trt.INT8(), or remove Calibrate, CalibrationCache, "+
				"EntropyCalibration, MinMaxCalibration and LegacyCalibration"),
	}
	for _, flag := range reduced {
		wrong = append(wrong, option.Refuse(s.StronglyTyped && s.Flags[flag],
			"StronglyTyped and %s cannot be combined: a strongly typed network takes its types "+
				"from the model", flag))
	}
	return errors.Join(wrong...)
}

// checkPlan returns an error if the options of a plan include options that apply only to a build.
func (s *settings) checkPlan() error {
	return option.Refuse(len(s.build) > 0, "build options do not apply to a plan: remove %s, or "+
		"run the ONNX model instead of the plan", strings.Join(s.build, ", "))
}

// reduced lists the flags that allow precisions other than float32.
var reduced = []string{flagFP16, flagBF16, flagINT8, flagFP8, flagINT4, flagFP4}
