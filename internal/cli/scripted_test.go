package cli

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// judgedByScript holds a run of 1 and 2 to one of 1 and 5.
func judgedByScript(t *testing.T, verdicts func(a, e float32) map[string]process.ScriptVerdict) (
	compare.Report, error) {
	run := func(values ...float32) *backends.Run {
		made := backends.NewRun(backends.Provenance{})
		for _, v := range values {
			set, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of(v)})
			if err != nil {
				t.Fatal(err)
			}
			made.Append(backends.Iteration{Outputs: set})
		}
		return made
	}
	script := func(actual, expected *tensor.Set) (map[string]process.ScriptVerdict, error) {
		return verdicts(float32(actual.At(0).Tensor.Float64At(0)),
			float32(expected.At(0).Tensor.Float64At(0))), nil
	}
	return scripted(script, compare.Options{})(run(1, 2), run(1, 5))
}

func TestAScriptJudgesEachOutputOfEachIteration(t *testing.T) {
	g := NewWithT(t)
	report, err := judgedByScript(t, func(a, e float32) map[string]process.ScriptVerdict {
		if a != e {
			return map[string]process.ScriptVerdict{"y": {Text: "they differ"}}
		}
		return map[string]process.ScriptVerdict{"y": {Passed: true}}
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report.Verdict).To(Equal(compare.Fail))
	g.Expect(report.Outputs).To(HaveLen(2))
	g.Expect(report.Outputs[0].Verdict).To(Equal(compare.Pass))
	g.Expect(report.Outputs[1].Reason).To(ContainSubstring("they differ"))
}

func TestAScriptMustJudgeEveryOutputAndNoOther(t *testing.T) {
	g := NewWithT(t)
	_, err := judgedByScript(t, func(float32, float32) map[string]process.ScriptVerdict { return nil })
	g.Expect(err).To(MatchError(ContainSubstring("the script did not judge this output")))
	_, err = judgedByScript(t, func(float32, float32) map[string]process.ScriptVerdict {
		return map[string]process.ScriptVerdict{"z": {Passed: true}}
	})
	g.Expect(err).To(MatchError(ContainSubstring(
		`the script judged output "z", but the outputs are [y]`)))
}
