package cli

import (
	"slices"

	"github.com/modelparity/modelparity/internal/cli/arguments"
)

// answered is a group of unsupported flags that are rejected with the same explanation.
type answered struct {
	answer string
	names  []string
}

// known lists flags that users type although no command supports them: Polygraphy's flags without
// an equivalent in modelparity, and flags that documents about Polygraphy mention although they
// never existed. Each gets an error that names a replacement.
var known = []answered{
	{"TensorRT 11.3 added it for boards with several DLA engines on one core; modelparity always " +
		"uses TensorRT's default", []string{"--dla-workspace-allocation-strategy"}},
	{"TensorRT is configured in Go, not in Python: use package backends/trt in a spec",
		[]string{"--trt-config-script", "--trt-config-postprocess-script", "--trt-cpps",
			"--trt-network-postprocess-script", "--trt-npps", "--trt-config-func-name",
			"--trt-network-func-name"}},
	{"write --val-range [LOW,HIGH], or INPUT:[LOW,HIGH] for one input",
		[]string{"--int-min", "--int-max", "--float-min", "--float-max"}},
	{"modelparity inspect MODEL --full shows a model as text, and netron.app draws one", []string{
		"--visual", "--visual-port", "-p", "--save-visual"}},
	{"modelparity convert builds an engine, and modelparity inspect ENGINE --full shows its layers",
		[]string{"--display-as", "--convert-to"}},
	{"modelparity inspect data FILE shows the outputs and debug tensors that modelparity run saved " +
		"with --save-outputs FILE", []string{"--combine-tensor-info"}},
	{"--tf runs a model with TensorFlow's defaults and returns the tensors that no operation reads; " +
		"for anything else, use a script with --model-runner",
		[]string{"--tftrt", "--use-tftrt", "--minimum-segment-size", "--dynamic-op",
			"--save-pb", "--save-tensorboard", "--freeze-graph",
			"--gpu-memory-fraction", "--allow-growth", "--xla", "--save-timeline", "--opset"}},
	{"write --data-loader-script FILE.py:FUNCTION", []string{"--data-loader-func-name"}},
	{"first rewrite the model with modelparity convert -o OUT.onnx, which accepts this flag", []string{
		"--fp-to-fp16", "--save-onnx", "--save-external-data", "--external-data-path",
		"--external-data-size-threshold", "--no-save-all-tensors-to-one-file", "--shape-inference",
		"--do-shape-inference", "--no-onnxruntime-shape-inference", "--external-data-dir",
		"--load-external-data", "--ext", "--ignore-external-data"}},
	{"end the command line with: --check modelparity run {} --trt --smoke ({} stands for the engine)",
		[]string{"--check-inference"}},
	{"this search cannot be resumed; only \"modelparity reduce --replay FILE\" saves its verdicts",
		[]string{"--load-debug-replay", "--save-debug-replay"}},
	{"modelparity surgeon changes a model, and modelparity inspect shows it",
		[]string{"--onnx-graphsurgeon"}},
}

// flagsOf returns all flags that a command knows. They include unsupported flags, of Polygraphy and
// of `modelparity run`, which are rejected with an explanation.
func flagsOf(command string, sections []section) []arguments.Flag {
	var list []arguments.Flag
	for _, s := range sections {
		list = append(list, s.flags...)
	}
	answer := func(with string, names ...string) {
		for _, name := range names {
			if !slices.ContainsFunc(list, func(own arguments.Flag) bool { return own.Spells(name) }) {
				list = append(list, arguments.Flag{Name: name, Arity: arguments.Any, Answer: with})
			}
		}
	}
	for _, group := range known {
		answer(group.answer, group.names...)
	}
	for _, s := range new(runRequest).sections() {
		for _, f := range s.flags {
			answer("is a flag of modelparity run, and has no effect on "+command,
				append([]string{f.Name}, f.Also...)...)
		}
	}
	return list
}
