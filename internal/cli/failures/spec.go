package failures

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/speccode"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// spec describes a generated spec. Either judge is set, or the other fields are.
type spec struct {
	// actual and expected are the engines of the two sides. The generated spec contains their Go
	// source.
	actual, expected backends.Engine
	// expectedModel is the model of the expected side, or nil if both sides have the same model.
	expectedModel *loaders.Model
	// rule is the rule for comparing the two sides, as in [locate.Differs]: atol and rtol, with one
	// or more statistics.
	rule compare.Options
	// judge is the user's command, which accepts or rejects the model.
	judge *locate.JudgeCommand
}

func inputsFile(model string) string   { return model + ".inputs.json" }
func specFile(model string) string     { return stem(model) + "_test.go" }
func expectedFile(model string) string { return stem(model) + ".expected.onnx" }
func stem(model string) string         { return strings.TrimSuffix(model, ".onnx") }

// text returns the source of the spec for the model in file. The spec is in the same folder as the
// model.
func (s spec) text(file string) ([]byte, error) {
	var text []byte
	var err error
	if s.judge != nil {
		text, err = s.judging(file)
	} else {
		text, err = s.comparing(file)
	}
	if err != nil {
		return nil, fmt.Errorf("locate: spec: %w", err)
	}
	return text, nil
}

const about = "Reproduces a failure with only the nodes that it needs."

// comparing returns the source of a spec that compares two sides. NaN equals NaN, as in
// [locate.Differs].
func (s spec) comparing(file string) ([]byte, error) {
	for _, check := range s.rule.Checks {
		atol, rtol, _ := check.Tolerances()
		if check != compare.Within(atol, rtol, check.Stat()) {
			return nil, fmt.Errorf("a generated spec can use only atol and rtol, got %v", check)
		}
	}
	if len(s.rule.Checks) == 0 {
		return nil, errors.New("the rule has no checks")
	}
	other, differ := file, s.expectedModel != nil // different models may have different types
	if differ {
		other = expectedFile(file)
	}
	return speccode.Spec{About: about, File: specFile(file), Run: runs(s.expected),
		Sides: []speccode.Side{{Test: "Reduced", Run: runs(s.actual), Engine: s.actual,
			Model: file}},
		Original: other, Cast: differ, Inputs: inputsFile(file), Reference: s.expected,
		Rule: compare.Options{Checks: s.rule.Checks, NaNEqual: true, InfinitiesEqual: true,
			AnyElementType: s.rule.AnyElementType || differ, AnyShape: s.rule.AnyShape}}.Source()
}

// runs returns the name of the function that a generated spec calls to run a part of the model in
// the engine.
func runs(e backends.Engine) string {
	if backends.CapabilitiesOf(e).Parts != nil {
		return "RunPart"
	}
	return "RunIn"
}

// judging returns the source of a spec that fails if the user's command rejects the model.
func (s spec) judging(file string) ([]byte, error) {
	_, name := speccode.Names(specFile(file))
	judge := speccode.Moved(code(s.judge), filepath.Dir(file))
	return speccode.File[backends.Engine](about, specFile(file),
		fmt.Sprintf(command, name, judge, filepath.Base(file)))
}

const command = `
func TestReduced_%s(t *testing.T) {
	judge := %s
	fails, err := judge.Judge(t.Context(), %q)
	if err != nil {
		t.Fatal(err)
	}
	if fails {
		t.Errorf("%%v: the failure still occurs", judge.Args)
	}
}
`

// code returns the Go source of the options of the user's command. It contains only options that
// decide the verdict, so it leaves out Artifacts, which only a search needs.
func code(k *locate.JudgeCommand) string {
	return speccode.Literal(locate.JudgeCommand{Args: k.Args, FailCodes: k.FailCodes,
		IgnoreFailCodes: k.IgnoreFailCodes, FailRegexes: k.FailRegexes})
}
