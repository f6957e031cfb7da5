package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
)

// polygraphyFlags reads a list of flags: in flags.txt every one of `polygraphy run` 0.53.6 and
// flags that documents about it made up; flags-convert.txt has the flags of `polygraphy convert`.
func polygraphyFlags(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			names = append(names, line)
		}
	}
	return names
}

func TestEveryFlagOfPolygraphyIsKnown(t *testing.T) {
	for _, command := range []struct {
		name  string
		flags []flag
		file  string
		least int
	}{
		{"run", requests["run"](), "flags.txt", 180},
		{"compare", requests["compare"](), "flags.txt", 180},
		{"vote", requests["vote"](), "flags.txt", 180},
		{"convert", requests["convert"](), "flags-convert.txt", 110},
	} {
		names := polygraphyFlags(t, command.file)
		if len(names) < command.least {
			t.Fatalf("only %d flags are listed", len(names))
		}
		known := map[string]bool{}
		for _, f := range command.flags {
			for _, name := range append([]string{f.Name}, f.Also...) {
				if known[name] {
					t.Errorf("%s: %s is there twice", command.name, name)
				}
				known[name] = true
			}
			if f.Apply == nil && f.Answer == "" {
				t.Errorf("%s: %s neither does anything nor answers", command.name, f.Name)
			}
			if strings.Contains(f.Answer, "\n") {
				t.Errorf("%s: the answer of %s has more than one line", command.name, f.Name)
			}
		}
		for _, name := range names {
			if !known[name] {
				t.Errorf("%s does not know %s", command.name, name)
			}
		}
	}
}

// TestEveryFlagOfPolygraphysToolsIsKnown checks each command against the flags of the Polygraphy
// tool that it replaces. The page for users of Polygraphy names the rejected flags.
func TestEveryFlagOfPolygraphysToolsIsKnown(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "flags-tools.txt"))
	if err != nil {
		t.Fatal(err)
	}
	said, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(said), pageBegin) // the flags of run follow
	words := strings.FieldsFunc(before, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("`,;|", r)
	})
	tools, tool := map[string]int{}, ""
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "#"):
			continue
		case !strings.HasPrefix(line, " "):
			tool = strings.TrimSpace(line)
			continue
		}
		of, whole := requests[tool]
		if !whole { // its word is an argument
			of = requests[strings.Fields(tool)[0]]
		}
		for name := range strings.FieldsSeq(line) {
			tools[tool]++
			flags := of()
			i := slices.IndexFunc(flags, func(f flag) bool { return f.Spells(name) })
			switch {
			case i < 0:
				t.Errorf("%s does not know %s", tool, name)
			case flags[i].Apply == nil && !slices.Contains(words, name):
				t.Errorf("%s refuses %s, and %s does not say so: %s", tool, name, page, flags[i].Answer)
			}
		}
	}
	if len(tools) != 20 {
		t.Errorf("%d tools are listed: %v", len(tools), tools)
	}
}

// TestLoggingFlagsWorkInEveryCommand looks for those that every tool of Polygraphy has.
func TestLoggingFlagsWorkInEveryCommand(t *testing.T) {
	for command, flags := range requests {
		for _, name := range []string{"-v", "--verbose", "-q", "--quiet", "--silent", "--verbosity",
			"--log-format", "--log-file", "-h", "--help"} {
			if !slices.ContainsFunc(flags(), func(f flag) bool {
				return f.Spells(name) && f.Apply != nil
			}) {
				t.Errorf("%s lacks %s", command, name)
			}
		}
	}
}

// TestFlagsOfEnginesAreTaken gives every flag of an engine a sensible value. What the options do is
// specified in backends/flags and backends/trt.
func TestFlagsOfEnginesAreTaken(t *testing.T) {
	values := map[string]string{
		"--trt-min-shapes": "x:[1,2]", "--trt-opt-shapes": "x:[1,2]", "--trt-max-shapes": "x:[4,2]",
		"--calib-base-cls": "IInt8MinMaxCalibrator", "--quantile": "0.9",
		"--regression-cutoff": "0.9", "--layer-precisions": "conv:float16",
		"--tensor-dtypes": "x:float16", "--all-tensor-dtypes": "fp8", "--tensor-formats": "x:[CHW32]",
		"--pool-limit": "workspace:1G", "--workspace": "1G", "--weight-streaming-budget": "50%",
		"--optimization-profile": "0", "--builder-optimization-level": "5",
		"--max-aux-streams": "2", "--onnxrt-threads": "2", "--provider-options": "cuda:use_tf32=1",
		"--onnxrt-accuracy-level": "int8", "--onnxrt-config": "session.set_denormal_as_zero=1",
		"--graph-optimization-level": "basic", "--warm-up": "3", "--model-type": "onnx",
		"--openvino-precision": "bfloat16", "--openvino-execution-mode": "performance",
		"--subprocess-memory": "4G", "--subprocess-timeout": "60", "--process-timeout": "60",
		"--served-header":    "Authorization=TOKEN",
		"--openvino-threads": "2", "--openvino-property": "NUM_STREAMS=2",
		"--genai-threads": "2", "--precision-constraints": "obey",
		"--tiling-optimization-level": "fast", "--preview-features": "profile_sharing_0806",
		"--quantization-flags": "calibrate_before_fusion", "--profiling-verbosity": "detailed",
		"--hardware-compatibility-level": "ampere_plus", "--runtime-platform": "windows_amd64",
		"--allocation-strategy": "runtime", "--onnx-flags": "native_instancenorm",
	}
	count := func(r *running) (flags []flag) {
		runners, tensorrt := r.runners()
		for _, s := range append(runners, tensorrt, r.expected()) {
			flags = append(flags, s.flags...)
		}
		return flags
	}
	for i := range count(new(running)) {
		r := new(running)
		f, e := count(r)[i], &r.engines
		value, ok := values["--"+strings.TrimPrefix(strings.TrimPrefix(f.Name, "--expected-"), "--")]
		if !ok {
			value = "name"
		}
		words := []string{value}
		if f.Arity == arguments.None {
			words = nil
		}
		if err := f.Apply(words); err != nil {
			t.Errorf("%s %s: %v", f.Name, value, err)
		}
		if runs := slices.Contains(engineflags.Runners(), f.Name); runs != (len(e.Given()) == 1) {
			t.Errorf("%s names %q as what runs", f.Name, e.Given())
		}
	}
}
