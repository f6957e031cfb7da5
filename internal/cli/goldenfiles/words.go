// Package goldenfiles implements the subcommands of `modelparity golden`, and `modelparity
// inspect` for saved files. It runs no models.
package goldenfiles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/runs"
)

// Word is one subcommand of `modelparity golden`, such as ls.
type Word struct {
	Name  string
	Takes []string // the flags that have an effect on it
	// Ask runs the subcommand. It returns an error if the paths hold no golden file. Diff and accept
	// also fail if no run in mode [golden.Diff] has compared a golden file there. If the subcommand
	// fails midway, the answer describes what was done before the error.
	Ask func(context.Context, Question) (Answer, error)
}

// Question holds a subcommand's arguments. Paths are files or folders. If there are none, the
// subcommand uses the working directory.
type Question struct {
	Paths []string
	All   bool // include outputs that changed within tolerance
	// Output is the path to export to.
	Output string
	// Markdown is the path of the summary for a pull request; "" for the review folder.
	Markdown string
}

// Answer is the result of a subcommand.
type Answer struct {
	Text    string          // text for people
	Value   any             // the same for programs; can be marshaled to JSON
	Changes []golden.Change // changes to golden files, for golden.Markdown
	Differs bool            // at least one file is not as expected
}

// Words returns the subcommands: ls, diff, accept, verify and export.
func Words() []Word {
	reviewing := []string{"--all", "--markdown"}
	return []Word{{"ls", nil, list}, {"diff", reviewing, differences}, {"accept", reviewing, accepted},
		{"verify", nil, vouching}, {"export", []string{"--output"}, exported}}
}

// filesOf reads every golden file under the paths. It returns an error if there is none.
func filesOf(ctx context.Context, q Question) ([]goldentree.File, error) {
	files, err := goldentree.Files(q.Paths...)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("golden: no golden file under %s: golden files are in folders named %s",
			strings.Join(goldentree.Placed(q.Paths), ", "), goldentree.Folder)
	}
	all := make([]goldentree.File, len(files))
	for i, file := range files {
		all[i] = goldentree.Look(ctx, file)
	}
	return all, err
}

// list summarizes each golden file.
func list(ctx context.Context, q Question) (Answer, error) {
	all, err := filesOf(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Text: lines(all), Value: all}, nil
}

// lines summarizes each file in a line.
func lines(all []goldentree.File) (text string) {
	for _, f := range all {
		text += names.Line(f.String()) + "\n"
	}
	return text
}

// vouching implements the subcommand verify: it lists the golden files whose checksums do not match
// their data.
func vouching(ctx context.Context, q Question) (Answer, error) {
	all, err := filesOf(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	damaged := slices.DeleteFunc(slices.Clone(all), func(f goldentree.File) bool {
		return f.Problem == ""
	})
	text := fmt.Sprintf("%sgolden files that match their checksums: %d of %d\n", lines(damaged),
		len(all)-len(damaged), len(all))
	return Answer{Text: text, Value: all, Differs: len(damaged) > 0}, nil
}

// stateWords lists the states of golden files in the order in which the last line of diff counts
// them. words completes the line for one state: "2 would change".
var stateWords = []struct {
	state golden.State
	words string
}{
	{golden.Differs, "would change"},
	{golden.Stale, "changed after the run"},
	{golden.Moved, "matching within tolerance but not exactly"},
	{golden.Holds, "matching"},
	{golden.Accepted, "accepted"},
	{golden.Unjudged, "not used by any run"},
}

// differences implements the subcommand diff: it lists the changes to golden files that the last
// runs in mode [golden.Diff] proposed.
func differences(ctx context.Context, q Question) (Answer, error) {
	all, err := golden.Review(ctx, q.Paths...)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Value: all}
	count := map[golden.State]int{}
	var b strings.Builder
	for _, p := range all {
		count[p.State]++
		switch {
		case p.State == golden.Stale:
			fmt.Fprintf(&b, "golden stale: %s changed after the run with -golden.update=diff; %s\n",
				names.Line(p.File), names.Line(p.Remedy))
		case p.State == golden.Differs, p.State == golden.Moved && q.All:
			b.WriteString(p.Change.Text())
			a.Changes = append(a.Changes, *p.Change)
		default:
			continue
		}
		a.Differs = true
	}
	if count[golden.Unjudged] == len(all) {
		return Answer{}, fmt.Errorf("golden: no run with -golden.update=diff has used a golden "+
			"file under %s; first run go test ./... -golden.update=diff",
			strings.Join(goldentree.Placed(q.Paths), ", "))
	}
	var counts []string
	for _, s := range stateWords {
		if n := count[s.state]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, s.words))
		}
	}
	fmt.Fprintf(&b, "golden files: %s\n", strings.Join(counts, ", "))
	a.Text = b.String()
	return a, nil
}

// accepted implements the subcommand accept: it makes the changes that diff lists.
func accepted(ctx context.Context, q Question) (Answer, error) {
	changes, err := golden.Accept(ctx, q.All, q.Paths...)
	if err != nil && len(changes) == 0 {
		return Answer{}, err
	}
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintln(&b, c)
	}
	if len(changes) == 0 {
		b.WriteString("golden: nothing to accept: the last run matches its golden files\n")
	} else if path := cmp.Or(q.Markdown, goldentree.Summary()); path != "" {
		fmt.Fprintf(&b, "golden: summary for a pull request: %s\n", path)
	}
	return Answer{Text: b.String(), Value: append([]golden.Change{}, changes...),
		Changes: changes}, err
}

// exported implements the subcommand export: it writes all data of a golden file to a single file
// that Polygraphy can read.
func exported(ctx context.Context, q Question) (Answer, error) {
	if len(q.Paths) != 1 || q.Output == "" {
		return Answer{}, errors.New("golden: export takes one golden file, and -o FILE for the output")
	}
	saved, err := runs.ReadRuns(ctx, q.Paths[0])
	if at, _ := os.Stat(q.Paths[0]); err != nil && at != nil && at.IsDir() {
		err = fmt.Errorf("export takes one golden file; modelparity golden ls lists those in a folder: "+
			"%w", err)
	}
	if err = cmp.Or(err, context.Cause(ctx)); err == nil {
		err = runs.WriteRuns(q.Output, saved)
	}
	if err != nil {
		return Answer{}, fmt.Errorf("golden: %w", err)
	}
	return Answer{Text: fmt.Sprintf("golden exported: %s\n", q.Output), Value: q.Output}, nil
}
