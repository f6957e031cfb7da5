package ginkgoreport

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/tally"
	"github.com/modelparity/modelparity/report/internal/kept"
)

// suiteT is the test that runs the suite, or nil; see [Artifacts].
var suiteT kept.T

// Artifacts connects the suite with the test that runs it. Call it before RunSpecs:
//
//	func TestModels(t *testing.T) {
//		RegisterFailHandler(Fail)
//		ginkgoreport.Artifacts(t)
//		RunSpecs(t, "Models")
//	}
//
// Under `go test -artifacts`, [Save] and [Page] then write into the test's artifact folder instead
// of the suite's folder, and Save("") writes there, too; absolute paths stay as they are. With
// [Suite], the test also gets attributes for each pair of engine and model: engine, version, model,
// and worst-error if comparisons were attached. `go test -json` prints the attributes.
func Artifacts(t kept.T) { suiteT = t }

// place returns the path at which to write an artifact.
func place(path string) string {
	if suiteT == nil || !kept.Artifacts() || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(suiteT.ArtifactDir(), path)
}

// describe adds entries for the engines of a spec, with their worst errors in the comparisons that
// the spec attached.
func describe(r ginkgo.SpecReport, runs []tally.Run) error {
	documents, err := entriesOf[compare.Document](r, ComparisonEntry)
	for _, run := range runs {
		c := cell{Run: run}
		for _, d := range documents {
			c.worsen(d)
		}
		kept.Describe(func(key, value string) {
			ginkgo.AddReportEntry(key, value, r.LeafNodeLocation, ginkgo.ReportEntryVisibilityNever)
		}, run.Name, run.Version, run.Model, c.Worst)
	}
	return err
}

// release matches the part of an engine's version that is a plain semantic version. Engines append
// text that would make the version a pre-release, and a pre-release satisfies no constraint.
var release = regexp.MustCompile(`^\d+(\.\d+){0,2}`)

// unfit says which constraint of the running spec an engine's version does not satisfy.
func unfit(engines map[string]tally.Engine) string {
	constraints := ginkgo.CurrentSpecReport().ComponentSemVerConstraints()
	for _, engine := range slices.Sorted(maps.Keys(constraints)) {
		installed := engines[engine].Version
		version := release.FindString(installed)
		if version == "" {
			continue // this process has not found the engine
		}
		fits, err := types.ParseSemVerFilter(engine + "=" + version)
		if err == nil && !fits(engine, constraints[engine]) {
			return fmt.Sprintf("%s %s is installed; this spec needs %s", engine, installed,
				strings.Join(constraints[engine], ", "))
		}
	}
	return ""
}
