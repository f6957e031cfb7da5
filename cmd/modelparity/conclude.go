package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
)

// conclude reports and prints what was found, or why nothing was, and gives the exit status.
func (r *request) conclude(command string, found outcome, problem error,
	stdout, stderr io.Writer) int {
	if errors.Is(problem, context.Canceled) {
		problem = fmt.Errorf("interrupted: %w", problem)
	}
	if problem == nil && r.accuracy != "" {
		problem = saveAccuracy(r.accuracy, &found)
	}
	if r.report != "" {
		if err := writeReport(r.report, found.Document, problem); err != nil {
			problem = errors.Join(problem, fmt.Errorf("--report: %w", err))
		}
	}
	if r.log != "" {
		var full bytes.Buffer
		show(&full, found, problem, max(r.volume, 0))
		if err := writeWhole(r.log, full.Bytes()); err != nil {
			problem = errors.Join(problem, fmt.Errorf("--log-file: %w", err))
		}
	}
	if problem != nil {
		complain(stderr, "%s: %v", command, problem)
		return unusable
	}
	show(r.printed(stdout, stderr), found, nil, r.volume)
	if found.Verdict() == string(compare.Fail) {
		return differs
	}
	return equal
}

// saveAccuracy writes what was found in Polygraphy's format.
func saveAccuracy(path string, found *outcome) error {
	if len(found.Pairs) != 1 {
		return fmt.Errorf("--save-accuracy-results keeps one comparison, and there are %d; compare two "+
			"runs at a time", len(found.Pairs))
	}
	p := found.Pairs[0]
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = golden.WriteAccuracy(path, p.Actual, p.Expected, p.Report)
	}
	if err != nil {
		return fmt.Errorf("--save-accuracy-results: %w", err)
	}
	found.saved = append(found.saved, path)
	return nil
}

// show writes what was found: the verdict for a volume of -1, nothing below that, everything from
// 0 on, and the statistics of passing outputs from 1 on.
func show(to io.Writer, found outcome, problem error, volume int) {
	if problem != nil {
		complain(to, "%v", problem)
		return
	}
	if volume >= 0 {
		for _, note := range found.Notes {
			fmt.Fprintf(to, "note: %s\n", note)
		}
		for _, p := range found.Pairs {
			fmt.Fprintf(to, "actual:   %s\n", p.Actual)
			if p.Expected != "" { // a run alone is only looked over for what is not finite
				fmt.Fprintf(to, "expected: %s\n", p.Expected)
			}
			fmt.Fprint(to, p.Report.Text())
			if volume > 0 {
				statistics(to, p.Report)
			}
		}
	}
	if volume >= -1 {
		for _, file := range found.saved {
			fmt.Fprintf(to, "saved %s\n", file)
		}
		fmt.Fprintln(to, found.summary())
	}
}

// summary is the last line.
func (o outcome) summary() string {
	outputs, failed := 0, 0
	for _, p := range o.Pairs {
		outputs += len(p.Report.Outputs)
		if p.Report.Verdict == compare.Fail {
			failed++
		}
	}
	switch {
	case len(o.Pairs) == 0:
		return "DONE: nothing was compared, as asked"
	case failed > 0 && len(o.Pairs) > 1:
		return fmt.Sprintf("FAILED: %d of %d comparisons", failed, len(o.Pairs))
	case failed > 0:
		return "FAILED: " + o.Reason()
	}
	return "PASSED: " + plural(outputs, "output is", "outputs are") + " in order"
}

// plural is "1 output is" or "3 outputs are".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// statistics prints the errors of the outputs that pass; those that fail have them in their text.
func statistics(to io.Writer, report compare.Report) {
	for _, output := range report.Outputs {
		if output.Verdict != compare.Pass || output.Iteration == compare.Averaged {
			continue
		}
		s := output.Statistics()
		fmt.Fprintf(to, "%s, iteration %d: %d elements\n", output.Name, output.Iteration, s.Elements)
		for _, e := range []struct {
			name   string
			errors compare.Errors
		}{{"abs", s.Abs}, {"rel", s.Rel}} {
			fmt.Fprintf(to, "      %s  max %.5g at %s  mean %.5g  median %.5g  p99 %.5g\n", e.name,
				e.errors.Max, strings.ReplaceAll(fmt.Sprint(e.errors.MaxAt), " ", ","), e.errors.Mean,
				e.errors.Median, e.errors.P99)
		}
	}
}
