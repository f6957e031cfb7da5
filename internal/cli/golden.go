package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/goldenfiles"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// goldenRequest is the parsed command line of `modelparity golden`.
type goldenRequest struct {
	outputs
	question goldenfiles.Question
	given    []string // flags that some subcommands reject
	json     bool
}

func (r *goldenRequest) sections() []section {
	return []section{part("Flags",
		arguments.Spelled("--all", arguments.Set(&r.question.All)).Noted(&r.given),
		r.writes("--markdown FILE", "").Noted(&r.given),
		r.writes("--output, -o FILE", "").Noted(&r.given),
		arguments.Spelled("--json", arguments.Set(&r.json))), resultSection(r.printFlags())}
}

func (*goldenRequest) words() (names []string) {
	for _, w := range goldenfiles.Words() {
		names = append(names, w.Name)
	}
	return names
}

func (r *goldenRequest) do(ctx context.Context, given []string, _ io.Writer) (
	f finding, err error) {
	word, err := r.word(given)
	if err != nil {
		return f, err
	}
	r.question.Markdown = r.Path("--markdown")
	found, err := word.Ask(ctx, r.question)
	if path := r.question.Markdown; path != "" && found.Value != nil {
		text := []byte(golden.Markdown(found.Changes))
		err = errors.Join(err, wholefile.WriteBytes(path, text))
	}
	f = finding{differs: found.Differs, text: func(int) string { return found.Text }}
	if r.json && found.Value != nil {
		text, wrong := json.MarshalIndent(found.Value, "", "  ")
		f.text, err = func(int) string { return string(text) + "\n" }, errors.Join(err, wrong)
	}
	return f, err
}

// word returns the subcommand that the arguments name. Flags that have no effect on it are an
// error.
func (r *goldenRequest) word(given []string) (w goldenfiles.Word, err error) {
	first := given[:min(len(given), 1)]
	i := slices.Index(r.words(), strings.Join(first, ""))
	if i < 0 {
		return w, arguments.Wanted("golden takes a subcommand ("+strings.Join(r.words(), ", ")+")", first)
	}
	w = goldenfiles.Words()[i]
	for _, flag := range r.given {
		if !slices.Contains(w.Takes, flag) {
			return w, fmt.Errorf("%s has no effect on golden %s: remove it", flag, w.Name)
		}
	}
	r.question.Paths, r.question.Output = given[1:], r.Path("--output")
	return w, nil
}
