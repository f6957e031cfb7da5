package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/tensor"
)

// trtFlag is a flag that only TensorRT reads, which is noted.
func trtFlag(name string, arity arguments.Arity, value string,
	apply func(*tensorrt, []string) error, also ...string) flag {
	return flag{Name: name, Also: also, Arity: arity, Value: value,
		Apply: func(r *request, values []string) error {
			r.trt.given = append(r.trt.given, name)
			return apply(&r.trt, values)
		}}
}

// naming is a flag whose values are files. Flags that share a word may name the same one.
func naming(use files.Use, shared string, f flag) flag {
	f.File, f.Shared = use, shared
	return f
}

// trtSwitch is a flag that is one option.
func trtSwitch(name string, option func() trt.Option) flag {
	return trtFlag(name, arguments.None, "", func(t *tensorrt, _ []string) error {
		t.options = append(t.options, option())
		return nil
	})
}

// trtNames is a flag whose values an option takes as they are.
func trtNames[E ~string](name string, arity arguments.Arity, value string,
	option func(...E) trt.Option, also ...string) flag {
	return trtFlag(name, arity, value, func(t *tensorrt, values []string) error {
		names := make([]E, len(values))
		for i := range values {
			names[i] = E(values[i])
		}
		t.options = append(t.options, option(names...))
		return nil
	}, also...)
}

// onlyName makes an option of one name one of several.
func onlyName[E ~string](option func(E) trt.Option) func(...E) trt.Option {
	return func(names ...E) trt.Option { return option(names[0]) }
}

// trtNumber is a flag with an integer that an option takes.
func trtNumber(name string, option func(int) trt.Option) flag {
	return trtFlag(name, arguments.One, "N", func(t *tensorrt, values []string) error {
		n, err := values.Count(values[0], 0)
		t.options = append(t.options, option(n))
		return err
	})
}

// trtShapes is a flag with one side of the optimization profiles.
func trtShapes(name string, side int) flag {
	return trtFlag(name, arguments.Some, "INPUT:[D0,D1]",
		func(t *tensorrt, values []string) error {
			shapes := trt.Shapes{}
			for _, text := range values {
				shape, err := values.Shape(text)
				if err != nil {
					return err
				}
				shapes[shape.Name] = shape.Value
			}
			t.profiles[side] = append(t.profiles[side], shapes)
			return nil
		})
}

// trtMark marks tensors of the network in the place of the model's outputs.
func trtMark(names ...string) trt.Option {
	if all := strings.Join(names, " "); all == "*" || all == "mark all" {
		return trt.MarkAll()
	}
	return trt.MarkOnly(names...)
}

// number is a flag with a number.
func number(of func(*tensorrt) **float64) func(*tensorrt, []string) error {
	return func(t *tensorrt, values []string) error {
		n, err := values.Number(values[0])
		*of(t) = &n.Value
		return err
	}
}

// typed takes NAME:TYPE apart.
func typed(option func(string, tensor.ElementType) trt.Option) func(*tensorrt, []string) error {
	return func(t *tensorrt, values []string) error {
		for _, text := range values {
			named := values.Split(text)
			elem, err := elementType(named.Value)
			if err != nil || named.Name == "" {
				return fmt.Errorf("%q does not give a tensor or layer its element type; write "+
					"conv1:float16", text)
			}
			t.options = append(t.options, option(named.Name, elem))
		}
		return nil
	}
}

// elementType knows TensorRT's name of the one type that is called otherwise here.
func elementType(name string) (tensor.ElementType, error) {
	if name == "fp8" {
		return tensor.Float8E4M3FN, nil
	}
	return tensor.ParseElementType(name)
}

// everyType reads the element type of every input and output.
func everyType(t *tensorrt, values []string) error {
	elem, err := elementType(values[0])
	t.options = append(t.options, trt.TensorType("*", elem))
	return err
}

// everyFormat is the layouts of every input and output. Polygraphy's help has a comma behind one.
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

// tensorFormats takes TENSOR:[FORMAT,FORMAT] apart.
func tensorFormats(t *tensorrt, values []string) error {
	for _, text := range values {
		named, err := values.List(text, "a list of formats; write image:[CHW32,HWC8]")
		if err != nil {
			return err
		}
		t.options = append(t.options, trt.TensorFormats(named.Name, formats(named.Value)...))
	}
	return nil
}

// calibrator reads the name of one of TensorRT's classes.
func calibrator(t *tensorrt, values []string) error {
	t.calibrator = values[0]
	switch values[0] {
	case "IInt8EntropyCalibrator":
		t.options = append(t.options, trt.CalibrateBy(trt.EntropyCalibration))
	case "IInt8MinMaxCalibrator":
		t.options = append(t.options, trt.CalibrateBy(trt.MinMaxCalibration))
	}
	return choice(values[0], "IInt8EntropyCalibrator2", "IInt8MinMaxCalibrator",
		"IInt8EntropyCalibrator", "IInt8LegacyCalibrator")
}

// allocation reads Polygraphy's words for a strategy.
func allocation(when string) trt.Option {
	strategies := map[string]trt.Strategy{"profile": trt.OnProfileChange, "runtime": trt.UserManaged}
	if strategy, ok := strategies[when]; ok {
		return trt.AllocationStrategy(strategy)
	}
	return trt.AllocationStrategy(trt.Strategy(when))
}

// poolLimit reads POOL:SIZE.
func poolLimit(t *tensorrt, values []string) error {
	for _, text := range values {
		pool := values.Split(text)
		bytes, err := size(pool.Value)
		if err != nil {
			return err
		}
		t.options = append(t.options, trt.PoolLimit(trt.MemoryPool(pool.Name), int(bytes)))
	}
	return nil
}

// streamingBudget reads a size, a percentage, or Polygraphy's words for all and nothing.
func streamingBudget(t *tensorrt, values []string) error {
	if percent, ok := strings.CutSuffix(values[0], "%"); ok {
		n, err := strconv.ParseFloat(percent, 64)
		t.options = append(t.options, trt.WeightStreamingPercent(n))
		return err
	}
	switch values[0] {
	case "None", "-2":
		return nil
	case "-1":
		t.options = append(t.options, trt.WeightStreamingBudget(-1))
		return nil
	}
	bytes, err := size(values[0])
	t.options = append(t.options, trt.WeightStreamingBudget(bytes))
	return err
}

// size reads a number of bytes with K, M or G behind it, in powers of 1024.
func size(text string) (int64, error) {
	digits, unit := text, int64(1)
	if n := len(text); n > 0 {
		if shift, ok := map[byte]uint{'K': 10, 'M': 20, 'G': 30}[text[n-1]&^0x20]; ok {
			digits, unit = text[:n-1], 1<<shift
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(n >= 0) || n*float64(unit) >= 1<<62 {
		return 0, fmt.Errorf("%q is not a size; write 512M, 1G or a number of bytes", text)
	}
	return int64(n * float64(unit)), nil
}
