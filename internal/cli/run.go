package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/internal/cli/pairs"
	"github.com/modelparity/modelparity/internal/cli/surgeon"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/runs"
)

// runRequest is the parsed command line of `modelparity run`.
type runRequest struct {
	running
	outputs
	marks loaders.Selection
	rule  compareflags.Flags
	load  []string // the saved runs to compare with
	smoke bool     // it is enough that the model runs
	edit  surgeon.Flags

	scripts scripts
}

func (r *runRequest) sections() []section {
	sections, tensorrt := r.runners()
	inputs, marks := part("Inputs", r.inputs.List()...), markSection(&r.marks)
	marks.flags = append(marks.flags, arguments.Spelled(
		"--save-all-intermediate-outputs, --save-intermediate-outputs", func([]string) error {
			if r.marks.All = true; r.Path("--save-outputs") == "" {
				r.PutUnnamed("--save-outputs", outputsFile)
			}
			return nil
		}))
	edit := part("ONNX", r.edit.Editing()...)
	for i, f := range edit.flags {
		if f.Name == "--save-external-data" {
			edit.flags[i].Needs = []string{"--save-onnx"}
		}
	}
	for _, s := range []*section{&inputs, &marks} {
		s.flags = arguments.Needing(engineflags.Runners(), s.flags...)
	}
	saved := append(r.saveFlags(), r.writes("--gen-script, --gen FILE", ""),
		arguments.Spelled("--load-outputs, --load-results FILE ...",
			arguments.Texts(&r.load)).On(files.Reads))
	saved = append(saved, arguments.Needing(engineflags.Runners(),
		arguments.Spelled("--smoke", arguments.Set(&r.smoke)))...)
	return append(sections, inputs, marks, edit, part("Comparison", r.rule.List()...),
		part("Noise", r.rule.NoiseFlags(true)...), part("Scripts", r.scripts.flags()...),
		part("Saved runs", saved...),
		resultSection(r.reportFlags(), r.accuracyFlags(), r.pictureFlags(), r.printFlags()), tensorrt)
}

// place registers the files that are written next to the model, so that conflicts with other files
// are detected.
func (r *runRequest) place(account *files.Account) {
	account.Add("--save-external-data", files.Writes, r.edit.Data(r.Path("--save-onnx"))...)
}

// inputNotes returns nothing, because the report contains the notes about the inputs.
func (*runRequest) inputNotes() []string { return nil }

func (r *runRequest) do(ctx context.Context, given []string, stderr io.Writer) (finding, error) {
	if path := r.Path("--gen-script"); path != "" {
		return r.generate(ctx, path, given)
	}
	r.loud(stderr, max(r.volume, r.engine))
	found, err := r.run(ctx, given)
	return found.finding(&r.outputs, err)
}

// run runs the models and compares the runs.
func (r *runRequest) run(ctx context.Context, files []string) (found comparison, err error) {
	err = errors.Join(r.scripts.sensible(r.rule.Asked(), r.rule.Noise()), r.sensible(files))
	if err != nil {
		return found, err
	}
	options, err := r.rule.Options(ctx)
	if err != nil {
		return found, err
	}
	// Check the saved files before the model runs.
	loaded, err := runs.ReadAll(ctx, r.load)
	if err != nil {
		return found, err
	}
	if err := r.comparable(len(loaded)); err != nil {
		return found, err
	}
	var ran []runs.Named
	if len(r.engines.Given()) > 0 {
		if ran, err = r.runAll(ctx, files[0], &found); err != nil {
			return found, err
		}
	} else if len(files) > 0 {
		found.Notes = append(found.Notes, "no runner such as --onnxrt was given, so "+files[0]+
			" does not run; the saved runs are compared")
	}
	found.Timings = pairs.Timings(append(ran, loaded...))
	if err := r.layerwise(outputsOf(append(ran, loaded...)), len(loaded), &options); err != nil {
		return found, err
	}
	all, err := r.scripts.change(ctx, append(ran, loaded...))
	if err != nil {
		return found, err
	}
	switch {
	case len(all) > 1 && r.scripts.compares != "":
		found.Pairs, err = r.scripts.compare(ctx, all, options)
	case len(all) > 1 && r.rule.Noise():
		judge := noiseJudge{bars: r.rule.Bars(), options: options}
		found.Pairs, err = pairs.Judge(ctx, all, options.FailFast, judge.compare)
		found.Notes = append(found.Notes, judge.notes...)
	case len(all) > 1 && r.rule.NoWorseThan() != "":
		judge := precision.Judge{Format: r.rule.NoWorseThan(), Bars: r.rule.Bars(),
			Options: options, Otherwise: ort.Engine()}
		found.Pairs, err = pairs.Judge(ctx, all, options.FailFast,
			func(actual, expected *backends.Run) (compare.Report, error) {
				return judge.Compare(actual, expected, actual.Outputs(), expected.Outputs())
			})
		found.Notes = append(found.Notes, judge.Notes...)
	case len(all) > 1 || options.Finite:
		found.Pairs, err = pairs.Compare(ctx, all, options)
	case r.rule.Asked() && !r.keepsNoise():
		found.Notes = append(found.Notes, "one run is saved and compared with nothing, so the "+
			"comparison flags have no effect")
	}
	if len(all) == 1 {
		found.Notes = append(found.Notes, all[0].Name+": "+all[0].Run.Provenance.Precision())
	}
	return found, err
}

