package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
)

// runnerFlags say what runs the model.
var runnerFlags = slices.Concat([]flag{
	{Name: "--onnxrt", Apply: arguments.Word(runners, "--onnxrt")},
}, providerFlags, []flag{
	{Name: "--graph-optimization-level", Arity: arguments.One, Value: "LEVEL",
		Apply: optimizationLevel},
	{Name: "--warm-up", Also: []string{"--warm-up-runs"}, Arity: arguments.One, Value: "N",
		Apply: func(r *request, values []string) (err error) {
			r.warmUp, err = values.Count(values[0], 0)
			return err
		}},
	{Name: "--model-type", Arity: arguments.One, Value: "TYPE", Apply: modelType},
	{Name: "--sequential-runners", Apply: func(*request, []string) error { return nil }},
})

// runnerNames are the flags that run a model.
var runnerNames = []string{"--onnxrt", "--trt"}

// inputFlags say what the model is fed with.
var inputFlags = []flag{
	{Name: "--input-shapes", Also: []string{"--inputs"}, Arity: arguments.Some,
		Value: "INPUT:[D0,D1]", Apply: arguments.Each(values.Shape, func(r *request,
			shape values.Named[[]int]) {
			r.shapes = append(r.shapes, shape)
		})},
	{Name: "--seed", Arity: arguments.One, Value: "N", Apply: func(r *request, values []string) error {
		seed, err := strconv.ParseInt(values[0], 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not an integer", values[0])
		}
		r.seed = &seed
		return nil
	}},
	{Name: "--val-range", Arity: arguments.Some, Value: "[INPUT:][LOW,HIGH]",
		Apply: arguments.Each(values.Range, func(r *request, bounds values.Named[[2]float64]) {
			r.ranges = append(r.ranges, bounds)
		})},
	{Name: "--iterations", Also: []string{"--iters"}, Arity: arguments.One, Value: "N",
		Apply: func(r *request, values []string) error {
			n, err := values.Count(values[0], 1)
			r.iterations = &n
			return err
		}},
	{Name: "--load-inputs", Also: []string{"--load-input-data", "--input-file"},
		Arity: arguments.Some, Value: "FILE", File: files.Reads,
		Apply: arguments.Texts(func(r *request) *[]string { return &r.loadInputs })},
	{Name: "--data-loader-backend-module", Arity: arguments.One, Value: "MODULE",
		Apply: func(_ *request, values []string) error {
			return choice(values[0], "numpy")
		}},
}

// optimizationLevel takes our names and ONNX Runtime's.
func optimizationLevel(r *request, values []string) error {
	level := ort.Level(strings.ToLower(values[0]))
	switch strings.ToUpper(values[0]) {
	case "ORT_DISABLE_ALL":
		level = ort.OptimizeNone
	case "ORT_ENABLE_BASIC":
		level = ort.OptimizeBasic
	case "ORT_ENABLE_EXTENDED":
		level = ort.OptimizeExtended
	case "ORT_ENABLE_LAYOUT":
		level = ort.OptimizeLayout
	case "ORT_ENABLE_ALL":
		level = ort.OptimizeAll
	}
	r.session = append(r.session, ort.OptimizationLevel(level))
	return choice(string(level), "none", "basic", "extended", "layout", "all")
}

// modelType refuses what does not run here, with the way round.
func modelType(r *request, values []string) error {
	r.modelType = values[0]
	switch values[0] {
	case "frozen", "keras", "ckpt", "trt-network-script":
		return fmt.Errorf("%s models do not run here: export the model to ONNX, or let polygraphy "+
			"run it with --save-outputs FILE and give FILE to --load-outputs", values[0])
	case "uff", "caffe":
		return fmt.Errorf("nothing runs %s models any more, Polygraphy since 0.48 neither: convert "+
			"the model to ONNX", values[0])
	}
	return choice(values[0], "onnx", "engine")
}

// choice refuses a value that is none of the known ones.
func choice(value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return fmt.Errorf("%q is not known here; write %s", value, strings.Join(known, ", "))
}

// runners is where a request keeps what runs.
func runners(r *request) *[]string { return &r.runners }
