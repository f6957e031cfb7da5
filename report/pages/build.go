package pages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/locate"
)

// builder collects the page's content.
type builder struct {
	page
	pictures pictureReader
	outputs  int
	all      map[string][]*item // all results of each spec, by suite and name
}

// build returns the page's content for the given reports. A report's pictures are in the folder of
// the report's file or below it. If a report was not read from a file, its pictures are in the
// given folder or below it.
func build(folder string, reports []reportfile.File) (*page, error) {
	b := &builder{pictures: pictureReader{folder: folder}, all: map[string][]*item{}}
	for _, report := range reports {
		if report.Document != nil {
			b.document(report)
		}
		for _, suite := range report.Suites {
			if err := b.suite(report.Path, suite); err != nil {
				return nil, fmt.Errorf("pages: %s: %w", report.Path, err)
			}
		}
	}
	b.finish()
	return &b.page, nil
}

// document adds a report that was written by a modelparity command rather than a suite.
func (b *builder) document(report reportfile.File) {
	d := report.Document
	state := passed
	if d.Verdict != "pass" {
		state = failed
	}
	b.Sources = append(b.Sources, source{Path: report.Path, Suite: d.Kind, Verdict: d.Verdict,
		Details: fmt.Sprintf("schema version %d", d.Version)})
	c := &item{State: state, Name: filepath.Base(report.Path), Suite: d.Kind, Reason: d.Reason,
		document: true}
	switch {
	case d.Comparison != nil:
		b.compare(c, *d.Comparison)
	case d.Kind == "divergence" && d.Verdict != "error":
		found := new(locate.Finding)
		if json.Unmarshal(d.Raw, found) != nil {
			c.Raw = indented(d.Raw) // the report has a different version or format
			break
		}
		c.Divergence = divergenceOf(found)
		if found.First != nil {
			c.State = failed
		}
		c.Reason = found.Cause
	case d.Kind == "mutation":
		c.Failures, c.Raw = survivors(d.Raw), indented(d.Raw)
	default:
		c.Raw = indented(d.Raw)
	}
	b.add(c, report.Path)
}

// survivors lists the faults that a suite did not notice.
func survivors(raw json.RawMessage) (list []string) {
	var report struct {
		Mutants []struct{ File, Kind, Text, State string }
	}
	if json.Unmarshal(raw, &report) != nil {
		return nil // the report has a different version or format
	}
	for _, m := range report.Mutants {
		if m.State == "survived" {
			list = append(list, fmt.Sprintf("survived: %s: %s: %s", m.File, m.Kind, m.Text))
		}
	}
	return list
}

// suite adds the specs of a suite, and failed nodes that are not specs, such as BeforeSuite.
func (b *builder) suite(path string, suite reportfile.Suite) error {
	s := source{Path: cmp.Or(path, "this suite"), Suite: suite.SuiteDescription,
		Time: suite.RunTime, Start: when(suite.StartTime), Verdict: "pass", Specs: suite.Count(),
		Details: fmt.Sprintf("seed %d, %d processes", suite.SuiteConfig.RandomSeed,
			max(suite.SuiteConfig.ParallelTotal, 1))}
	if !suite.SuiteSucceeded {
		s.Verdict = "fail"
	}
	for _, why := range suite.SpecialSuiteFailureReasons {
		s.Details += "; " + why
	}
	if suite.SuiteConfig.LabelFilter != "" {
		s.Details += "; labels " + suite.SuiteConfig.LabelFilter
	}
	if share, ok, err := suite.Share(); err == nil && ok {
		s.Details += "; " + share.Name()
	}
	b.Sources = append(b.Sources, s)
	for _, spec := range suite.Specs {
		if !spec.IsSpec() && !spec.Failed() || spec.Elsewhere() || spec.State == reportfile.Skipped &&
			spec.Reason() == "" {
			continue // it was filtered out, ran in another shard, or is a passed node such as BeforeSuite
		}
		c, err := b.spec(path, suite, spec)
		if err != nil {
			return err
		}
		c.start = suite.StartTime
		b.add(c, cmp.Or(suite.SuitePath, suite.SuiteDescription))
	}
	return nil
}

