package script

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/compare"
)

// matcher returns the Go source of the matcher for each run, without the expected side.
func (s Spec) matcher() (string, error) {
	o := s.Rule
	switch {
	case len(s.Engines)+len(s.Saved) == 1:
		return "BeFinite()", nil
	case s.Noise:
		return "MatchWithinNoise()", nil
	case len(o.Checks) == 0:
		return "", errors.New("no rule to compare by")
	}
	checks, err := codes(o.Checks)
	if err != nil {
		return "", err
	}
	text := "MatchOutputs(" + strings.Join(checks, ", ") + ")"
	if within, first := strings.CutPrefix(checks[0], "compare.Within("); first {
		text = "MatchOutputsWithin(" + within
		if len(checks) > 1 {
			text += ".\n\t\tWith(" + strings.Join(checks[1:], ", ") + ")"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.PerOutput)) {
		checks, err := codes(o.PerOutput[name])
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf(".\n\t\tForOutputWith(%q, %s)", name, strings.Join(checks, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(o.TopK)) {
		text += fmt.Sprintf(".\n\t\tTopK(%q, %d, %d)", name, o.TopK[name].K, o.TopK[name].Axis)
	}
	if len(o.Names) > 0 {
		text += fmt.Sprintf(".\n\t\tWithNames(%#v)", o.Names)
	}
	text += chosen("Only", o.Only) + chosen("Except", o.Except)
	for _, option := range []struct {
		method string
		on     bool
	}{{"NaNEqual", o.NaNEqual}, {"InfinitiesEqual", o.InfinitiesEqual},
		{"AnyElementType", o.AnyElementType}, {"AnyShape", o.AnyShape}, {"Averaged", o.Average},
		{"FailFast", o.FailFast}, {"Finite", o.Finite}, {"AllowEmpty", o.AllowEmpty}} {
		if option.on {
			text += "." + option.method + "()"
		}
	}
	return text, nil
}

// chosen returns a method call with names of outputs, or "" if there are none.
func chosen(method string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return ".\n\t\t" + method + "(" + strings.Join(quoted, ", ") + ")"
}

// codes returns checks as Go source.
func codes(checks []compare.Check) (list []string, err error) {
	for _, c := range checks {
		text, known := code(c)
		if !known {
			return nil, fmt.Errorf("%v cannot be written in Go here; add it to the spec by hand", c)
		}
		list = append(list, text)
	}
	return list, nil
}

// code returns a check as Go source: the constructor call that results in an equal check.
func code(c compare.Check) (string, bool) {
	atol, rtol, _ := c.Tolerances()
	limit := c.Limit()
	n := int(limit)
	for _, call := range []struct {
		check compare.Check
		text  string
	}{
		{compare.Within(atol, rtol, c.Stat()), fmt.Sprintf("Within(%v, %v, %s)", atol, rtol,
			stat(c.Stat()))},
		{compare.WithinSum(atol, rtol), fmt.Sprintf("WithinSum(%v, %v)", atol, rtol)},
		{compare.Defaults(), "Defaults()"},
		{compare.L2(limit), fmt.Sprintf("L2(%v)", limit)},
		{compare.CosineSimilarity(limit), fmt.Sprintf("CosineSimilarity(%v)", limit)},
		{compare.PSNR(limit), fmt.Sprintf("PSNR(%v)", limit)},
		{compare.SNR(limit), fmt.Sprintf("SNR(%v)", limit)},
		{compare.NormRelative(limit), fmt.Sprintf("NormRelative(%v)", limit)},
		{compare.KL(limit), fmt.Sprintf("KL(%v)", limit)},
		{compare.ULP(n), fmt.Sprintf("ULP(%d)", n)},
		{compare.Indices(n), fmt.Sprintf("Indices(%d)", n)},
	} {
		if c == call.check {
			return "compare." + call.text, true
		}
	}
	return "", false
}

// stat returns a statistic's name in package compare.
func stat(s compare.Stat) string {
	text := string(s)
	return strings.ToUpper(text[:1]) + text[1:]
}
