package compare

import (
	"encoding/json"
	"fmt"

	"github.com/modelparity/modelparity/internal/compound"
	"github.com/modelparity/modelparity/internal/jsonfloat"
	"github.com/modelparity/modelparity/tensor"
)

// float is a float64 that can be written to JSON even if it is NaN or infinite.
type float = jsonfloat.Float

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
	Pair         *int         `json:"pair,omitempty"` // the index of its pair, in a Document
	Name         string       `json:"name"`
	ExpectedName string       `json:"expected_name,omitempty"`
	Iteration    int          `json:"iteration"`
	Verdict      Verdict      `json:"verdict"`
	Reason       string       `json:"reason"`
	Actual       *jsonTensor  `json:"actual,omitempty"`
	Expected     *jsonTensor  `json:"expected,omitempty"`
	Stat         *Stat        `json:"stat"`
	Atol         *float       `json:"atol"`
	Rtol         *float       `json:"rtol"`
	Elements     int          `json:"elements"`
	Mismatches   int          `json:"mismatches"`
	Abs          *jsonErrors  `json:"abs"`
	Rel          *jsonErrors  `json:"rel"`
	Checks       []jsonResult `json:"checks"`
	Statistics   *jsonRest    `json:"statistics,omitempty"`
}

type jsonTensor struct {
	Type  tensor.ElementType `json:"type"`
	Shape tensor.Shape       `json:"shape"`
	Value string             `json:"value,omitempty"` // the type of a sequence or a map
}

// jsonRest holds the fields of Statistics that jsonOutput does not have.
type jsonRest struct {
	Actual    Census         `json:"actual"`
	Expected  Census         `json:"expected"`
	FiniteAbs jsonErrors     `json:"finite_abs"`
	FiniteRel jsonErrors     `json:"finite_rel"`
	Where     string         `json:"where,omitempty"`
	Values    *jsonSides     `json:"values,omitempty"`
	Worst     []jsonElement  `json:"worst,omitempty"`
	Window    *Window        `json:"window,omitempty"`
	Required  []jsonRequired `json:"required,omitempty"`
}

// jsonSides describes the values of both sides.
type jsonSides struct {
	Actual   jsonSideValues `json:"actual"`
	Expected jsonSideValues `json:"expected"`
}

type jsonSideValues struct {
	Mean   float `json:"mean"`
	StdDev float `json:"std"`
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
		Elements: s.Elements, Mismatches: s.Mismatches, Checks: []jsonResult{}}
	j.Actual, j.Expected = o.kinds()
	if o.ExpectedName != o.Name {
		j.ExpectedName = o.ExpectedName
	}
	for _, r := range o.Results {
		j.Checks = append(j.Checks, jsonResult{r.Check, r.Verdict, float(r.Abs), float(r.Rel),
			float(r.Value), float(r.Limit), r.Mismatches, r.of, r.Text})
	}
	for _, r := range o.Results {
		if atol, rtol, ok := r.Check.Tolerances(); ok {
			stat := r.Check.Stat()
			j.Stat, j.Atol, j.Rtol = &stat, (*float)(&atol), (*float)(&rtol)
			break
		}
	}
	if j.Stat == nil && len(o.Results) > 0 {
		stat := o.Results[0].Check.Stat()
		j.Stat = &stat
	}
	if s.Abs.Count > 0 || s.Elements == 0 && len(o.Results) > 0 {
		j.Abs, j.Rel = s.Abs.json(), s.Rel.json()
	}
	j.Statistics = &jsonRest{Actual: s.Actual, Expected: s.Expected, FiniteAbs: *s.FiniteAbs.json(),
		FiniteRel: *s.FiniteRel.json(), Where: s.Where}
	for _, e := range s.Worst {
		j.Statistics.Worst = append(j.Statistics.Worst, e.json())
	}
	for _, n := range s.Required {
		j.Statistics.Required = append(j.Statistics.Required,
			jsonRequired{n.Check, float(n.Atol), float(n.Rtol), float(n.Limit)})
	}
	if a, e := s.ActualValues, s.ExpectedValues; a.Mean == a.Mean || e.Mean == e.Mean {
		j.Statistics.Values = &jsonSides{jsonSideValues{float(a.Mean), float(a.StdDev)},
			jsonSideValues{float(e.Mean), float(e.StdDev)}}
	}
	if len(s.Worst) > 0 {
		j.Statistics.Window = &s.Window
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
		return fmt.Errorf("compare: an output of a report: %w", err)
	}
	*o = j.output()
	return nil
}

