package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// outcome is what a command found.
type outcome struct {
	pairs []pair
	saved []string // files that were written
	notes []string // what the user should know
}

// pair is one run held to another.
type pair struct {
	actual, expected string // the runs, as messages call them
	report           compare.Report
}

// verdict is fail where one pair fails.
func (o outcome) verdict() compare.Verdict {
	for _, p := range o.pairs {
		if p.report.Verdict == compare.Fail {
			return compare.Fail
		}
	}
	return compare.Pass
}

// reason is why it fails, in one line; of several pairs, those that fail are named.
func (o outcome) reason() string {
	var reasons []string
	for _, p := range o.pairs {
		switch {
		case p.report.Verdict == compare.Pass:
		case len(o.pairs) == 1:
			reasons = append(reasons, p.report.Reason)
		default:
			reasons = append(reasons, fmt.Sprintf("%s against %s: %s", p.actual, p.expected,
				p.report.Reason))
		}
	}
	return strings.Join(reasons, "; ")
}

// jsonOutcome is the file that --report writes. Its outputs are those of all pairs, one pair after
// the other, each as [compare.Output.MarshalJSON] writes it with the number of its pair.
type jsonOutcome struct {
	Verdict string            `json:"verdict"` // pass, fail or error
	Reason  string            `json:"reason"`
	Pairs   []jsonPair        `json:"pairs"`
	Outputs []json.RawMessage `json:"outputs"`
}

type jsonPair struct {
	Actual   string          `json:"actual"`
	Expected string          `json:"expected"`
	Verdict  compare.Verdict `json:"verdict"`
	Reason   string          `json:"reason"`
}

// writeReport writes what was found, or the error that kept it from being found, whole or not at
// all.
func writeReport(path string, o outcome, problem error) error {
	j := jsonOutcome{Verdict: string(o.verdict()), Reason: o.reason(),
		Pairs: []jsonPair{}, Outputs: []json.RawMessage{}}
	if problem != nil {
		o.pairs = nil
		j.Verdict, j.Reason = "error", problem.Error()
	}
	for i, p := range o.pairs {
		j.Pairs = append(j.Pairs, jsonPair{p.actual, p.expected, p.report.Verdict, p.report.Reason})
		for _, output := range p.report.Outputs {
			text, err := json.Marshal(output)
			if err != nil {
				return err
			}
			text = append(fmt.Appendf(nil, `{"pair":%d,`, i), bytes.TrimPrefix(text, []byte("{"))...)
			j.Outputs = append(j.Outputs, text)
		}
	}
	text, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(path, append(text, '\n'))
}

// writeWhole writes a file whole or not at all, with the folders above it.
func writeWhole(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return wholefile.WriteBytes(path, data)
}
