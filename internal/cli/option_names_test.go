package cli

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestErrorsNameFlagsInsteadOfGoOptions(t *testing.T) {
	flags := requests["run"]()
	for text, want := range map[string]string{
		"trt.PoolLimit(\"workspace\", f(1)): too large": "--pool-limit: too large",
		"SaveTactics excludes LoadTactics":              "--save-tactics excludes --load-tactics",
		"no answer (isolated.Patience)":                 "no answer (--subprocess-timeout)",
		"openvino.Precision(openvino.Own) accepts it":   "--openvino-precision own accepts it",
		"process.Timeout, or --process-timeout":         "process.Timeout, or --process-timeout",
		"Node (TopK_1) Op (TopK) needs k":               "Node (TopK_1) Op (TopK) needs k",
		"pair them with Options.Names or Options.ByPosition; NaN needs NaNEqual": "pair them with " +
			"--output-names or --output-names by-position; NaN needs --nans-compare-equal",
		"Options.Only or Options.Except leaves it out": "--only or --except leaves it out",
		"decode.Mapped(decode.Names{…})":               "decode.Mapped(decode.Names{…})",
		"MatMulNBits in ONNX Runtime, TensorRT":        "MatMulNBits in ONNX Runtime, TensorRT",
	} {
		cause := errors.New(text)
		err := withFlags(cause, flags, nil)
		if err.Error() != want || !errors.Is(err, cause) {
			t.Errorf("%q becomes %q, not %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"decode one token per step: decode.Steps(1)": "decode one token per step: --steps 1",
		"decode.TopK asks for 9 tokens":              "--top-k asks for 9 tokens",
	} {
		if err := withFlags(errors.New(text), requests["decode"](), nil); err.Error() != want {
			t.Errorf("%q becomes %q, not %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"make the run with decode.Run": "make the run with --tokens",
		"make it with decode.Stream":   "make it with --frames",
		`axis: Along("*", 0), or Along(input, axis) for each input`: "axis: --batch-axis 0, or " +
			"--batch-axis INPUT:AXIS for each input",
	} {
		if err := withFlags(errors.New(text), requests["relations"](), nil); err.Error() != want {
			t.Errorf("%q becomes %q, not %q", text, err, want)
		}
	}
	if err := withFlags(nil, flags, nil); err != nil {
		t.Error(err)
	}
	_, _, stderr := modelparity(t, "run", "testdata/polygraphy/models/fp32_gemm.onnx", "--onnxrt",
		"--smoke", "--providers", "cpu", "cpu")
	if !strings.HasPrefix(stderr, "modelparity: run: onnxruntime: --providers lists cpu before ") {
		t.Error(stderr)
	}
}

func TestErrorsNameTheSideThatAFlagIsFor(t *testing.T) {
	const own, expected = "--custom-ops", "--expected-custom-ops"
	flags := requests["locate"]()
	for _, c := range []struct {
		given map[string][]string
		want  string
	}{
		{map[string][]string{own: {"x.so"}}, own},
		{map[string][]string{expected: {"x.so"}}, expected},
		{map[string][]string{own: {"x.so"}, expected: {"y.so"}}, own},
		{map[string][]string{own: {"y.so"}, expected: {"x.so"}}, expected},
		{map[string][]string{own: {"x.so"}, expected: {"x.so"}}, own},
	} {
		err := withFlags(errors.New(`a.onnx in onnxruntime CustomOps(x.so): ort.CustomOps("x.so"): no`),
			flags, c.given)
		if want := "a.onnx in onnxruntime CustomOps(x.so): " + c.want + ": no"; err.Error() != want {
			t.Errorf("%v: got %q, want %q", c.given, err, want)
		}
	}
}

// goOnly lists Go names in messages that stand for no flag, each with the reason.
var goOnly = map[string]string{
	"Options.Measure": onlyGo, "Options.Rule": onlyGo,
	"compare.Fail": onlyGo, "compare.Pass": onlyGo, "compare.Within": onlyGo,
	"decisions.MeanKLD": onlyGo, "noise.Of": onlyGo, "ort.Engine": onlyGo,
	"ort.Library": onlyGo, "served.Generate": onlyGo,
	"ort.Release": onlyGo, "ort.Require": onlyGo, "process.Command": onlyGo, "process.File": onlyGo,
	"process.ONNXReference": onlyGo, "process.PyTorch": onlyGo, "process.Script": onlyGo,
	"process.TensorFlow": onlyGo, "relations.Batch": onlyGo, "served.Completions": onlyGo,
	"trt.Library":             onlyGo,
	"compare.SNR":             "the message names --compare snr",
	"decode.Mapped":           "only a spec can name the tensors of a decoder",
	"trt.Calibrate":           "the inputs of a run calibrate",
	"trt.EngineCache":         "the message names the environment variable",
	"trt.EditableTimingCache": "no flag sets it",
	"trt.Values":              "only a spec can give a profile the values of shape inputs",
}

// bothNamed lists the options that messages name together with their flags: the messages are parts
// of results, which every surface prints as they are, or the flag is Polygraphy's own.
var bothNamed = []string{"InfinitiesEqual", "NaNEqual", "trt.PrecisionConstraints(trt.Obey)",
	`trt.LayerPrecision("*", tensor.Float16)`, "trt.SaveTactics"}

// literalText returns the text of a string literal, or of several that are added up, or "".
func literalText(n ast.Node) string {
	switch n := n.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(n.Value) // numbers have none
		return text
	case *ast.BinaryExpr:
		if a, b := literalText(n.X), literalText(n.Y); a != "" && b != "" {
			return a + b
		}
	}
	return ""
}

const onlyGo = "the flags do not allow this mistake"

// TestMessagesOfThePackagesBelowNameOptionsThatHaveFlags looks at every message that a command may
// print.
func TestMessagesOfThePackagesBelowNameOptionsThatHaveFlags(t *testing.T) {
	var flags []flag
	for _, of := range requests {
		flags = append(flags, of()...)
	}
	packages := []string{"Options", "compare", "decisions", "decode", "edit", "fixtures", "genai",
		"golden", "isolated", "loaders", "locate", "noise", "openvino", "ort", "precision", "process",
		"relations", "runs", "search", "served", "tract", "trt"}
	check := func(text string) {
		for _, found := range goOption.FindAllString(text, -1) {
			of, name, _ := strings.Cut(found, ".")
			name, _, _ = strings.Cut(name, "(")
			named := withFlags(errors.New(found), flags, nil).Error()
			replaced := named != found
			flag, _, _ := strings.Cut(named, " ")
			if replaced && strings.Contains(text, flag) && !slices.Contains(bothNamed, found) {
				t.Errorf("%q names both %s and %s: drop the flag, which replaces the option", text, found, flag)
			}
			if name = of + "." + name; !slices.Contains(packages, of) || strings.Contains(text, "--") {
				continue
			}
			if _, known := goOnly[name]; known == replaced {
				t.Errorf("%s in %q: map it to a flag in optionFlags, or explain it in goOnly", name, text)
			}
		}
	}
	root := filepath.Join("..", "..")
	for _, folder := range []string{"backends", "compare", "decode", "fixtures", "golden", "internal",
		"loaders", "locate", "noise", "precision", "relations", "runs"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry,
			err error) error {
			if d.IsDir() && slices.Contains([]string{"testdata", "testing", "cli", "speccode"}, d.Name()) {
				return fs.SkipDir
			}
			if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				text := literalText(n)
				if strings.Contains(text, " ") {
					check(text)
				}
				return text == ""
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
