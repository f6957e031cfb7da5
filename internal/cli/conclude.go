package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/schema"
	"github.com/modelparity/modelparity/internal/terminal"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// finding is a command's result together with the functions that print it.
type finding struct {
	result any // what --report writes, unless there was an error
	// text returns the text to print at the given volume, which is verdictOnly or louder. It is nil if
	// there is no result.
	text func(volume int) string
	// write is used instead of text unless --quiet is given. It is set if the text may be too large
	// to hold in memory.
	write   func(to io.Writer) error
	differs bool
	// refused says why the result is not a pass even though no difference was found. It is "" for a
	// pass.
	refused string
}

// either returns a function to store in the field text of a [finding]. Under --quiet, that function
// returns the result of quiet. Otherwise it returns the result of usual.
func either(quiet, usual func() string) func(volume int) string {
	return func(volume int) string {
		if volume < 0 {
			return strings.TrimSuffix(quiet(), "\n") + "\n"
		}
		return usual()
	}
}

// headed returns a function to store in the field text of a [finding]. Under --quiet, that function
// returns only the first line of the given text. Otherwise it returns the whole given text.
func headed(text string) func(volume int) string {
	verdict, _, _ := strings.Cut(text, "\n")
	return either(func() string { return verdict }, func() string { return text })
}

// report returns the contents of the file that --report names. kind is the kind of report, and
// problem is the error that prevented a result, or nil.
func (f finding) report(kind string, problem error) any {
	comparison, ok := f.result.(compare.Document)
	switch {
	case ok || problem != nil && kind == "comparison":
		comparison.Err = problem
		return comparison
	case problem != nil:
		return schema.Unusable(kind, problem)
	}
	return f.result
}

// conclude writes the report files, prints the result or the error, and returns the exit status.
func (o *outputs) conclude(command, kind string, found finding, problem error,
	stdout, stderr io.Writer) int {
	if errors.Is(problem, context.Canceled) {
		problem = fmt.Errorf("interrupted: %w", problem)
	}
	if path := o.Path("--report"); path != "" {
		if err := writeReport(path, found.report(kind, problem)); err != nil {
			problem = errors.Join(problem, fmt.Errorf("--report: %w", err))
		}
	}
	if path := o.Path("--log-file"); path != "" {
		var full bytes.Buffer
		log := o.stamped(&full)
		err := found.show(log, max(o.volume, 0), false)
		if problem != nil {
			complain(log, "%v", problem)
		}
		text := names.Escape(full.String())
		if err = errors.Join(err, wholefile.WriteBytes(path, []byte(text))); err != nil {
			problem = errors.Join(problem, fmt.Errorf("--log-file: %w", err))
		}
	}
	if problem == nil || found.text != nil && o.volume >= 0 { // an interrupted search has a result too
		to := o.printed(stdout, stderr)
		colours := !o.plain && terminal.Colourful(to) && (found.write == nil || o.volume < 0)
		if colours {
			to = terminal.Raw(to)
		}
		problem = errors.Join(problem, found.show(o.stamped(to), o.volume, colours))
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

func (f finding) show(to io.Writer, volume int, colours bool) error {
	if f.write != nil && volume >= 0 {
		return f.write(to)
	}
	if f.text == nil || volume < verdictOnly {
		return nil
	}
	text := f.text(volume)
	if colours {
		text = paint(names.Escape(text))
	}
	fmt.Fprint(to, text)
	return nil
}

// savedText returns a line for each file that has been written.
func savedText(files []string) string {
	var b strings.Builder
	for _, file := range files {
		fmt.Fprintf(&b, "saved %s\n", file)
	}
	return b.String()
}

// saved returns a finding with the given text and the list of written files. If writing failed, err
// is not nil and saved returns it.
func saved(err error, text string, files ...string) (finding, error) {
	if err != nil {
		return finding{}, err
	}
	return finding{text: func(int) string { return text + savedText(files) }}, nil
}

func writeReport(path string, content any) error {
	if whole, large := content.(io.WriterTo); large {
		return wholefile.Write(path, func(w io.Writer) error {
			escaped := terminal.NewEscaped(w) // build servers print reports into logs
			_, err := whole.WriteTo(escaped)
			return cmp.Or(err, escaped.Flush())
		})
	}
	text, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.WriteBytes(path, []byte(names.Escape(string(text))+"\n"))
}
