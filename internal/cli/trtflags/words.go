package trtflags

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/tensor"
)

// marked returns an option that makes the named tensors outputs of the network. The words "mark
// all" name all tensors.
func marked(names ...string) trt.Option {
	if slices.Equal(values.Marked(names), []string{"*"}) {
		return trt.MarkAll()
	}
	return trt.MarkOnly(names...)
}

func number(text string) (*float64, error) {
	n, err := values.Number(text)
	return &n.Value, err
}

// typed returns a function that parses NAME:TYPE.
func typed(option func(string, tensor.ElementType) trt.Option) func(string) (trt.Option, error) {
	return func(text string) (o trt.Option, err error) {
		named := values.Split(text)
		elem, err := elementType(named.Value)
		if err != nil || named.Name == "" {
			return o, fmt.Errorf("%q is not NAME:TYPE, such as conv1:float16", text)
		}
		return option(named.Name, elem), nil
	}
}

// elementType parses an element type. It also accepts TensorRT's name fp8, which differs from this
// module's name.
func elementType(name string) (tensor.ElementType, error) {
	if name == "fp8" {
		return tensor.Float8E4M3FN, nil
	}
	return tensor.ParseElementType(name)
}

// everyType sets the element type of all inputs and outputs.
func everyType(text string) (trt.Option, error) {
	elem, err := elementType(text)
	return trt.TensorType("*", elem), err
}

// everyFormat sets the memory layouts of all inputs and outputs. Names may end with a comma, as in
// an example in Polygraphy's help.
func everyFormat(names ...string) trt.Option {
	return trt.TensorFormats("*", formats(names)...)
}

func formats(names []string) []trt.TensorFormat {
	formats := make([]trt.TensorFormat, len(names))
	for i, name := range names {
		formats[i] = trt.TensorFormat(strings.TrimSuffix(name, ","))
	}
	return formats
}

// tensorFormats parses TENSOR:[FORMAT,FORMAT].
func tensorFormats(text string) (trt.Option, error) {
	named, err := values.List(text, "a list of formats; write image:[CHW32,HWC8]")
	return trt.TensorFormats(named.Name, formats(named.Value)...), err
}

// calibratorClass parses the name of one of TensorRT's calibrator classes.
func (f *Flags) calibratorClass(words []string) error {
	f.calibrator = words[0]
	switch words[0] {
	case "IInt8EntropyCalibrator":
		f.options = append(f.options, trt.EntropyCalibration())
	case "IInt8MinMaxCalibrator":
		f.options = append(f.options, trt.MinMaxCalibration())
	}
	return values.Choice(words[0], "IInt8EntropyCalibrator2", "IInt8MinMaxCalibrator",
		"IInt8EntropyCalibrator", "IInt8LegacyCalibrator")
}

// poolLimit parses POOL:SIZE.
func poolLimit(text string) (trt.Option, error) {
	pool := values.Split(text)
	bytes, err := values.Size(pool.Value)
	return trt.PoolLimit(trt.MemoryPool(pool.Name), int(bytes)), err
}

// streamingBudget parses a size, a percentage, or a special value of Polygraphy: with -1, TensorRT
// chooses the budget; None and -2 set no budget.
func (f *Flags) streamingBudget(words []string) error {
	if percent, ok := strings.CutSuffix(words[0], "%"); ok {
		n, err := strconv.ParseFloat(percent, 64)
		f.options = append(f.options, trt.WeightStreamingPercent(n))
		return err
	}
	switch words[0] {
	case "None", "-2":
		return nil
	case "-1":
		f.options = append(f.options, trt.WeightStreamingBudget(-1))
		return nil
	}
	bytes, err := values.Size(words[0])
	f.options = append(f.options, trt.WeightStreamingBudget(bytes))
	return err
}
