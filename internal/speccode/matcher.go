package speccode

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
)

// Matcher returns the Go source of a matcher that applies the rule o. The caller adds the expected
// run.
func Matcher(o compare.Options) (string, error) {
	checks, err := codes(o.Checks)
	if err != nil {
		return "", err
	}
	text := "MatchOutputs(" + strings.Join(checks, ", ") + ")"
	if len(checks) > 0 && strings.HasPrefix(checks[0], "compare.Within(") {
		text = "MatchOutputs" + strings.TrimPrefix(checks[0], "compare.")
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
	o.Checks, o.PerOutput = nil, nil
	if options := Literal(o); options != "" {
		text += ".\n\t\tUnder(" + options + ")"
	}
	return text, nil
}

// Literal returns the Go source of a struct literal with the fields that are not zero, or "" if all
// are zero.
func Literal(of any) string {
	var fields []string
	value := reflect.ValueOf(of)
	for i := range value.NumField() {
		if field := value.Field(i); !field.IsZero() {
			fields = append(fields, fmt.Sprintf("%s: %#v", value.Type().Field(i).Name, field.Interface()))
		}
	}
	if fields == nil {
		return ""
	}
	return fmt.Sprintf("%T{%s}", of, strings.Join(fields, ", "))
}

// codes returns the Go source of each check.
func codes(checks []compare.Check) (list []string, err error) {
	for _, c := range checks {
		text, known := code(c)
		if !known {
			return nil, fmt.Errorf("the check %v cannot be written as Go source: add it to the spec by "+
				"hand", c)
		}
		list = append(list, text)
	}
	return list, nil
}

// code returns Go source that creates a check equal to c. The bool is false if there is no such
// source.
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

// stat returns the name of a statistic in package compare.
func stat(s compare.Stat) string {
	text := string(s)
	return strings.ToUpper(text[:1]) + text[1:]
}
