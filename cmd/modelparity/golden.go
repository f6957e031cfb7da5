package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/files"
)

// goldenRequest is what `modelparity golden` is asked for.
type goldenRequest struct {
	outputs
	question golden.Question
	json     bool
}

func (*goldenRequest) sections() []section[goldenRequest] {
	of := func(r *goldenRequest) *outputs { return &r.outputs }
	return []section[goldenRequest]{{"Flags", append([]arguments.Flag[goldenRequest]{
		arguments.Spelled("--all", arguments.Set(func(r *goldenRequest) *bool {
			return &r.question.All
		})),
		arguments.Spelled("--atol NUMBER", arguments.Each(golden.Tolerance,
			func(r *goldenRequest, v float64) { r.question.Atol = v })),
		arguments.Spelled("--rtol NUMBER", arguments.Each(golden.Tolerance,
			func(r *goldenRequest, v float64) { r.question.Rtol = v })),
		arguments.Spelled("--json", arguments.Set(func(r *goldenRequest) *bool { return &r.json })),
	}, arguments.Lift(of, []arguments.Flag[outputs]{
		writes("--markdown FILE", ""),
		writes("--output, -o FILE", ""),
		arguments.Spelled("--help, -h", arguments.Set(func(o *outputs) *bool { return &o.help })),
	})...)}}
}

func (r *goldenRequest) do(ctx context.Context, given []string, _ io.Writer) (
	f finding, err error) {
	word, err := r.word(given)
	if err == nil {
		err = r.apart()
	}
	if err != nil {
		return f, err
	}
	found, err := word.Ask(ctx, r.question)
	if path := r.Path("--markdown"); path != "" && found.Value != nil {
		err = errors.Join(err, writeWhole(path, []byte(golden.Markdown(found.Changes))))
	}
	f = finding{differs: found.Differs, text: func(int) string { return found.Text }}
	if r.json && found.Value != nil {
		text, wrong := json.MarshalIndent(found.Value, "", "  ")
		f.text, err = func(int) string { return string(text) + "\n" }, errors.Join(err, wrong)
	}
	return f, err
}

// word finds what is asked, and refuses flags that have no effect on it.
func (r *goldenRequest) word(given []string) (golden.Word, error) {
	var names []string
	for _, w := range golden.Words() {
		names = append(names, w.Name)
		if len(given) == 0 || w.Name != given[0] {
			continue
		}
		for flag, idle := range map[string]bool{"--all": r.question.All && !w.TakesAll,
			"--atol":     r.question.Atol != 0 && !w.TakesTolerance,
			"--rtol":     r.question.Rtol != 0 && !w.TakesTolerance,
			"--output":   r.Path("--output") != "" && !w.TakesOutput,
			"--markdown": r.Path("--markdown") != "" && !w.GivesChanges} {
			if idle {
				return w, fmt.Errorf("%s has no effect on golden %s: leave it out", flag, w.Name)
			}
		}
		r.question.Paths, r.question.Output = given[1:], r.Path("--output")
		return w, nil
	}
	if len(given) == 0 {
		return golden.Word{}, fmt.Errorf("say what to do: %s", strings.Join(names, ", "))
	}
	return golden.Word{}, fmt.Errorf("unknown word %q; golden takes %s", given[0],
		strings.Join(names, ", "))
}

// apart refuses a table that would be written onto a golden file.
func (r *goldenRequest) apart() error {
	if r.Path("--output") != "" {
		for _, path := range r.question.Paths {
			r.files.Add(theCommand, files.Reads, path)
		}
		for _, conflict := range r.files.Check() {
			return conflict
		}
	}
	if r.Path("--markdown") == "" {
		return nil
	}
	all, err := golden.Review(r.question.Paths...)
	for _, p := range all {
		r.files.Add(theCommand, files.Reads, p.File)
	}
	for _, conflict := range r.files.Check() {
		return conflict
	}
	return err
}
