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
	arguments.Spelled("--onnxrt", arguments.Word(runners, "--onnxrt")),
}, providerFlags, []flag{
	arguments.Spelled("--graph-optimization-level LEVEL", arguments.Each(optimizationLevel,
		func(r *request, o ort.Option) { r.session = append(r.session, o) })),
	arguments.Spelled("--warm-up, --warm-up-runs N", func(r *request, words []string) (err error) {
		r.warmUp, err = values.Count(words[0], 0)
		return err
	}),
	arguments.Spelled("--model-type TYPE", modelType),
	arguments.Spelled("--sequential-runners", func(*request, []string) error { return nil }),
})

// runnerNames are the flags that run a model.
var runnerNames = []string{"--onnxrt", "--trt"}

// inputFlags say what the model is fed with.
var inputFlags = []flag{
	arguments.Spelled("--input-shapes, --inputs INPUT:[D0,D1] ...",
		arguments.Each(values.Shape, func(r *request,
			shape values.Named[[]int]) {
			r.shapes = append(r.shapes, shape)
		})),
	arguments.Spelled("--seed N", func(r *request, words []string) error {
		seed, err := strconv.ParseInt(words[0], 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not an integer", words[0])
		}
		r.seed = &seed
		return nil
	}),
	arguments.Spelled("--val-range [INPUT:][LOW,HIGH] ...",
		arguments.Each(values.Range, func(r *request, bounds values.Named[[2]float64]) {
			r.ranges = append(r.ranges, bounds)
		})),
	arguments.Spelled("--iterations, --iters N", func(r *request, words []string) error {
		n, err := values.Count(words[0], 1)
		r.iterations = &n
		return err
	}),
	arguments.Spelled("--load-inputs, --load-input-data, --input-file FILE ...",
		arguments.Texts(func(r *request) *[]string { return &r.loadInputs })).On(files.Reads),
	arguments.Spelled("--cast-inputs",
		arguments.Set(func(r *request) *bool { return &r.castInputs })),
	arguments.Spelled("--data-loader-backend-module MODULE", func(_ *request, words []string) error {
		return values.Choice(words[0], "numpy")
	}),
}

// optimizationLevel takes our names and ONNX Runtime's.
func optimizationLevel(name string) (ort.Option, error) {
	level := ort.Level(strings.ToLower(name))
	switch strings.ToUpper(name) {
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
	return ort.OptimizationLevel(level),
		values.Choice(string(level), "none", "basic", "extended", "layout", "all")
}

// modelType refuses what does not run here, with the way round.
func modelType(r *request, words []string) error {
	r.modelType = words[0]
	switch words[0] {
	case "frozen", "keras", "ckpt", "trt-network-script":
		return fmt.Errorf("%s models do not run here: export the model to ONNX, or let polygraphy "+
			"run it with --save-outputs FILE and give FILE to --load-outputs", words[0])
	case "uff", "caffe":
		return fmt.Errorf("nothing runs %s models any more, Polygraphy since 0.48 neither: convert "+
			"the model to ONNX", words[0])
	}
	return values.Choice(words[0], "onnx", "engine")
}

// runners is where a request keeps what runs.
func runners(r *request) *[]string { return &r.runners }
