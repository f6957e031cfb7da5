package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/junit"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// finding is what a command found, and how it shows it.
type finding struct {
	// report is the content of --report, where problem kept the command from finding it too.
	report func(problem error) any
	// text is what is printed at a volume from verdictOnly on. It is nil where nothing was found.
	text func(volume int) string
	// write prints, at a normal volume, what may be too large for a text.
	write   func(to io.Writer) error
	differs bool
	// refused says, where nothing differs, what keeps that from being a pass.
	refused string
}

// either is what is printed under --quiet, in lines of its own, and what is printed else.
func either(quiet, usual func() string) func(volume int) string {
	return func(volume int) string {
		if volume < 0 {
			return strings.TrimSuffix(quiet(), "\n") + "\n"
		}
		return usual()
	}
}

// reportOf is the report of a command that finds a report of a kind.
func reportOf(kind string, found any) func(problem error) any {
	return func(problem error) any {
		switch {
		case problem == nil:
			return found
		case kind == "comparison":
			return compare.Document{Err: problem}
		}
		return compare.Unusable(kind, problem)
	}
}

// conclude reports and prints what was found, or why nothing was, and gives the exit status.
func (o *outputs) conclude(command string, found finding, problem error,
	stdout, stderr io.Writer) int {
	if errors.Is(problem, context.Canceled) {
		problem = fmt.Errorf("interrupted: %w", problem)
	}
	if path := o.Path("--report"); path != "" {
		if err := writeReport(path, found.report(problem)); err != nil {
			problem = errors.Join(problem, fmt.Errorf("--report: %w", err))
		}
	}
	if path := o.Path("--junit"); path != "" {
		text, err := junit.Of(command, found.report(problem))
		if err == nil {
			err = writeWhole(path, text)
		}
		if err != nil {
			problem = errors.Join(problem, fmt.Errorf("--junit: %w", err))
		}
	}
	if path := o.Path("--log-file"); path != "" {
		var full bytes.Buffer
		log := o.stamped(&full)
		err := found.show(log, max(o.volume, 0), false)
		if problem != nil {
			complain(log, "%v", problem)
		}
		if err = errors.Join(err, writeWhole(path, full.Bytes())); err != nil {
			problem = errors.Join(problem, fmt.Errorf("--log-file: %w", err))
		}
	}
	if problem == nil || found.text != nil && o.volume >= 0 { // a search may be stopped half-way
		to := o.printed(stdout, stderr)
		problem = errors.Join(problem, found.show(o.stamped(to), o.volume, o.colour.on(to)))
	}
	switch {
	case problem != nil:
		complain(stderr, "%s: %s", command, strings.TrimPrefix(problem.Error(), command+": "))
		return unusable
	case found.differs:
		return differs
	case found.refused != "":
		complain(stderr, "%s: %s", command, found.refused)
		return unusable
	}
	return equal
}

// show prints what was found.
func (f finding) show(to io.Writer, volume int, colours bool) error {
	if f.write != nil && volume >= 0 {
		return f.write(to)
	}
	if f.text == nil || volume < verdictOnly {
		return nil
	}
	text := f.text(volume)
	if colours {
		text = paint(text)
	}
	fmt.Fprint(to, text)
	return nil
}

// savedText is a line for each file, all of which are written by now.
func savedText(files []string) string {
	var b strings.Builder
	for _, file := range files {
		fmt.Fprintf(&b, "saved %s\n", file)
	}
	return b.String()
}

// saved is a finding of files, unless writing them failed. text is what goes before them.
func saved(err error, text string, files ...string) (finding, error) {
	if err != nil {
		return finding{}, err
	}
	return finding{text: func(int) string { return text + savedText(files) }}, nil
}

// writeReport writes a report as JSON.
func writeReport(path string, content any) error {
	text, err := json.MarshalIndent(content, "", "  ")
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
