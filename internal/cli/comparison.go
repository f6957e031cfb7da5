package cli

import (
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/accuracy"
	"github.com/modelparity/modelparity/report/plots"
)

// comparison is the result of `modelparity run` or `modelparity compare`.
type comparison struct {
	compare.Document
	saved []string // paths of the files that were written
	table string   // for more than two runs; printed instead of the comparisons unless verbose
}

// finding returns the comparison as the command's result. Before that, it saves the accuracy
// results and draws the pictures for which flags were set.
func (c comparison) finding(o *outputs, problem error) (finding, error) {
	if problem == nil {
		problem = o.save(&c, "--save-accuracy-results", func(path string) error {
			return accuracy.Write(path, c.Pairs)
		})
	}
	if problem == nil {
		var drawn plots.Saved
		drawn, problem = o.draw(c.Pairs)
		c.saved, c.Notes = append(c.saved, drawn.Files...), append(c.Notes, drawn.Notes...)
	}
	for _, p := range c.Pairs {
		for i, note := range p.Report.Notes {
			p.Report.Notes[i] = o.inFlags(note)
		}
	}
	f := finding{result: c.Document, differs: c.Verdict() == string(compare.Fail)}
	if problem == nil {
		f.text = func(volume int) string {
			text := savedText(c.saved) + c.Summary() + "\n"
			switch {
			case volume == 0 && c.table != "":
				text = c.table + text
			case volume >= 0:
				text = c.Text(volume) + text
			}
			return text
		}
	}
	return f, problem
}
