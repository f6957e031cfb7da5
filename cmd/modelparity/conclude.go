package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

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
	if err := golden.WriteAccuracyOf(path, found.Pairs); err != nil {
		return fmt.Errorf("--save-accuracy-results: %w", err)
	}
	found.saved = append(found.saved, path)
	return nil
}

// show writes what was found: the verdict for a volume of -1, nothing below that, everything from
// 0 on, and the statistics of passing outputs from 1 on.
func show(to io.Writer, found outcome, problem error, volume int) {
	switch {
	case problem != nil:
		complain(to, "%v", problem)
		return
	case volume >= 0:
		fmt.Fprint(to, found.Text(volume > 0))
	}
	if volume >= verdictOnly {
		for _, file := range found.saved {
			fmt.Fprintf(to, "saved %s\n", file)
		}
		fmt.Fprintln(to, found.Summary())
	}
}
