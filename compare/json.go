package compare

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/modelparity/modelparity/internal/compound"
	"github.com/modelparity/modelparity/internal/jsonfloat"
	"github.com/modelparity/modelparity/tensor"
)

// MarshalJSON writes the verdict, the reason and the outputs. See [Output.MarshalJSON].
func (r Report) MarshalJSON() ([]byte, error) {
	type fields Report
	if r.Outputs == nil {
		r.Outputs = []Output{}
	}
	return json.Marshal(fields(r))
}

// jsonOutput begins with the keys that scripts need most; the remaining numbers are under
// "statistics".
type jsonOutput struct {
	Pair         *int        `json:"pair,omitempty"` // the index of its pair, in a Document
	Name         string      `json:"name"`
	ExpectedName string      `json:"expected_name,omitempty"`
	Iteration    int         `json:"iteration"`
	Verdict      Verdict     `json:"verdict"`
	Reason       string      `json:"reason"`
	Actual       *jsonTensor `json:"actual,omitempty"`
	Expected     *jsonTensor `json:"expected,omitempty"`
	Stat         *Stat       `json:"stat"`
	Atol         *float64    `json:"atol"`
	Rtol         *float64    `json:"rtol"`
	Elements     int         `json:"elements"`
	Mismatches   int         `json:"mismatches"`
	Abs          *Errors     `json:"abs"`
	Rel          *Errors     `json:"rel"`
	Checks       []Result    `json:"checks"`
	Statistics   *Statistics `json:"statistics,omitempty"`
}

type jsonTensor struct {
	Type  tensor.ElementType `json:"type"`
	Shape tensor.Shape       `json:"shape"`
	Value string             `json:"value,omitempty"` // the type of a sequence or a map
}

// MarshalJSON writes NaN and infinities as strings.
func (j jsonOutput) MarshalJSON() ([]byte, error) {
	type fields jsonOutput
	return json.Marshal(jsonfloat.Of((*fields)(&j)))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (j *jsonOutput) UnmarshalJSON(text []byte) error {
	type fields jsonOutput
	return json.Unmarshal(text, jsonfloat.Of((*fields)(j)))
}

// MarshalJSON writes the output with all its statistics, which it computes first:
//
//	{"name", "iteration", "verdict", "reason", "stat", "atol", "rtol", "elements", "mismatches",
//	 "abs": {"max", "mean", "median", "quantile", "max_at", …}, "rel": {…}, "checks": […], …}
//
// stat, atol and rtol come from the first check that has them. They are null, like abs and rel, if
// the values were not compared, for example because the output is missing on one side. NaN and
// infinities are written as the strings "NaN", "Infinity" and "-Infinity". mismatches is −1 if no
// check counts elements.
func (o Output) MarshalJSON() ([]byte, error) { return json.Marshal(o.json()) }

func (o Output) json() jsonOutput {
	s := o.Statistics()
	j := jsonOutput{Name: o.Name, Iteration: o.Iteration, Verdict: o.Verdict, Reason: o.Reason,
		Elements: s.Elements, Mismatches: s.Mismatches, Checks: append([]Result{}, o.Results...),
		Statistics: &s}
	j.Actual, j.Expected = o.kinds()
	if o.ExpectedName != o.Name {
		j.ExpectedName = o.ExpectedName
	}
	for _, r := range o.Results {
		if atol, rtol, ok := r.Check.Tolerances(); ok {
			stat := r.Check.Stat()
			j.Stat, j.Atol, j.Rtol = &stat, &atol, &rtol
			break
		}
	}
	if j.Stat == nil && len(o.Results) > 0 {
		stat := o.Results[0].Check.Stat()
		j.Stat = &stat
	}
	if s.Abs.Count > 0 || s.Elements == 0 && len(o.Results) > 0 {
		j.Abs, j.Rel = &s.Abs, &s.Rel
	}
	return j
}

// kinds returns the type and shape of each side, or nil for a side that does not have the output.
func (o Output) kinds() (actual, expected *jsonTensor) {
	actual, expected = o.stored.actual, o.stored.expected
	if o.Actual != nil {
		actual = jsonTensorOf(o.Actual, o.values.actual)
	}
	if o.Expected != nil {
		expected = jsonTensorOf(o.Expected, o.values.expected)
	}
	return actual, expected
}

// Kinds returns the element type and shape of each side, such as "float32[1,10]", or "" for a side
// that does not have the output. It also works for a report that was read from JSON.
func (o Output) Kinds() (actual, expected string) {
	a, e := o.kinds()
	if a != nil {
		actual = a.String()
	}
	if e != nil {
		expected = e.String()
	}
	return actual, expected
}

func jsonTensorOf(t *tensor.Tensor, value *tensor.Value) *jsonTensor {
	j := &jsonTensor{Type: t.ElementType(), Shape: t.Shape()}
	if value != nil {
		j.Value = compound.TypeName(value)
	}
	return j
}

func (t jsonTensor) String() string {
	if t.Value != "" {
		return fmt.Sprintf("%s%v", t.Value, t.Shape)
	}
	return fmt.Sprintf("%v%v", t.Type, t.Shape)
}

// UnmarshalJSON reads the JSON that MarshalJSON wrote. The JSON does not contain the tensors.
func (o *Output) UnmarshalJSON(text []byte) error {
	var j jsonOutput
	if err := json.Unmarshal(text, &j); err != nil {
		return fmt.Errorf("compare: invalid output in a report: %w", err)
	}
	*o = j.output()
	return nil
}

func (j jsonOutput) output() Output {
	o := Output{Name: j.Name, ExpectedName: cmp.Or(j.ExpectedName, j.Name), Iteration: j.Iteration,
		Verdict: j.Verdict, Reason: j.Reason, Results: j.Checks}
	s := noStatistics()
	if j.Statistics != nil {
		unknown := s.Abs
		s = *j.Statistics
		s.Abs, s.Rel = unknown, unknown
	}
	s.Elements, s.Mismatches = j.Elements, j.Mismatches
	if j.Abs != nil && j.Rel != nil {
		s.Abs, s.Rel = *j.Abs, *j.Rel
	}
	o.known = &s
	o.stored.actual, o.stored.expected = j.Actual, j.Expected
	return o
}
