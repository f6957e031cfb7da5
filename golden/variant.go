package golden

import (
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
)

// Variants returns the names of the golden files that may belong to a run if each engine has its
// own file. The most specific name comes first: with the engine, precision and device; then with
// the engine and precision; then with the engine; then the plain name.
//
//	resnet18@tensorrt-fp16-sm90   resnet18@tensorrt-fp16   resnet18@tensorrt   resnet18
//
// The precision lists the types below float32 that the engine was allowed to use, joined by "+", or
// is fp32 if there are none. The device is a GPU's compute capability, or the engine's name for the
// device: cpu, cuda.
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

// narrow maps engines' names for narrow precisions to the names used in file names.
var narrow = map[string]string{"fp4": "fp4", "int4": "int4", "fp8": "fp8", "int8": "int8",
	"bf16": "bf16", "bfloat16": "bf16", "fp16": "fp16", "f16": "fp16", "float16": "fp16",
	"tf32": "tf32"}

// precisionOf reads the precision from a run's options. TensorRT has one option per precision;
// other engines have one named "precision" or "type".
func precisionOf(p backends.Provenance) string {
	var all []string
	for option, value := range p.Options {
		option, value = strings.ToLower(option), strings.ToLower(value)
		// TensorRT's value may be "used in 12 of 40 layers": the type was allowed, so the option
		// counts.
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

// deviceOf returns the name of the device that ran the model.
func deviceOf(p backends.Provenance) string {
	if capability := p.Options["compute capability"]; capability != "" {
		return "sm" + plainName(strings.ReplaceAll(capability, ".", ""))
	}
	return plainName(strings.TrimSuffix(p.Provider, "ExecutionProvider"))
}

// plainName reduces a text to lower-case letters and digits, for use in a file name.
func plainName(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(text))
}
