package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	trtflags "github.com/modelparity/modelparity/backends/trt/flags"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	compareflags "github.com/modelparity/modelparity/compare/flags"
)

// polygraphyFlags reads a list of flags: in flags.txt every one of `polygraphy run` 0.53.6 and
// those that documents about it made up, in flags-convert.txt those of `polygraphy convert`.
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
		{"run", runFlags(), "flags.txt", 180}, {"compare", compareFlags(), "flags.txt", 180},
		{"convert", convertFlags(), "flags-convert.txt", 110},
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

// TestFlagsAreThoseOfTheirRoom holds flags that a room makes options of to the list of the room.
func TestFlagsAreThoseOfTheirRoom(t *testing.T) {
	for _, room := range []struct {
		name        string
		ours, known []string
	}{
		{"compare/flags", names(comparisonFlags), compareflags.Names()},
		{"backends/trt/flags", append(names(engineFlags[1:]), "--engine-capability"), // of convert
			trtflags.Names()},
	} {
		slices.Sort(room.ours)
		if !slices.Equal(room.ours, room.known) {
			t.Errorf("%s knows %q, and the command has %q", room.name, room.known, room.ours)
		}
	}
}

// names lists the flags.
func names(flags []flag) []string {
	var list []string
	for _, f := range flags {
		list = append(list, f.Name)
	}
	return list
}

// TestFlagsOfTensorRTAreTaken gives every flag that TensorRT reads a sensible value. What the
// options do is specified in backends/trt.
func TestFlagsOfTensorRTAreTaken(t *testing.T) {
	values := map[string]string{
		"--trt-min-shapes": "x:[1,2]", "--trt-opt-shapes": "x:[1,2]", "--trt-max-shapes": "x:[4,2]",
		"--calib-base-cls": "IInt8MinMaxCalibrator", "--quantile": "0.9",
		"--regression-cutoff": "0.9", "--layer-precisions": "conv:float16",
		"--tensor-dtypes": "x:float16", "--all-tensor-dtypes": "fp8", "--tensor-formats": "x:[CHW32]",
		"--pool-limit": "workspace:1G", "--workspace": "1G", "--weight-streaming-budget": "50%",
		"--optimization-profile": "0", "--builder-optimization-level": "5",
		"--max-aux-streams": "2",
	}
	for _, f := range engineFlags {
		var r request
		value, ok := values[f.Name]
		if !ok {
			value = "name"
		}
		words := []string{value}
		if f.Arity == arguments.None {
			words = nil
		}
		if err := f.Apply(&r, words); err != nil {
			t.Errorf("%s %s: %v", f.Name, value, err)
		}
		if f.Name != "--trt" && !slices.Equal(r.trt.Given(), []string{f.Name}) {
			t.Errorf("%s is not noted as TensorRT's: %q", f.Name, r.trt.Given())
		}
	}
}

func TestProfilesAreThoseOfPolygraphy(t *testing.T) {
	const one = `trt.Engine(trt.Profile(trt.Range("x", []int{1, 2}, []int{1, 2}, []int{1, 2})))`
	for _, test := range []struct {
		flags []string // each with its value
		want  string
	}{
		{[]string{"--trt-min-shapes", "x:[1,2]"}, one}, // parity.md: min = opt = max
		{[]string{"--input-shapes", "x:[1,2]", "--trt-max-shapes", "x:[4,2]"},
			`trt.Engine(trt.Profile(trt.Range("x", []int{1, 2}, []int{1, 2}, []int{4, 2})))`},
		{[]string{"--trt-min-shapes", "x:[1,2]", "--trt-opt-shapes", "x:[2,2]",
			"--trt-min-shapes", "x:[1,2]", "--trt-max-shapes", "x:[3,2]", "--trt-max-shapes", "x:[5,2]"},
			`trt.Engine(trt.Profile(trt.Range("x", []int{1, 2}, []int{2, 2}, []int{3, 2})), ` +
				`trt.Profile(trt.Range("x", []int{1, 2}, []int{1, 2}, []int{5, 2})))`},
		{nil, "trt.Engine()"},
	} {
		var r request
		if _, err := arguments.Parse(convertFlags(), test.flags, &r); err != nil {
			t.Fatal(err)
		}
		engine, err := r.tensorrt("net.onnx")
		if err != nil || engine.GoString() != test.want {
			t.Errorf("%q gave %v, error %v; want %s", test.flags, engine.GoString(), err, test.want)
		}
	}
}
