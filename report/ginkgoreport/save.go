package ginkgoreport

import (
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/report/internal/kept"
)

// SavedEntry is the name of the report entry that lists the files of [Save].
const SavedEntry = reportfile.Saved

// Save writes both sides of every failed comparison as saved runs, which `modelparity compare` and
// Polygraphy can read. The files are actual.json and expected.json, in a subfolder of folder. The
// subfolder is named after the spec. The spec's report lists these files. If folder is empty, Save
// writes nothing, so an environment variable can switch it on:
//
//	MatchGolden("digits").ReportTo(ginkgoreport.Save(os.Getenv("ARTIFACTS")))
//
// Outputs are saved as they were compared: after top-k and reshaping, and without outputs that were
// not compared. See [Artifacts] for `go test -artifacts`. Each draw function writes more files into
// the subfolder, and the report lists them too. Use plots.Draw to draw pictures; the suite then
// links the dependencies of package plots.
//
//	ReportTo(ginkgoreport.Save("artifacts", plots.Draw))
//
// Pass the returned function to ReportTo. The function works only while a spec runs.
func Save(folder string, draw ...kept.Draw) func(compare.Pair) {
	return func(o compare.Pair) {
		into := place(folder)
		if into == "" || o.Report.Verdict == compare.Pass {
			return
		}
		files, err := save(into, o, draw...)
		if err != nil {
			ginkgo.Fail("modelparity: cannot save " + err.Error())
		}
		ginkgo.AddReportEntry(SavedEntry, files, here())
	}
}

func save(into string, o compare.Pair, draw ...kept.Draw) (files kept.Saved, err error) {
	into, err = wholefile.Below(into, folderName(ginkgo.CurrentSpecReport()))
	if err != nil {
		return files, fmt.Errorf("the outputs: %w", err)
	}
	return kept.Save(into, o, draw...)
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