// spec converts a spec with its entries.
func (b *builder) spec(path string, suite reportfile.Suite, spec reportfile.Spec) (*item, error) {
	c := &item{State: stateOf(spec), Name: cmp.Or(spec.FullText(), spec.LeafNodeType),
		Suite: suite.SuiteDescription, Labels: spec.Labels(), Time: spec.RunTime}
	if at := spec.LeafNodeLocation; at.FileName != "" {
		c.Where = fmt.Sprintf("%s:%d", filepath.Base(at.FileName), at.LineNumber)
	}
	if spec.Failed() && spec.Failure != nil {
		c.Failures = append(c.Failures, strings.TrimSpace(spec.Failure.Message+"\n"+
			spec.Failure.ForwardedPanic))
		for _, more := range spec.AdditionalFailures {
			c.Failures = append(c.Failures, more.Failure.Message)
		}
	} else {
		c.Reason = spec.Reason()
	}
	comparisons, err := spec.Comparisons()
	if err != nil {
		return nil, fmt.Errorf("spec %q: %w", c.Name, err)
	}
	for _, d := range comparisons {
		b.compare(c, d)
	}
	for _, entry := range spec.ReportEntries {
		switch entry.Name {
		case reportfile.Comparison, reportfile.Unit, reportfile.Shard, reportfile.Used,
			reportfile.Runs, "engine", "version", "model", "worst-error": // shown with the comparisons
		case reportfile.Saved:
			c.Pictures = append(c.Pictures, b.pictures.of(path, suite.SuitePath, entry.Value)...)
			c.Entries = append(c.Entries, entry)
		default:
			if entry.Text == "" {
				entry.Text = string(entry.Value[:min(len(entry.Value), 4096)])
			}
			c.Entries = append(c.Entries, entry)
		}
	}
	return c, nil
}

func stateOf(spec reportfile.Spec) string {
	switch {
	case spec.Failed():
		return failed
	case spec.State == reportfile.Passed:
		return passed
	case spec.State == reportfile.Pending:
		return pending
	}
	return ignored
}

// compare adds the comparisons in a document to an item.
func (b *builder) compare(c *item, d compare.Document) {
	for i, pair := range d.Pairs {
		shown := &comparison{Pair: pair, State: verdictState(pair.Report.Verdict)}
		if i == 0 {
			shown.Notes = slices.Clone(d.Notes)
			for _, t := range d.Timings {
				shown.Notes = append(shown.Notes, "time of "+t.String())
			}
		}
		shown.engine, shown.model = made(pair.Actual)
		if _, model := made(pair.Expected); shown.model == "" {
			shown.model = model
		}
		if c.document {
			shown.engine, shown.model = runner(pair.Actual), cmp.Or(shown.model, c.Name)
		}
		for _, o := range pair.Report.Outputs {
			b.outputs++
			s := o.Statistics()
			out := &output{Output: o, Statistics: s, State: verdictState(o.Verdict),
				Kinds: kinds(o), Detailed: o.Verdict == compare.Fail || b.outputs <= detailed}
			if s.Abs.Count > 0 {
				out.AbsMax, out.RelMax = figures.Short(s.Abs.Max), figures.Short(s.Rel.Max)
				if figures.Worse(s.Rel.Max, shown.worst) {
					shown.worst, shown.relMax = s.Rel.Max, out.RelMax
				}
			}
			if s.Mismatches >= 0 && s.Elements > 0 {
				out.Counted = fmt.Sprintf("%d of %d", s.Mismatches, s.Elements)
			}
			if out.Detailed {
				out.AbsBars, out.RelBars = barsOf(s.FiniteAbs), barsOf(s.FiniteRel)
			} else {
				b.Shortened = true
			}
			shown.Outputs = append(shown.Outputs, out)
		}
		if figures.Worse(shown.worst, c.worst) {
			c.worst, c.Worst = shown.worst, shown.relMax
		}
		c.Comparisons = append(c.Comparisons, shown)
	}
}

// runner returns the engine from the name that a command gives to a run: for "onnxrt-runner-N0
// (onnxruntime 1.24.4)", it returns "onnxruntime 1.24.4".
func runner(side string) string {
	_, engine, ok := strings.Cut(side, " (")
	if !ok || !strings.HasSuffix(engine, ")") {
		return side
	}
	return strings.TrimSuffix(engine, ")")
}

// made returns the engine and the model from the name that a matcher gives to a run, such as
// "onnxruntime 1.24.4 (CPU), model net.onnx, sha256 …".
func made(side string) (engine, model string) {
	engine, rest, ok := strings.Cut(side, ", model ")
	if !ok {
		return side, ""
	}
	model, _, _ = strings.Cut(rest, ", sha256 ")
	model, _, _ = strings.Cut(model, ", made by ")
	return engine, model
}

// add adds a case.
func (b *builder) add(c *item, suite string) {
	key := suite + "\x00" + c.Name
	b.all[key] = append(b.all[key], c)
}
