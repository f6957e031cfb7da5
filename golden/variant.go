package golden

import (
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
)

// Variants are the names of the golden files that a run may be held to where each engine has its
// own, the most specific first: by engine, precision and device, by engine and precision, by the
// engine alone, and the name itself.
//
//	resnet18@tensorrt-fp16-sm90   resnet18@tensorrt-fp16   resnet18@tensorrt   resnet18
//
// The precision is what the engine was allowed to compute in below float32, several joined by "+",
// or fp32. The device is a GPU's compute capability, or what the engine calls it: cpu, cuda.
func Variants(name string, p backends.Provenance) []string {
	parts := []string{plainName(p.Backend), precisionOf(p)}
	if device := deviceOf(p); device != "" {
		parts = append(parts, device)
	}
	var names []string
	for n := len(parts); n > 0; n-- {
		names = append(names, name+"@"+strings.Join(parts[:n], "-"))
	}
	return append(names, name)
}

// narrow are what engines call precisions, and the name that a file gives each.
var narrow = map[string]string{"fp4": "fp4", "int4": "int4", "fp8": "fp8", "int8": "int8",
	"bf16": "bf16", "bfloat16": "bf16", "fp16": "fp16", "f16": "fp16", "float16": "fp16",
	"tf32": "tf32"}

// precisionOf reads it from a run's options: TensorRT has one for each precision, others one of
// that name.
func precisionOf(p backends.Provenance) string {
	var all []string
	for option, value := range p.Options {
		option, value = strings.ToLower(option), strings.ToLower(value)
		// TensorRT's say "used in 12 of 40 layers": the engine was allowed to, and that is its name.
		if known := narrow[option]; known != "" && value != "false" && value != "" {
			all = append(all, known)
		}
		if known := narrow[value]; known != "" && (option == "precision" || option == "type") {
			all = append(all, known)
		}
	}
	if len(all) == 0 {
		return "fp32"
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "+")
}

// deviceOf is where a run ran.
func deviceOf(p backends.Provenance) string {
	if capability := p.Options["compute capability"]; capability != "" {
		return "sm" + plainName(strings.ReplaceAll(capability, ".", ""))
	}
	return plainName(strings.TrimSuffix(p.Provider, "ExecutionProvider"))
}

// plainName is a text as a part of a file's name: lower case, letters and digits.
func plainName(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(text))
}
