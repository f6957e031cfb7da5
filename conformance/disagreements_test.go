package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/tensor"
)

// These are cases in which engines disagree although none rejects the model. ONNX's expected
// outputs, ONNX Runtime, OpenVINO and tract are compared in pairs with the tolerances of ONNX's
// runner. testdata/disagreements.tsv lists such cases with the wrong side and the evidence.

// voters are the engines to compare.
var voters = []nodeEngine{onORT, onOpenVINO, onTract}

// onnx is the voter with ONNX's expected outputs.
const onnx = "onnx"

// differ is the stage of a case in which engines disagree.
const differ stage = "differ"

// disagreements is the path of the list.
const disagreements = "testdata/disagreements.tsv"

func TestEnginesAgreeOnNodeCases(t *testing.T) {
	// Also run models of opsets that ONNX Runtime considers unfinished, to compare more engines.
	t.Setenv("ALLOW_RELEASED_ONNX_OPSET_ONLY", "0")
	if serves(t, together) {
		return
	}
	ort.Require(t)
	openvino.Require(t)
	tract.Require(t)
	cases := archived(t)
	got := outcomesOf(t, cases)
	recordDisagreements(t, got)
	listed, err := readDisagreements(disagreements)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(cases) {
		t.Errorf("%d of %d cases have an outcome", len(got), len(cases))
	}
	for _, o := range got {
		if o.Version != "" {
			t.Skipf("%s is about other versions than %s", disagreements, o.Version)
		}
		if o.Stage != differ && o.Stage != passes {
			t.Errorf("%s: %s: %s", o.Case, o.Stage, o.Why)
		} else if o.Why != listed[o.Case].camps {
			t.Errorf("%s: camps %q, listed as %q", o.Case, o.Why, listed[o.Case].camps)
		}
	}
}

// together runs a case on all voters and groups their outputs into camps. The case passes if all
// agree or fewer than two engines run it.
func together(ctx context.Context, c testCase) outcome {
	expected, err := c.expected()
	if err != nil {
		return outcome{Stage: broken, Why: err.Error()}
	}
	names, outputs := []string{onnx}, [][]*tensor.Set{{expected}}
	for _, on := range voters {
		if result, _ := on.run(ctx, c); result != nil {
			if version := result.Provenance.Version; version != versions[on.name] {
				return outcome{Stage: broken, Version: on.title + " " + version}
			}
			names, outputs = append(names, on.name), append(outputs, result.Outputs())
		}
	}
	if len(names) < 3 {
		return outcome{Stage: passes}
	}
	camps, err := campsOf(names, func(a, b int) (bool, error) {
		return tolerances(outputs[a][0]).Of(outputs[a][0]).Match(outputs[b])
	})
	switch {
	case err != nil:
		return outcome{Stage: broken, Why: err.Error()}
	case len(camps) == 1:
		return outcome{Stage: passes}
	}
	return outcome{Stage: differ, Why: strings.Join(camps, " | ")}
}

// campsOf groups the voters. Each joins the first camp in which it agrees with all members: "onnx
// ort | openvino".
func campsOf(names []string, agree func(a, b int) (bool, error)) ([]string, error) {
	var camps [][]int
	for v := range names {
		joined := false
		for i, camp := range camps {
			all := true
			for _, other := range camp {
				ok, err := agree(other, v)
				if err != nil {
					return nil, err
				}
				all = all && ok
			}
			if all {
				camps[i], joined = append(camp, v), true
				break
			}
		}
		if !joined {
			camps = append(camps, []int{v})
		}
	}
	var texts []string
	for _, camp := range camps {
		var members []string
		for _, v := range camp {
			members = append(members, names[v])
		}
		texts = append(texts, strings.Join(members, " "))
	}
	return texts, nil
}

// disagreement is a line of the list.
type disagreement struct{ camps, wrong, evidence string }

// readDisagreements reads the list.
func readDisagreements(path string) (map[string]disagreement, error) {
	head := "case, camps, wrong side and evidence"
	return readList(path, head, func(c []string) (disagreement, error) {
		d := disagreement{c[1], c[2], c[3]}
		if d.evidence == "" {
			return d, errors.New("the evidence is missing")
		}
		for wrong := range strings.SplitSeq(d.wrong, ", ") {
			if wrong != "nobody" && !slices.Contains(strings.Fields(d.camps), wrong) {
				return d, fmt.Errorf("%s is wrong, but is in no camp", wrong)
			}
		}
		return d, nil
	})
}

// recordDisagreements writes the observed disagreements without the last two columns.
func recordDisagreements(t *testing.T, got []outcome) {
	folder := os.Getenv(recordVariable)
	if folder == "" {
		return
	}
	var text strings.Builder
	for _, o := range got {
		if o.Stage == differ {
			fmt.Fprintf(&text, "%s\t%s\t\t\n", o.Case, o.Why)
		}
	}
	path := filepath.Join(folder, filepath.Base(disagreements))
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Error(err)
	}
}

func TestCamps(t *testing.T) {
	for _, row := range []struct {
		agree string // the pairs
		want  []string
	}{
		{"ab ac bc", []string{"a b c"}}, {"ac", []string{"a c", "b"}}, {"", []string{"a", "b", "c"}},
		{"ab bc", []string{"a b", "c"}}, // c agrees only with b
	} {
		names := []string{"a", "b", "c"}
		got, err := campsOf(names, func(x, y int) (bool, error) {
			return strings.Contains(row.agree, names[x]+names[y]), nil
		})
		if err != nil || !slices.Equal(got, row.want) {
			t.Errorf("%q: %q, want %q: %v", row.agree, got, row.want, err)
		}
	}
}
