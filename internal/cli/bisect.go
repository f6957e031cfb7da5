package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/cli/pairs"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/runs"
)

// bisectRequest is the parsed command line of `modelparity bisect`.
type bisectRequest struct {
	running
	outputs
	rule     compareflags.Flags
	releases []string
	load     []string // the saved run to compare with
	shallow  bool     // do not look for the diverging node
}

func (r *bisectRequest) sections() []section {
	releases := section{"Releases", []arguments.Flag{
		arguments.Spelled("--onnxrt RELEASES", arguments.Texts(&r.releases)),
		arguments.Spelled("--load-outputs, --load-results FILE",
			arguments.Texts(&r.load)).On(files.Reads),
		arguments.Spelled("--no-locate", arguments.Set(&r.shallow)),
	}}
	all := r.around([]section{releases}, part("Comparison", r.rule.List()...),
		part("Noise", r.rule.NoiseFlags(false)...), resultSection(r.reportFlags(), r.printFlags()))
	all[1].flags = slices.DeleteFunc(all[1].flags, func(f arguments.Flag) bool {
		return f.Name == "--onnxrt" // --onnxrt RELEASES replaces it
	})
	return all
}

func (*bisectRequest) kind() string { return "releases" }

// do fetches the releases, runs the model in each, and compares the runs with the reference.
func (r *bisectRequest) do(ctx context.Context, given []string, stderr io.Writer) (f finding,
	err error) {
	r.loud(stderr, max(r.volume, r.engine))
	reference := r.engines.Given()
	switch {
	case len(r.releases) == 0:
		return f, errors.New("no releases are named; write --onnxrt 1.24..1.31 or " +
			"--onnxrt 1.24.4,1.26.0")
	case len(reference)+len(r.load) > 1:
		return f, fmt.Errorf("bisect takes at most one reference, got %s",
			strings.Join(append(reference, r.load...), " "))
	}
	wanted, err := engines.Releases(engines.ONNXRuntime.Name, r.releases...)
	if err != nil {
		return f, fmt.Errorf("--onnxrt: %w", err)
	}
	if len(wanted) < 2 {
		return f, fmt.Errorf("--onnxrt %s names only release %s; bisect needs two or more, such as "+
			"1.24..1.31", strings.Join(r.releases, ","), wanted[0].Version)
	}
	search, err := searchBy(ctx, &r.rule)
	if err != nil {
		return f, err
	}
	search.Isolate = true
	o := locate.ReleaseOptions{Search: search, Locate: !r.shallow}
	judge := func(actual, expected *backends.Run) (compare.Report, error) {
		return compare.Runs(actual.Outputs(), expected.Outputs(), search.Compare)
	}
	if r.rule.Noise() {
		o.Rule = "within noise"
		judge = (&noiseJudge{bars: r.rule.Bars(), options: search.Compare}).compare
	}
	saved := runs.Named{Name: "the reference"}
	for _, file := range r.load {
		if saved, err = runs.ReadOne(ctx, file); err != nil {
			return f, err
		}
		o.Expected = saved.Run
	}
	o.Judge = func(actual, expected *backends.Run) (compare.Report, error) {
		saved.Run = expected
		two := []runs.Named{{Name: "the release", Run: actual}, saved}
		if err := pairs.SameInputs(two); err != nil {
			return compare.Report{}, err
		}
		judged, err := pairs.Judge(ctx, two, false, judge)
		if err != nil {
			return compare.Report{}, err
		}
		return judged[0].Report, nil
	}
	subjects, err := r.subjects(given)
	if err != nil {
		return f, err
	}
	tell := func(string) {}
	if r.volume >= 0 {
		tell = r.lines(stderr)
		progress, wipe := bar(stderr)
		defer wipe()
		o.Search.Progress = progress
	}
	if err := fetchAll(ctx, wanted, tell, stderr); err != nil {
		return f, err
	}
	if len(subjects) > 1 {
		o.Expected, err = backends.RunIn(ctx, subjects[1].Engine, subjects[1].Model, subjects[1].Inputs)
		if err != nil {
			return f, err
		}
	}
	s := subjects[0]
	releases, err := isolated.Releases(s.Engine, r.releases...)
	if err != nil {
		return f, err
	}
	o.Progress = func(i int, release backends.Release) {
		tell(fmt.Sprintf("running %s (%d of %d)", release.Version, i+1, len(releases)))
	}
	found, err := locate.Releases(ctx, s.Model, s.Inputs, o, releases...)
	if found == nil {
		return f, err
	}
	for i := range found.Releases {
		found.Releases[i].Refused = r.inFlags(found.Releases[i].Refused)
	}
	found.Problem = r.inFlags(found.Problem)
	f = finding{result: found, differs: !found.Agree(), text: either(found.Headline, found.Text)}
	if refused := found.Refused(); refused != nil {
		f.refused = fmt.Sprintf("%s gives no verdict: %s", refused.Version, refused.Refused)
	}
	return f, err
}

// fetchAll downloads the releases that are not in the cache. If a download fails, the earlier ones
// stay in the cache.
func fetchAll(ctx context.Context, wanted []engines.Engine, tell func(string),
	stderr io.Writer) error {
	for i, e := range wanted {
		if _, err := e.Library(); err != nil {
			tell(fmt.Sprintf("fetching %s %s (%d of %d)", e.Title, e.Version, i+1, len(wanted)))
		}
		if _, err := e.Fetch(ctx, os.Getenv("MODELPARITY_PYTHON"), stderr); err != nil {
			return err
		}
	}
	return nil
}

// subjects returns the model in ONNX Runtime, with the options that all releases use. If the user
// named an engine as the reference, subjects also returns the model in that engine.
func (r *bisectRequest) subjects(given []string) ([]backends.Subject, error) {
	all := r.running
	for _, flag := range []string{"--use-subprocess", "--onnxrt"} {
		if err := all.engines.Set(flag); err != nil {
			return nil, err
		}
	}
	subjects, err := all.engines.Each(given, &r.inputs)
	slices.Reverse(subjects) // --onnxrt was set last
	return subjects, err
}
