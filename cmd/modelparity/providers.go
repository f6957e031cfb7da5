package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
)

// providerFlags say which of ONNX Runtime's execution providers run the model, and how.
var providerFlags = []flag{
	arguments.Spelled("--providers, --execution-providers PROVIDER ...",
		arguments.Texts(func(r *request) *[]string { return &r.providers })),
	arguments.Spelled("--provider-options PROVIDER:KEY=VALUE ...",
		func(r *request, words []string) error {
			for _, text := range words {
				provider, setting, _ := strings.Cut(text, ":")
				key, value, found := strings.Cut(setting, "=")
				if !found || provider == "" || key == "" {
					return fmt.Errorf("%q does not set an option; write cuda:use_tf32=1", text)
				}
				r.providerOptions = append(r.providerOptions, ort.ProviderOption(provider, key, value))
			}
			return nil
		}),
	arguments.Spelled("--fp32", arguments.Set(func(r *request) *bool { return &r.fp32 })),
}

// onnxruntime is how the request wants ONNX Runtime. --fp32 is an error where it cannot be kept: no
// option of the TensorRT provider turns TF32 off.
func (r *request) onnxruntime() ([]ort.Option, error) {
	if r.fp32 && slices.ContainsFunc(r.providers, isTensorRT) &&
		os.Getenv("NVIDIA_TF32_OVERRIDE") != "0" {
		return nil, errors.New("--fp32 cannot be kept: ONNX Runtime's tensorrt provider uses TF32; " +
			"set NVIDIA_TF32_OVERRIDE=0 in the environment, or run TensorRT by --trt")
	}
	options := slices.Concat(r.session, r.providerOptions, []ort.Option{ort.WarmUp(r.warmUp)})
	if len(r.providers) > 0 {
		options = append(options, ort.Providers(r.providers...))
	}
	return options, nil
}

// isTensorRT knows the names of ONNX Runtime's TensorRT provider.
func isTensorRT(provider string) bool {
	return slices.Contains([]string{"trt", "tensorrt", "tensorrtexecutionprovider"},
		strings.ToLower(provider))
}
