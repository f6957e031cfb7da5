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

// number returns a function that parses a number and stores it in a field.
func number(field **float64) func([]string) error {
	return func(words []string) error {
		n, err := values.Number(words[0])
		*field = &n.Value
		return err
	}
}

// typed returns a function that parses NAME:TYPE.
func (f *Flags) typed(option func(string, tensor.ElementType) trt.Option) func([]string) error {
	return func(words []string) error {
		for _, text := range words {
			named := values.Split(text)
			elem, err := elementType(named.Value)
			if err != nil || named.Name == "" {
				return fmt.Errorf("%q is not NAME:TYPE, such as conv1:float16", text)
			}
			f.options = append(f.options, option(named.Name, elem))
		}
		return nil
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
func (f *Flags) everyType(words []string) error {
	elem, err := elementType(words[0])
	f.options = append(f.options, trt.TensorType("*", elem))
	return err
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
func (f *Flags) tensorFormats(words []string) error {
	for _, text := range words {
		named, err := values.List(text, "a list of formats; write image:[CHW32,HWC8]")
		if err != nil {
			return err
		}
		f.options = append(f.options, trt.TensorFormats(named.Name, formats(named.Value)...))
	}
	return nil
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
func (f *Flags) poolLimit(words []string) error {
	for _, text := range words {
		pool := values.Split(text)
		bytes, err := values.Size(pool.Value)
		if err != nil {
			return err
		}
		f.options = append(f.options, trt.PoolLimit(trt.MemoryPool(pool.Name), int(bytes)))
	}
	return nil
}

// streamingBudget parses a size, a percentage, or one of Polygraphy's two special values, which
// mean everything and nothing.
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
