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
	"Options.Rule": onlyGo, "compare.Fail": onlyGo, "compare.Pass": onlyGo, "compare.Within": onlyGo,
	"decisions.MeanKLD": onlyGo, "decode.Run": onlyGo, "noise.Of": onlyGo, "ort.Engine": onlyGo,
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
			if name = of + "." + name; !slices.Contains(packages, of) || strings.Contains(text, "--") {
				continue
			}
			replaced := withFlags(errors.New(found), flags, nil).Error() != found
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
				if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					if text, err := strconv.Unquote(literal.Value); err == nil && strings.Contains(text, " ") {
						check(text)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