func (j jsonOutput) output() Output {
	o := Output{Name: j.Name, ExpectedName: j.Name, Iteration: j.Iteration, Verdict: j.Verdict,
		Reason: j.Reason}
	for _, r := range j.Checks {
		o.Results = append(o.Results, Result{Check: r.Check, Verdict: r.Verdict, Abs: float64(r.Abs),
			Rel: float64(r.Rel), Value: float64(r.Value), Limit: float64(r.Limit), Text: r.Text,
			Mismatches: r.Mismatches, of: r.Of})
	}
	if j.ExpectedName != "" {
		o.ExpectedName = j.ExpectedName
	}
	s := noStatistics()
	s.Elements, s.Mismatches = j.Elements, j.Mismatches
	if j.Abs != nil && j.Rel != nil {
		s.Abs, s.Rel = j.Abs.errors(), j.Rel.errors()
	}
	if rest := j.Statistics; rest != nil {
		s.Actual, s.Expected = rest.Actual, rest.Expected
		s.FiniteAbs, s.FiniteRel = rest.FiniteAbs.errors(), rest.FiniteRel.errors()
		s.Where = rest.Where
		for _, e := range rest.Worst {
			s.Worst = append(s.Worst, e.element())
		}
		for _, n := range rest.Required {
			s.Required = append(s.Required,
				Required{n.Check, float64(n.Atol), float64(n.Rtol), float64(n.Limit)})
		}
		if v := rest.Values; v != nil {
			s.ActualValues = SideValues{float64(v.Actual.Mean), float64(v.Actual.StdDev)}
			s.ExpectedValues = SideValues{float64(v.Expected.Mean), float64(v.Expected.StdDev)}
		}
		if rest.Window != nil {
			s.Window = *rest.Window
		}
	}
	o.known = &s
	o.stored.actual, o.stored.expected = j.Actual, j.Expected
	return o
}

type jsonErrors struct {
	Count     int   `json:"count"`
	Max       float `json:"max"`
	MaxAt     []int `json:"max_at"`
	Mean      float `json:"mean"`
	Median    float `json:"median"`
	P90       float `json:"p90"`
	P95       float `json:"p95"`
	P99       float `json:"p99"`
	Quantile  float `json:"quantile"`
	Histogram []int `json:"histogram,omitempty"`
}

func (e *Errors) json() *jsonErrors {
	at := e.MaxAt
	if at == nil {
		at = []int{}
	}
	return &jsonErrors{e.Count, float(e.Max), at, float(e.Mean), float(e.Median),
		float(e.P90), float(e.P95), float(e.P99), float(e.Quantile), e.Histogram}
}

func (j *jsonErrors) errors() Errors {
	e := Errors{j.Count, float64(j.Max), j.MaxAt, float64(j.Mean), float64(j.Median),
		float64(j.P90), float64(j.P95), float64(j.P99), float64(j.Quantile), j.Histogram}
	if e.Count == 0 {
		e.MaxAt = nil
	}
	return e
}

type jsonElement struct {
	Index    []int  `json:"index"`
	Key      string `json:"key,omitempty"`
	Actual   string `json:"actual"`
	Expected string `json:"expected"`
	Abs      float  `json:"abs"`
	Rel      float  `json:"rel"`
	ULP      *float `json:"ulp,omitempty"`
}

func (e Element) json() jsonElement {
	j := jsonElement{e.Index, e.Key, e.Actual, e.Expected, float(e.Abs), float(e.Rel), nil}
	if e.ULP == e.ULP {
		j.ULP = (*float)(&e.ULP)
	}
	return j
}

func (j jsonElement) element() Element {
	e := Element{j.Index, j.Key, j.Actual, j.Expected, float64(j.Abs), float64(j.Rel), nan}
	if j.ULP != nil {
		e.ULP = float64(*j.ULP)
	}
	return e
}

type jsonRequired struct {
	Check Check `json:"check"`
	Atol  float `json:"atol"`
	Rtol  float `json:"rtol"`
	Limit float `json:"limit"`
}

type jsonResult struct {
	Check      Check   `json:"check"`
	Verdict    Verdict `json:"verdict"`
	Abs        float   `json:"abs"`
	Rel        float   `json:"rel"`
	Value      float   `json:"value"`
	Limit      float   `json:"limit"`
	Mismatches int     `json:"mismatches"`
	Of         int     `json:"of"`
	Text       string  `json:"text,omitempty"`
}
