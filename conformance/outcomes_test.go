package conformance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// outcomes are the stages and reasons of the cases that do not pass.
type outcomes map[string]outcome

// stages are the valid stages in a list.
var stages = []stage{load, parser, build, run, mismatch, crash, timeout}

func stageNames() string {
	var names []string
	for _, s := range stages {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// readOutcomes reads the list for an engine's version.
func readOutcomes(path string) (outcomes, error) {
	return readList(path, "case, stage and reason", func(c []string) (outcome, error) {
		o := outcome{Case: c[0], Stage: stage(c[1]), Why: c[2]}
		if !slices.Contains(stages, o.Stage) {
			return o, fmt.Errorf("unknown stage %s; want one of %v", o.Stage, stages)
		}
		return o, nil
	})
}

// surprises lists deviations from the list: cases that reach another stage, and unlisted cases that
// fail.
func (listed outcomes) surprises(got []outcome) []string {
	var surprises []string
	for _, o := range got {
		expected := outcome{Stage: passes, Why: "it is not listed"}
		if l, ok := listed[o.Case]; ok {
			expected = l
		}
		if o.Stage != expected.Stage {
			surprises = append(surprises, fmt.Sprintf("%s: %s, expected %s (%s): %s", o.Case, o.Stage,
				expected.Stage, expected.Why, o.reason()))
		}
	}
	return surprises
}

// reason returns the reason for a failure in one line.
func (o outcome) reason() string {
	text := o.Why
	if _, after, ok := strings.Cut(text, "rejects the model: "); ok {
		text, _, _ = strings.Cut(after, "; TensorRT says:")
	}
	// TensorRT's log and a failure's first table are more informative than the line above them.
	for _, mark := range []string{"TensorRT says:\n", "FAIL  "} {
		if _, after, ok := strings.Cut(text, mark); ok {
			text, _, _ = strings.Cut(after, "\n")
		}
	}
	text = strings.Join(strings.Fields(text), " ")
	if _, after, ok := strings.Cut(text, "API Usage Error ("); ok { // skip the function
		text = strings.TrimSuffix(after, ")")
	}
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:199]) + "…"
	}
	return text
}

func TestOutcomes(t *testing.T) {
	listed, err := readOutcomes("testdata/tensorrt-10.6.0.26.tsv")
	if err != nil {
		t.Fatal(err)
	}
	if len(listed) == 0 || listed["test_triu"].Stage != mismatch {
		t.Errorf("%d cases, test_triu %+v", len(listed), listed["test_triu"])
	}
	got := []outcome{{Case: "test_triu", Stage: mismatch}, {Case: "test_abs", Stage: passes}}
	if surprises := listed.surprises(got); len(surprises) > 0 {
		t.Errorf("as listed, but %q", surprises)
	}
	for _, row := range []struct {
		name string
		got  outcome
		want string
	}{
		{"a listed case passes", outcome{Case: "test_triu", Stage: passes},
			"test_triu: pass, expected mismatch (the parser takes 0 for the default of upper"},
		{"a case gets less far", outcome{Case: "test_triu", Stage: crash, Why: "signal 11"},
			"test_triu: crash, expected mismatch"},
		{"an unlisted case fails", outcome{Case: "test_abs", Stage: run, Why: "no"},
			"test_abs: run, expected pass (it is not listed): no"},
	} {
		s := listed.surprises([]outcome{row.got})
		if len(s) != 1 || !strings.HasPrefix(s[0], row.want) {
			t.Errorf("%s: %q", row.name, s)
		}
	}
}

func TestReason(t *testing.T) {
	for _, row := range []struct{ why, want string }{
		{"tensorrt: m: the ONNX parser rejects the model: no (Abs); TensorRT says:\n\tlong", "no (Abs)"},
		{"tensorrt: m: returned no engine; TensorRT says:\n\tError Code 4\n\tmore", "Error Code 4"},
		{"Expected\n  a\nto match\n  b\nFAIL  y  int8[1]  1 of 1\n  more", "y int8[1] 1 of 1"},
		{"plain", "plain"},
		{"no engine; TensorRT says:\n\tIBuilder::build: Error Code 4: API Usage Error (x: bad)",
			"x: bad"},
		{strings.Repeat("ä", 201), strings.Repeat("ä", 199) + "…"},
	} {
		if got := (outcome{Why: row.why}).reason(); got != row.want {
			t.Errorf("%q: %q, want %q", row.why, got, row.want)
		}
	}
}
