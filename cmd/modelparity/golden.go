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

// goldenSections are the flags of golden as the help shows them.
func goldenSections() []section[goldenRequest] {
	of := func(r *goldenRequest) *outputs { return &r.outputs }
	return []section[goldenRequest]{{"Flags", append([]arguments.Flag[goldenRequest]{
		arguments.Spelled("--all", arguments.Set(func(r *goldenRequest) *bool {
			return &r.question.All
		})),
		arguments.Spelled("--dry-run", arguments.Set(func(r *goldenRequest) *bool {
			return &r.question.Look
		})),
		arguments.Spelled("--json", arguments.Set(func(r *goldenRequest) *bool { return &r.json })),
	}, arguments.Lift(of, []arguments.Flag[outputs]{
		writes("--markdown FILE", ""),
		arguments.Spelled("--help, -h", arguments.Set(func(o *outputs) *bool { return &o.help })),
	})...)}}
}

func goldenFlags() []arguments.Flag[goldenRequest] { return goldenSections()[0].flags }

// goldenCommand is `modelparity golden`.
func goldenCommand(_ context.Context, args []string, stdout, stderr io.Writer) int {
	var r goldenRequest
	given, err := read(&r, goldenFlags(), args)
	if r.help {
		help(stdout, "golden", goldenSections()...)
		return equal
	}
	var word golden.Word
	var found golden.Answer
	if err == nil {
		word, err = r.word(given)
	}
	if err == nil {
		err = r.apart()
	}
	if err == nil {
		found, err = word.Ask(r.question)
		err = errors.Join(err, r.show(found, r.printed(stdout, stderr)))
	}
	switch {
	case err != nil:
		complain(stderr, "golden: %s", strings.TrimPrefix(err.Error(), "golden: "))
		return unusable
	case found.Differs:
		return differs
	}
	return equal
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
			"--dry-run":  r.question.Look && !w.TakesLook,
			"--markdown": r.paths["--markdown"] != "" && !w.GivesChanges} {
			if idle {
				return w, fmt.Errorf("%s has no effect on golden %s: leave it out", flag, w.Name)
			}
		}
		r.question.Paths = given[1:]
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
	if r.paths["--markdown"] == "" {
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

// show prints what was found, and writes the table for a pull request.
func (r *goldenRequest) show(found golden.Answer, to io.Writer) (err error) {
	if path := r.paths["--markdown"]; path != "" && found.Value != nil {
		err = writeWhole(path, []byte(golden.Markdown(found.Changes)))
	}
	if !r.json || found.Value == nil {
		_, printed := io.WriteString(to, found.Text)
		return errors.Join(err, printed)
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return errors.Join(err, encoder.Encode(found.Value))
}
