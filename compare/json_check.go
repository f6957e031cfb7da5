package compare

import (
	"encoding/json"
	"fmt"

	"github.com/modelparity/modelparity/internal/jsonfloat"
)

type jsonCheck struct {
	Rule  string   `json:"rule"`
	Own   bool     `json:"func,omitempty"` // the rule was made by Func, which JSON cannot hold
	Text  string   `json:"text"`
	Stat  Stat     `json:"stat,omitempty"`
	Atol  *float64 `json:"atol,omitempty"`
	Rtol  *float64 `json:"rtol,omitempty"`
	Limit *float64 `json:"limit,omitempty"`
	K     int      `json:"k,omitempty"`
	// Format is the name of the lower precision, for the rule no_worse_than only.
	Format string  `json:"format,omitempty"`
	Allow  float64 `json:"allow_mismatch,omitempty"`
}

// rules maps a rule's name in JSON to the function that makes a check from the rule's numbers.
var rules map[string]func(parameters) Check

func init() {
	rules = map[string]func(parameters) Check{
		"within":            func(p parameters) Check { return Within(p.atol, p.rtol, p.stat) },
		"within_sum":        func(p parameters) Check { return WithinSum(p.atol, p.rtol) },
		"ulp":               func(p parameters) Check { return Check{rule: ulp{limit: p.limit}} },
		"l2":                func(p parameters) Check { return L2(p.limit) },
		"cosine_similarity": func(p parameters) Check { return CosineSimilarity(p.limit) },
		"psnr":              func(p parameters) Check { return PSNR(p.limit) },
		"snr":               func(p parameters) Check { return SNR(p.limit) },
		"norm_relative":     func(p parameters) Check { return NormRelative(p.limit) },
		"kl":                func(p parameters) Check { return KL(p.limit) },
		"topk_agreement":    func(p parameters) Check { return TopKAgreement(p.k, p.limit) },
		"indices": func(p parameters) Check {
			return Check{rule: indices{atMost{limited{p.limit}}}}
		},
		"defaults": func(parameters) Check { return Defaults() },
		"no_worse_than": func(p parameters) Check {
			return Check{rule: &noWorse{format: p.format, falseAlarm: p.limit}}
		},
		"noise": func(p parameters) Check { return Check{rule: &withinNoise{falseAlarm: p.limit}} },
	}
}

// MarshalJSON writes the rule's name, its numbers, and its text for a reader.
func (c Check) MarshalJSON() ([]byte, error) {
	j := jsonCheck{Rule: "none", Text: c.String(), Allow: c.allow}
	if c.rule != nil {
		p := c.rule.parameters()
		j.Rule, j.Stat, j.K, j.Format = c.rule.name(), p.stat, p.k, p.format
		_, j.Own = c.rule.(*function)
		j.Atol, j.Rtol, j.Limit = orNil(p.atol), orNil(p.rtol), orNil(p.limit)
	}
	return json.Marshal(jsonfloat.Of(&j))
}

// orNil returns nil for NaN. In a rule's parameters, NaN means that the rule does not use that
// number.
func orNil(v float64) *float64 {
	if v != v {
		return nil
	}
	return &v
}

func orNaN(v *float64) float64 {
	if v == nil {
		return nan
	}
	return *v
}

// UnmarshalJSON reads the JSON that MarshalJSON wrote. An unknown rule is an error. A rule made by
// [Func] keeps its name but cannot judge.
func (c *Check) UnmarshalJSON(text []byte) error {
	var j jsonCheck
	if err := json.Unmarshal(text, jsonfloat.Of(&j)); err != nil {
		return err
	}
	p := parameters{stat: j.Stat, atol: orNaN(j.Atol), rtol: orNaN(j.Rtol), limit: orNaN(j.Limit),
		k: j.K, format: j.Format}
	made, known := rules[j.Rule]
	switch {
	case j.Own:
		*c = Check{rule: &function{called: j.Rule, read: true}}
	case known:
		*c = made(p)
	case j.Rule == "none":
		*c = Check{}
	default:
		return fmt.Errorf("compare: unknown check %q", j.Rule)
	}
	c.allow = j.Allow
	return nil
}
