package ginkgoreport

import (
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// SavedEntry is the name of the report entry that lists the files of [Save].
const SavedEntry = "modelparity: saved"

// Save writes both sides of every failed comparison as saved runs, which `modelparity compare` and
// Polygraphy can read. The files are actual.json and expected.json in a subfolder of folder that is
// named after the spec. The spec's report lists these files. If folder is empty, Save writes
// nothing, so a variable can switch it on:
//
//	MatchGolden("digits").ReportTo(ginkgoreport.Save(os.Getenv("ARTIFACTS")))
//
// Outputs are saved as they were compared: after top-k and reshaping, and without outputs that were
// not compared. Each draw function writes more files into the subfolder, and the report lists them
// too. Use plots.Draw to draw pictures; the suite then links the dependencies of package plots.
//
//	ReportTo(ginkgoreport.Save("artifacts", plots.Draw))
//
// Pass the result to ReportTo; it must be called while a spec runs.
func Save(folder string, draw ...func(folder string, pair compare.Pair) (files []string,
	err error)) func(compare.Pair) {
	return func(o compare.Pair) {
		if folder == "" || o.Report.Verdict == compare.Pass {
			return
		}
		actual, expected, err := sides(o.Report)
		if err != nil {
			ginkgo.Fail("modelparity: cannot save the outputs: " + err.Error())
		}
		files := saved{}
		into, err := wholefile.Below(folder, folderName(ginkgo.CurrentSpecReport()))
		if err != nil {
			ginkgo.Fail("modelparity: cannot save the outputs: " + err.Error())
		}
		for _, side := range []struct {
			name, made string
			run        *backends.Run
			file       *string
		}{
			{"actual", o.Actual, actual, &files.Actual},
			{"expected", o.Expected, expected, &files.Expected},
		} {
			if len(side.run.Iterations()) == 0 {
				continue // this side has no compared outputs and cannot be a run
			}
			*side.file, err = wholefile.Below(into, side.name+".json")
			if err == nil {
				err = runs.WriteRuns(*side.file, []runs.Named{{Name: side.made, Run: side.run}})
			}
			if err != nil {
				ginkgo.Fail("modelparity: cannot save the outputs: " + err.Error())
			}
		}
		for _, d := range draw {
			pictures, err := d(into, o)
			if err != nil {
				ginkgo.Fail("modelparity: cannot save the pictures: " + err.Error())
			}
			files.Pictures = append(files.Pictures, pictures...)
		}
		ginkgo.AddReportEntry(SavedEntry, files, here())
	}
}

// saved is the report entry that lists the saved files.
type saved struct {
	Actual   string `json:"actual,omitempty"`
	Expected string `json:"expected,omitempty"`
	// Pictures lists the files that the draw functions wrote.
	Pictures []string `json:"pictures,omitempty"`
}

// String returns the text for consoles.
func (s saved) String() string {
	return strings.TrimSpace(strings.Join(append([]string{s.Actual, s.Expected}, s.Pictures...), "\n"))
}

// sides returns the actual and the expected side of a report as runs. It omits iterations in which
// a side has no output.
func sides(r compare.Report) (actual, expected *backends.Run, err error) {
	entries := map[int]*[2][]tensor.Entry{}
	last := -1
	for _, o := range r.Outputs {
		both := entries[o.Iteration]
		if both == nil {
			both = new([2][]tensor.Entry)
			entries[o.Iteration] = both
		}
		last = max(last, o.Iteration)
		if o.Actual != nil {
			both[0] = append(both[0], tensor.Entry{Name: o.Name, Tensor: o.Actual})
		}
		if o.Expected != nil {
			both[1] = append(both[1], tensor.Entry{Name: o.ExpectedName, Tensor: o.Expected})
		}
	}
	saved := [2]*backends.Run{{}, {}}
	for i := 0; i <= last; i++ {
		for side, run := range saved {
			if entries[i] == nil || len(entries[i][side]) == 0 {
				continue
			}
			set, err := tensor.NewSet(entries[i][side]...)
			if err != nil {
				return nil, nil, err
			}
			run.Append(backends.Iteration{Outputs: set, Runtime: -1})
		}
	}
	return saved[0], saved[1], nil
}

// folderName returns the spec's text without characters that are special in paths. If the spec has
// several comparisons, a number is appended.
func folderName(spec ginkgo.SpecReport) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, spec.FullText())
	name = name[:min(len(name), 120)]
	before := 0
	for _, entry := range spec.ReportEntries {
		if entry.Name == SavedEntry {
			before++
		}
	}
	if before > 0 {
		name += fmt.Sprintf("-%d", before+1)
	}
	return name
}
