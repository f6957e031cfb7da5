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
)

// goldenRequest is what `modelparity golden` is asked for.
type goldenRequest struct {
	outputs
	all, look, json bool
}

// goldenVerbs are the words that may follow "golden", in the order of the help, with the flags that
// only some of them take.
var goldenVerbs = []struct {
	name    string
	takes   string
	execute func(r *goldenRequest, paths []string, to io.Writer) (int, error)
}{
	{"ls", "", (*goldenRequest).list},
	{"diff", "--all --markdown", (*goldenRequest).diff},
	{"accept", "--all --markdown", (*goldenRequest).accept},
	{"verify", "", (*goldenRequest).verify},
	{"gc", "--dry-run", (*goldenRequest).collect},
}

// goldenSections are the flags of golden as the help shows them.
func goldenSections() []section[goldenRequest] {
	of := func(r *goldenRequest) *outputs { return &r.outputs }
	return []section[goldenRequest]{{"Flags", append([]arguments.Flag[goldenRequest]{
		arguments.Spelled("--all", arguments.Set(func(r *goldenRequest) *bool { return &r.all })),
		arguments.Spelled("--dry-run", arguments.Set(func(r *goldenRequest) *bool { return &r.look })),
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
	status := unusable
	if err == nil {
		status, err = r.dispatch(given, r.printed(stdout, stderr))
	}
	if err != nil {
		complain(stderr, "golden: %s", strings.TrimPrefix(err.Error(), "golden: "))
		return unusable
	}
	return status
}

// dispatch finds the verb and refuses the flags that it does not take.
func (r *goldenRequest) dispatch(given []string, to io.Writer) (int, error) {
	if len(given) == 0 {
		return unusable, errors.New("say what to do: golden ls, diff, accept, verify or gc [PATH…]")
	}
	for _, verb := range goldenVerbs {
		if verb.name != given[0] {
			continue
		}
		for flag, set := range map[string]bool{"--all": r.all, "--dry-run": r.look,
			"--markdown": r.paths["--markdown"] != ""} {
			if set && !strings.Contains(verb.takes, flag) {
				return unusable, fmt.Errorf("%s has no effect on golden %s: leave it out", flag, verb.name)
			}
		}
		return verb.execute(r, given[1:], to)
	}
	return unusable, fmt.Errorf("unknown word %q; golden takes ls, diff, accept, verify and gc",
		given[0])
}

// show prints a value as JSON, or a text.
func (r *goldenRequest) show(to io.Writer, value any, text string) error {
	if !r.json {
		_, err := io.WriteString(to, text)
		return err
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// look reads every golden file under the paths. None at all is an error.
func (r *goldenRequest) read(paths []string) ([]golden.File, error) {
	names, err := golden.Files(paths...)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no golden file under %s: they lie in folders %s", under(paths), golden.Folder)
	}
	files := make([]golden.File, len(names))
	for i, name := range names {
		files[i] = golden.Look(name)
	}
	return files, err
}

func under(paths []string) string {
	if len(paths) == 0 {
		return "."
	}
	return strings.Join(paths, ", ")
}

// list is `modelparity golden ls`.
func (r *goldenRequest) list(paths []string, to io.Writer) (int, error) {
	files, err := r.read(paths)
	if err != nil {
		return unusable, err
	}
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintln(&b, f)
	}
	return equal, r.show(to, files, b.String())
}

// verify is `modelparity golden verify`.
func (r *goldenRequest) verify(paths []string, to io.Writer) (int, error) {
	files, err := r.read(paths)
	if err != nil {
		return unusable, err
	}
	status, sound := equal, 0
	var b strings.Builder
	for _, f := range files {
		if f.Problem == "" {
			sound++
			continue
		}
		status = differs
		fmt.Fprintln(&b, f)
	}
	fmt.Fprintf(&b, "%d of %d golden files vouch for their data\n", sound, len(files))
	return status, r.show(to, files, b.String())
}

// diff is `modelparity golden diff`.
func (r *goldenRequest) diff(paths []string, to io.Writer) (int, error) {
	all, err := golden.Review(paths...)
	if err != nil {
		return unusable, err
	}
	status := unusable
	count := map[golden.State]int{}
	var changes []golden.Change
	var b strings.Builder
	for _, p := range all {
		count[p.State]++
		switch p.State {
		case golden.Unjudged:
			continue
		case golden.Differs, golden.Moved:
			if p.State == golden.Differs || r.all {
				b.WriteString(p.Change.Text())
			}
			changes = append(changes, *p.Change)
		case golden.Stale:
			fmt.Fprintf(&b, "golden stale: %s changed after the run that judged it\n", p.File)
		}
		if status == unusable {
			status = equal
		}
		if p.State == golden.Differs || p.State == golden.Stale || r.all && p.State == golden.Moved {
			status = differs
		}
	}
	if status == unusable {
		return unusable, golden.NothingJudged(paths)
	}
	var counts []string
	for _, s := range []golden.State{golden.Differs, golden.Stale, golden.Moved, golden.Holds,
		golden.Accepted, golden.Unjudged} {
		if count[s] > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", count[s], stateWords[s]))
		}
	}
	fmt.Fprintf(&b, "golden files: %s\n", strings.Join(counts, ", "))
	if path := r.paths["--markdown"]; path != "" {
		if err := writeWhole(path, []byte(golden.Markdown(changes))); err != nil {
			return unusable, err
		}
	}
	return status, r.show(to, all, b.String())
}

// stateWords is what a review says of golden files, after their number.
var stateWords = map[golden.State]string{
	golden.Differs:  "would change",
	golden.Stale:    "changed after the run",
	golden.Moved:    "hold within tolerance, though outputs moved",
	golden.Holds:    "hold",
	golden.Accepted: "were accepted",
	golden.Unjudged: "were not asked for by any run",
}

// accept is `modelparity golden accept`.
func (r *goldenRequest) accept(paths []string, to io.Writer) (int, error) {
	changes, err := golden.Accept(r.all, paths...)
	var b strings.Builder
	for _, c := range changes { // also those before an error
		fmt.Fprintln(&b, c)
		if c.Unsummarized != "" {
			fmt.Fprintf(&b, "golden: no summary for a pull request: %s\n", c.Unsummarized)
		}
	}
	if err == nil && len(changes) == 0 {
		b.WriteString("golden: nothing to accept: what the last run gave holds\n")
	}
	if path := r.paths["--markdown"]; path != "" && err == nil {
		err = writeWhole(path, []byte(golden.Markdown(changes)))
	} else if len(changes) > 0 {
		fmt.Fprintf(&b, "golden: summary for a pull request: %s\n", golden.Summary())
	}
	if shown := r.show(to, append([]golden.Change{}, changes...), b.String()); err == nil {
		err = shown
	}
	return equal, err
}

// collect is `modelparity golden gc`.
func (r *goldenRequest) collect(paths []string, to io.Writer) (int, error) {
	all, err := golden.CollectUnused(r.look, paths...)
	if err != nil {
		return unusable, err
	}
	if len(all) == 0 {
		return unusable, fmt.Errorf("no golden file under %s", under(paths))
	}
	word := "removed"
	if r.look {
		word = "would be removed"
	}
	status := equal
	var b strings.Builder
	for _, c := range all {
		for _, path := range c.Removed {
			fmt.Fprintf(&b, "golden %s: %s\n", word, path)
		}
		for _, kept := range c.Kept {
			fmt.Fprintf(&b, "golden unused, but kept: %s\n", kept)
		}
		switch {
		case c.Refused != "":
			status = unusable
			fmt.Fprintf(&b, "golden: nothing was removed in %s: %s\n", c.Package, c.Refused)
		case len(c.Removed)+len(c.Kept) == 0:
			fmt.Fprintf(&b, "golden: every file is used in %s\n", c.Package)
		}
	}
	return status, r.show(to, all, b.String())
}
