package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
	"github.com/modelparity/modelparity/internal/cli/pairs"
	"github.com/modelparity/modelparity/internal/cli/relationflags"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/terminal"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// decodeRequest is the parsed command line of `modelparity decode`.
type decodeRequest struct {
	running
	outputs
	rule   compareflags.Flags
	decode decoding
	load   string // the saved run to compare with
}

// decoding holds the flags that select the tokens or frames to decode and control how they are
// decoded.
type decoding struct {
	relationflags.Steps
	other string
	steps []int
	whole bool
	list  []decode.Option // all others
}

func (d *decoding) flags() []arguments.Flag {
	return append(d.List(),
		arguments.Spelled("--vs MODEL", arguments.Text(&d.other)).On(files.Reads),
		arguments.Spelled("--steps N ...", arguments.Values(arguments.AtLeast(1), &d.steps)),
		arguments.Spelled("--whole", arguments.Set(&d.whole)),
		arguments.Spelled("--greedy N", arguments.Values(arguments.Count(1, decode.Greedy), &d.list)),
		arguments.Spelled("--top-k N", arguments.Values(arguments.Count(1, decode.TopK), &d.list)))
}

// singleFrame returns a note for a stream whose inputs consist of a single frame, because the user
// may have meant to pass several.
func (d *decoding) singleFrame(frame *tensor.Set) string {
	var shapes []string
	for name, t := range frame.All() {
		shapes = append(shapes, fmt.Sprintf("%s %v", name, t.Shape()))
	}
	return fmt.Sprintf("%s contains one frame (%s), so no state is carried from frame to frame; to "+
		"pass several, add a first dimension for the frames", d.Frames, strings.Join(shapes, ", "))
}

// options returns the flags as options of package decode.
func (d *decoding) options() (list []decode.Option, err error) {
	if d.whole && len(d.steps) > 0 {
		return nil, errors.New("--whole makes one step, but --steps sets other sizes: drop one of them")
	}
	if d.whole {
		list = append(list, decode.Whole())
	}
	if len(d.steps) > 0 {
		list = append(list, decode.Steps(d.steps...))
	}
	return slices.Concat(list, d.list, d.States), nil
}

func (r *decodeRequest) sections() []section {
	runners, tensorrt := r.runners()
	saves := r.saveFlags()
	return append(append([]section{part("Decoding", r.decode.flags()...), r.expected()}, runners...),
		part("Comparison", r.rule.List()...), part("Noise", r.rule.NoiseFlags(false)...),
		part("Saved runs", saves[0], saves[2], arguments.Spelled("--load-outputs FILE",
			arguments.Text(&r.load)).On(files.Reads)),
		resultSection(r.reportFlags(), r.printFlags()), tensorrt)
}

// place registers the external data of the model that --vs names, so that conflicts with other
// files are detected.
func (r *decodeRequest) place(account *files.Account) {
	if other := r.decode.other; other != "" && account.Writes() {
		account.Add("--vs", files.Reads, engineflags.DataFiles(other)...)
	}
}

func (r *decodeRequest) do(ctx context.Context, given []string, stderr io.Writer) (finding,
	error) {
	found, text, err := r.both(ctx, given, stderr)
	f, err := found.finding(&r.outputs, err)
	if compared := f.text; compared != nil {
		f.text = func(volume int) string {
			if volume < 0 {
				return compared(volume)
			}
			return compared(volume) + text
		}
	}
	return f, err
}

// both decodes with the two sides and compares the results. The returned text states the speed of
// each side and the point where the sides diverge.
func (r *decodeRequest) both(ctx context.Context, given []string, stderr io.Writer) (
	found comparison, text string, err error) {
	rules, wrong := r.rule.Options(ctx)
	options, err := r.decode.options()
	if err = errors.Join(wrong, err); err != nil {
		return found, "", err
	}
	tokens, err := r.decode.Inputs()
	if err == nil {
		err = r.inputs.Use(tokens)
	}
	var first *tensor.Set
	if err == nil { // read the file here, so that no side is blamed for it
		for first, err = range tokens.All() {
			break
		}
	}
	if err != nil {
		return found, "", err
	}
	if other := r.decode.other; other != "" {
		given = append(slices.Clip(given), other)
	}
	sides, err := r.sides(given)
	if err != nil {
		return found, "", err
	}
	var saved []runs.Named
	for i, s := range sides {
		side := []string{"actual", "expected"}[i]
		bar := terminal.NewBar(stderr)
		watched := decode.Watch(ctx, func(done, all int) {
			bar.Show(fmt.Sprintf("%s: %d of %d", side, done, all), done, all)
		})
		run, err := backends.RunIn(watched, decode.Engine(s.Engine, options...), s.Model, s.Inputs)
		bar.Clear()
		if err != nil {
			return found, "", fmt.Errorf("%s: %w", side, err)
		}
		saved = append(saved, runs.Named{Name: fmt.Sprintf("%s-N%d", s.Model.Name(), i), Run: run})
		text += fmt.Sprintf("%s: %s\n", side, speedText(run))
	}
	if err := r.save(&found, "--save-inputs", func(path string) error {
		return fixtures.Save(path, tokens)
	}); err != nil {
		return found, "", err
	}
	if err := r.save(&found, "--save-outputs", func(path string) error {
		return runs.WriteRuns(path, saved)
	}); err != nil {
		return found, "", err
	}
	if r.decode.Frames != "" && saved[0].Run.Len() == 1 {
		found.Notes = append(found.Notes, r.decode.singleFrame(first))
	}
	if r.load != "" {
		loaded, err := runs.ReadOne(ctx, r.load)
		if err != nil {
			return found, "", fmt.Errorf("--load-outputs: %w", err)
		}
		saved = append(saved, loaded)
	}
	if len(saved) == 1 {
		return found, text, nil // the run was only saved
	}
	var noise *compare.Noise
	if !r.rule.Noise() {
		found.Pairs, err = pairs.Compare(ctx, saved, rules)
	} else {
		judge := noiseJudge{bars: r.rule.Bars(), options: rules}
		found.Pairs, err = pairs.Judge(ctx, saved, rules.FailFast, judge.compare)
		found.Notes = append(found.Notes, judge.notes...)
		noise = judge.noise
	}
	if err != nil {
		return found, text, err
	}
	where, err := decodedText(saved[0].Run, saved[1].Run,
		decode.Under(rules, noise, r.rule.Bars()))
	return found, text + where, err
}

// sides returns the models and engines that decode: two that are compared with each other, or only
// one whose run is saved or is compared with a saved run.
func (r *decodeRequest) sides(given []string) ([]backends.Subject, error) {
	switch {
	case r.load != "":
		one, err := r.engines.Only(given, &r.inputs)
		return []backends.Subject{one}, err
	case r.Path("--save-outputs") != "":
		return r.engines.OneOrTwo(given, &r.inputs)
	}
	actual, expected, err := r.engines.Sides(given, &r.inputs)
	return []backends.Subject{actual, expected}, err
}
