package cli

import (
	"encoding/json"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/jsonfloat"
	"github.com/modelparity/modelparity/internal/schema"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// originReport holds, for each side, where non-finite values arise. Its JSON has the kind
// "nonfinite"; see docs/report.schema.json. The verdict is "fail" if a side has a non-finite
// output.
type originReport struct{ findings []*locate.Origin }

type jsonFinding struct {
	Subject   string      `json:"subject"`
	Iteration int         `json:"iteration"`
	Outputs   []string    `json:"outputs"`
	NaN       *jsonPoint  `json:"nan"`
	Infinity  *jsonPoint  `json:"infinity"`
	Near      []jsonRange `json:"near"`
	Notes     []string    `json:"notes,omitempty"`
}

type jsonPoint struct {
	Node     string      `json:"node"`
	Op       string      `json:"op"`
	Output   jsonRange   `json:"output"`
	Operands []jsonRange `json:"operands"`
}

type jsonRange struct {
	Tensor   string          `json:"tensor"`
	Type     string          `json:"type"`
	Shape    tensor.Shape    `json:"shape"`
	Least    jsonfloat.Float `json:"least"`
	Greatest jsonfloat.Float `json:"greatest"`
	NaN      int             `json:"nan"`
	Inf      int             `json:"inf"`
	Weight   bool            `json:"weight,omitempty"`
}

// MarshalJSON encodes the report with the version of the schema.
func (r originReport) MarshalJSON() ([]byte, error) {
	verdict, findings := compare.Pass, []jsonFinding{}
	for _, f := range r.findings {
		if f.Found() {
			verdict = compare.Fail
		}
		findings = append(findings, jsonFinding{Subject: f.Subject, Iteration: f.Iteration,
			Outputs: append([]string{}, f.Outputs...), NaN: jsonPointOf(f.NaN),
			Infinity: jsonPointOf(f.Infinity), Near: jsonRanges(f.Near), Notes: f.Notes})
	}
	return json.Marshal(struct {
		schema.Schema
		Verdict  compare.Verdict `json:"verdict"`
		Findings []jsonFinding   `json:"findings"`
	}{schema.Of("nonfinite"), verdict, findings})
}

func jsonPointOf(p *locate.OriginNode) *jsonPoint {
	if p == nil {
		return nil
	}
	return &jsonPoint{p.Node.Name, p.Node.Op, jsonRanges([]locate.Range{p.Output})[0],
		jsonRanges(p.Operands)}
}

func jsonRanges(ranges []locate.Range) []jsonRange {
	list := []jsonRange{}
	for _, r := range ranges {
		list = append(list, jsonRange{r.Tensor, r.Type.String(), append(tensor.Shape{}, r.Shape...),
			jsonfloat.Float(r.Least), jsonfloat.Float(r.Greatest), r.NaN, r.Inf, r.Weight})
	}
	return list
}
