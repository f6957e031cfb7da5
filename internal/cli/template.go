package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/cli/script"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/runs"
)

// generate writes a spec that does the same as the command line.
func (r *runRequest) generate(ctx context.Context, path string, given []string) (f finding,
	err error) {
	if err := r.sensible(given); err != nil {
		return f, err
	}
	options, err := r.rule.Options(ctx)
	if err != nil {
		return f, err
	}
	if r.scripts != (scripts{}) || r.rule.NoWorseThan() != "" || r.edit.Given() ||
		r.Path("--save-onnx") != "" {
		return f, errors.New("--gen-script does not support changes to the model, --no-worse-than, " +
			"or scripts that compare or change outputs; drop these flags and edit the spec by hand")
	}
	loaded, err := runs.ReadAll(ctx, r.load)
	note := ""
	switch {
	case errors.Is(err, fs.ErrNotExist): // the file may be written later
		note = fmt.Sprintf("note: %v; the spec fails until the file exists\n", err)
	case err != nil:
		return f, err
	}
	saved := max(len(loaded), len(r.load))
	if len(given) == 1 && len(loaded) > 0 && !r.marks.All && len(r.marks.Names)+len(r.marks.Ops) == 0 {
		declared, unknown := loaders.ONNX(given[0]).Outputs() // unknown for other formats
		if unknown == nil {
			outputs := append(outputsOf(loaded), loaders.Names(declared))
			if err := r.layerwise(outputs, len(loaded), &options); err != nil {
				return f, err
			}
		}
	}
	spec := script.Spec{File: path, Marks: r.marks, Saved: r.load, Several: saved > 1,
		Named: r.files.Paths(), Rule: options, Noise: r.rule.Noise()}
	if len(r.engines.Given()) > 0 {
		return r.write(ctx, spec, given, r.engines.Given(), note)
	}
	if err := r.comparable(saved); err != nil {
		return f, err
	}
	return source(spec, note)
}

func source(s script.Spec, note string) (finding, error) {
	text, err := s.Source()
	if err == nil {
		err = wholefile.WriteBytes(s.File, text)
	}
	return saved(err, note, s.File)
}

// write writes a spec that runs a model in engines. If nothing is compared, the spec expects finite
// outputs. In that case, and also if dimensions were guessed, write first runs the model, because a
// spec that cannot pass is of no use.
func (r *running) write(ctx context.Context, s script.Spec, given, runners []string, note string) (
	f finding, err error) {
	if len(given) != 1 {
		return f, fmt.Errorf("a spec needs exactly one model, got %d", len(given))
	}
	model, wanted, err := r.engines.Marked(given[0], s.Marks)
	if err != nil {
		return f, err
	}
	s.Path, s.Inputs = given[0], r.inputs.Code
	finite := len(runners)+len(s.Saved) == 1
	subjects, err := r.engines.Subjects(runners, model, &r.inputs)
	if err != nil {
		return f, err
	}
	for _, subject := range subjects {
		s.Model, s.Engines = subject.Model, append(s.Engines, subject.Engine)
		if guessed, _ := guesses.Dimensions(subject.Inputs.Notes()); finite || guessed != "" {
			if err := passes(ctx, subject, wanted, finite); err != nil {
				return f, fmt.Errorf("the spec would fail: %w", err)
			}
		}
	}
	return source(s, note)
}

// passes returns an error if a spec that runs s cannot pass: if the model does not run or, for a
// spec that expects finite outputs, if the wanted outputs are not finite. A missing engine is not
// an error, because the spec is then skipped.
func passes(ctx context.Context, s backends.Subject, wanted []string, finite bool) error {
	run, err := backends.RunIn(ctx, s.Engine, s.Model, s.Inputs)
	if missing := new(backends.Missing); errors.As(err, &missing) {
		return nil
	}
	if err == nil {
		run, err = run.Only(wanted...)
	}
	if err != nil || !finite {
		return err
	}
	report, err := compare.Finite(run.Outputs(), false)
	if err == nil && report.Verdict != compare.Pass {
		err = errors.New(report.Reason)
	}
	remedy := "add an engine to compare with, such as --openvino"
	switch powerless := new(compare.Powerless); {
	case err == nil:
		return nil
	case !errors.As(err, &powerless): // with powerless types, other inputs cannot help
		remedy = "choose other inputs with --val-range or --load-inputs, or " + remedy
	}
	return fmt.Errorf("%w; %s", err, remedy)
}

// templateRequest is the parsed command line of `modelparity template`.
type templateRequest struct {
	running
	outputs
}

func (r *templateRequest) sections() []section {
	return r.around([]section{part("Spec", r.writes("--output, -o FILE", ""))},
		resultSection(r.printFlags()))
}

func (r *templateRequest) do(ctx context.Context, given []string, _ io.Writer) (finding, error) {
	var f finding
	if len(given) > 0 {
		if answer, known := script.Templates[given[0]]; known {
			return f, errors.New(given[0] + ": " + answer)
		}
	}
	path, err := r.target("net_test.go")
	if err == nil {
		err = errors.Join(r.engines.Check("--onnxrt"), r.inputs.Check())
	}
	if err != nil {
		return f, err
	}
	usual, err := new(compareflags.Flags).Options(ctx)
	if err != nil {
		return f, err
	}
	spec := script.Spec{File: path, Named: r.files.Paths(), Rule: usual}
	return r.write(ctx, spec, given, r.engines.Used(), "")
}