func outputsOf(all []runs.Named) [][]string {
	outputs := make([][]string, len(all))
	for i, n := range all {
		if all := n.Run.Outputs(); len(all) > 0 {
			outputs[i] = sets.Names(all[0])
		}
	}
	return outputs
}

// layerwise supports Polygraphy's layer-wise workflow. There, a larger model ran first, and its
// outputs were saved. The command now runs a part of the larger model. Some saved outputs are the
// inputs of the part. The outputs of the part are compared with the saved outputs. But the part
// computes only some of the saved outputs. layerwise assumes this workflow in one case: a compared
// run lacks an output of another run, and the input file contains a tensor with this output's name.
// In this case, the comparison is limited to the outputs that all runs have.
func (r *runRequest) layerwise(all [][]string, loaded int, o *compare.Options) error {
	if loaded == 0 || loaded == len(all) || len(o.Only)+len(o.Names) > 0 {
		return nil
	}
	times := map[string]int{} // number of runs that have the output
	for _, outputs := range all {
		for _, name := range outputs {
			times[name]++
		}
	}
	var common, left []string
	for _, name := range slices.Sorted(maps.Keys(times)) {
		if times[name] == len(all) {
			common = append(common, name)
		} else {
			left = append(left, name)
		}
	}
	held := func(name string) bool { return slices.Contains(left, name) }
	switch {
	case left == nil || !slices.ContainsFunc(r.inputs.Saved(), held):
		return nil
	case common == nil:
		return fmt.Errorf("the runs have no output in common, so nothing can be compared; the outputs "+
			"are %s", names.List(left))
	}
	o.Only = common
	return nil
}

// saving reports whether a flag saves inputs, outputs, a model or an engine.
func (r *runRequest) saving() bool {
	return r.engines.Saves() || slices.ContainsFunc(r.saveFlags(), func(f arguments.Flag) bool {
		return r.Path(f.Name) != ""
	})
}

// sensible returns an error if there is nothing to run or compare, or if flags contradict each
// other.
func (r *runRequest) sensible(files []string) error {
	runners := r.engines.Given()
	switch {
	case len(files) > 1:
		return fmt.Errorf("run takes one model, got %s; repeat a runner's flag for several runs, and "+
			"pass saved runs to --load-outputs", strings.Join(files, " "))
	case len(files) == 0 && len(runners) > 0:
		return errors.New("no model to run; write modelparity run net.onnx --onnxrt")
	}
	if err := errors.Join(r.engines.Check(), r.inputs.Check()); err != nil {
		return err
	}
	switch {
	case len(runners) == 0 && len(r.load) == 0:
		return errors.New("nothing to run or compare; add --onnxrt to run the model, or " +
			"--load-outputs FILE to compare saved runs")
	case len(runners) == 0 && r.saving():
		return errors.New("nothing runs, so there is nothing to save; add --onnxrt to run the model")
	}
	return nil
}

