package pages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/report/internal/kept"
)

// In returns a function for ReportTo that reports comparisons in the plain test t. A Ginkgo suite
// has ginkgoreport.Artifacts instead.
//
//	g.Expect(ort.Run(t.Context(), model, inputs)).To(
//		MatchGolden("digits").ReportTo(pages.In(t, plots.Draw)))
//
// It sets attributes of t, which `go test -json` prints: engine, version and model of the run under
// test, and worst-error, the largest absolute error. Under `go test -artifacts`, it also writes
// every failed comparison into a subfolder of the test's artifact folder: both sides as saved runs,
// report.json, a page and the pictures of the draw functions. Without the flag it writes nothing.
func In(t kept.T, draw ...kept.Draw) func(compare.Pair) {
	return func(pair compare.Pair) {
		kept.Describe(t.Attr, pair.Engine, pair.Version, pair.Model, kept.Worst(pair.Report))
		if !kept.Artifacts() || pair.Report.Verdict == compare.Pass {
			return
		}
		if err := keep(t.ArtifactDir(), pair, draw); err != nil {
			t.Fatalf("modelparity: cannot save the comparison: %v", err)
		}
	}
}

// keep writes a comparison into the first free subfolder: comparison-1, comparison-2, and so on.
func keep(folder string, pair compare.Pair, draw []kept.Draw) error {
	into := ""
	for n, err := 1, fs.ErrExist; errors.Is(err, fs.ErrExist); n++ {
		into = filepath.Join(folder, fmt.Sprintf("comparison-%d", n))
		if err = os.Mkdir(into, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if _, err := kept.Save(into, pair, draw...); err != nil {
		return err
	}
	text, err := json.Marshal(compare.Document{Pairs: []compare.Pair{pair}})
	if err != nil {
		return err
	}
	report := filepath.Join(into, "report.json")
	if err := wholefile.WriteBytes(report, text); err != nil {
		return err
	}
	page, err := os.Create(filepath.Join(into, "report.html"))
	if err != nil {
		return err
	}
	return errors.Join(Write(context.Background(), page, report), page.Close())
}