// comparable returns an error if the command would pass without having compared anything. A single
// run is allowed with --smoke, with --validate, or if the run is saved and no flag asks for a
// comparison.
func (r *runRequest) comparable(loaded int) error {
	all := len(r.engines.Given()) + loaded
	if r.smoke && (all != 1 || r.rule.Asked() || r.rule.Finite() || r.draws()) {
		return errors.New("--smoke is for a run that is compared with nothing, but comparisons are " +
			"requested: drop --smoke")
	}
	if all != 1 || r.rule.Finite() || r.smoke {
		return nil
	}
	shown := r.scripts.compares != "" || r.Folder == "" && r.Path("--report") != "" ||
		r.Path("--save-accuracy-results") != "" || r.draws()
	if r.keepsNoise() || r.saving() && !shown && !r.rule.Noise() {
		return nil
	}
	if loaded == 1 {
		return errors.New("there is nothing to compare the run with; add an engine, such as " +
			"--onnxrt, or another file to --load-outputs, or --validate to look for NaN")
	}
	advice := "there is nothing to compare the run with; add --load-outputs FILE or another runner, " +
		"--save-outputs FILE.json to save the outputs but no report, or --validate to look for NaN"
	if !r.rule.Asked() && !r.draws() {
		advice += ", or --smoke if it is enough that the model runs"
	}
	return errors.New(advice)
}

// keepsNoise reports whether the runs are saved together with their noise. Only JSON can store
// noise.
func (r *runRequest) keepsNoise() bool {
	path := r.Path("--save-outputs")
	return r.rule.Noise() && (filepath.Ext(path) == ".json" || path == "/dev/stdout")
}

// runAll runs the model once for every runner, in order, and saves the files that flags ask for.
func (r *runRequest) runAll(ctx context.Context, model string, found *comparison) ([]runs.Named,
	error) {
	marked, wanted, err := r.model(ctx, model, found)
	if err != nil {
		return nil, err
	}
	subjects, err := r.engines.Subjects(r.engines.Given(), marked, &r.inputs)
	found.Notes = append(found.Notes, r.inputs.Notes("--input-shapes")...)
	if err != nil {
		return nil, err
	}
	var ran []runs.Named
	for i, s := range subjects {
		run, err := backends.RunIn(ctx, s.Engine, s.Model, s.Inputs)
		if err == nil && r.keepsNoise() {
			run, err = noise.Measured(run)
		}
		if err == nil {
			run, err = run.Only(wanted...)
		}
		if err != nil {
			return nil, err
		}
		ran = append(ran, runs.Named{Name: r.engines.RunnerName(i), Run: run})
	}
	return ran, r.saveRuns(found, ran)
}

// saveRuns saves the outputs of the runs. It also saves the inputs, unless they differ between the
// runs.
func (r *runRequest) saveRuns(found *comparison, ran []runs.Named) error {
	if err := pairs.SameInputs(ran); err != nil {
		return err
	}
	source := ran[0].Run.Subject().Redrawn()
	err := r.save(found, "--save-inputs", func(path string) error {
		return fixtures.Save(path, source)
	})
	if err == nil {
		err = r.save(found, "--save-input-blob", func(path string) error {
			return inputflags.SaveBlobs(path, source)
		})
	}
	if err == nil {
		err = r.save(found, "--save-outputs", func(path string) error {
			return runs.WriteRuns(path, ran)
		})
	}
	return err
}

// model returns the model to run and the names of the outputs to compare. Flags for ONNX files
// change the model first, and --save-onnx saves the changed model.
func (r *runRequest) model(ctx context.Context, path string, found *comparison) (
	fixtures.Declaration, []string, error) {
	out := r.Path("--save-onnx")
	if !r.edit.Given() && out == "" {
		return r.engines.Marked(path, r.marks)
	}
	if err := r.engines.OnlyONNX(path); err != nil {
		return nil, nil, err
	}
	m, err := r.edit.Model(ctx, path, r.marks)
	if err != nil {
		return nil, nil, err
	}
	said := m.Text
	if out != "" {
		saved, err := r.edit.Save(m, out)
		if err != nil {
			return nil, nil, fmt.Errorf("--save-onnx: %w", err)
		}
		said, found.saved = saved.Text, append(found.saved, saved.Written...)
	}
	for line := range strings.Lines(said) {
		found.Notes = append(found.Notes, strings.TrimSuffix(line, "\n"))
	}
	return m.Model, nil, nil
}

// save calls write with the path that the flag sets, and records the path in found. If the flag is
// not set, save does nothing.
func (o *outputs) save(found *comparison, flag string, write func(path string) error) error {
	path := o.Path(flag)
	if path == "" {
		return nil
	}
	if err := write(path); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	found.saved = append(found.saved, path)
	return nil
}
