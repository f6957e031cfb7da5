package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/runs"
)

// repairRequest is the parsed command line of `modelparity repair`.
type repairRequest struct {
	running
	outputs
	rule   compareflags.Flags
	search precision.Repair
	fences bool   // keep an engine from fusing nodes, instead of a precision
	load   string // the saved outputs to compare with
}

func (r *repairRequest) sections() []section {
	repairing := part("Repairing", r.writes("--output, -o OUT", ""))
	for _, f := range []precision.Format{precision.FP16, precision.BF16, precision.INT8,
		precision.INT4} {
		repairing.flags = append(repairing.flags, arguments.Spelled("--"+string(f),
			func([]string) error { r.search.Format = f; return nil }))
	}
	repairing.flags = append(repairing.flags,
		arguments.Spelled("--fences", arguments.Set(&r.fences)),
		arguments.Spelled("--state FILE", arguments.Text(&r.search.State)).On(files.Updates),
		arguments.Spelled("--load-outputs, --load-results FILE",
			arguments.Text(&r.load)).On(files.Reads))
	return append([]section{repairing}, lowerSections(&r.running, &r.rule, r.printFlags())...)
}

// lowerFlags lists the flags that choose a lower precision. This command accepts them for all
// engines, not only TensorRT.
var lowerFlags = []string{"--fp16", "--bf16", "--int8"}

// lowerSections returns the sections that commands for lowering the precision have in common:
// runners, inputs, comparison and results. It leaves out lowerFlags.
func lowerSections(of *running, rule *compareflags.Flags, results []arguments.Flag) []section {
	all := of.around(nil, part("Comparison", rule.Tolerances()...), resultSection(results))
	tensorrt := &all[len(all)-1]
	tensorrt.flags = slices.DeleteFunc(tensorrt.flags, func(f arguments.Flag) bool {
		return slices.Contains(lowerFlags, f.Name)
	})
	return all
}

// place registers the files that are written next to the repaired model, so that conflicts with
// other files are detected.
func (r *repairRequest) place(account *files.Account) {
	if out := r.Path("--output"); out != "" {
		account.Add("--output", files.Writes, precision.DataFiles(out)...)
	}
}

func (r *repairRequest) do(ctx context.Context, given []string, stderr io.Writer) (f finding,
	err error) {
	quantizers := r.search.Format == precision.INT8 || r.search.Format == precision.INT4
	switch {
	case (r.search.Format == "") != r.fences:
		return f, errors.New("want one of --fp16, --bf16, --int8, --int4 and --fences")
	case r.fences && (r.load != "" || r.search.State != ""):
		return f, errors.New("--load-outputs and --state have no effect with --fences; drop them")
	case quantizers && r.search.State != "":
		return f, errors.New("--state has no effect with --int8 and --int4; drop it")
	}
	if r.fences {
		return r.fence(ctx, given)
	}
	r.search.Rule, err = r.rule.Options(ctx)
	var lower []string // the precisions that TensorRT may use
	if !quantizers {
		lower = []string{"--" + string(r.search.Format)}
	}
	subjects, wrong := r.engines.Lowering(given, "--onnxrt", lower, &r.inputs)
	if err = errors.Join(wrong, err); err == nil && r.load != "" {
		saved, problem := runs.ReadOne(ctx, r.load)
		if problem != nil {
			return f, fmt.Errorf("--load-outputs: %w", problem)
		}
		r.search.Expected = saved.Run.Outputs()
	}
	if err != nil {
		return f, err
	}
	r.search.Progress = r.lines(stderr)
	if quantizers {
		return r.quantizers(ctx, subjects)
	}
	reference, err := r.sides(subjects)
	if err != nil {
		return f, err
	}
	found, err := r.search.Find(ctx, reference)
	if err != nil {
		return beyond(err)
	}
	weak := trt.Engine(map[precision.Format]trt.Option{precision.FP16: trt.FP16(),
		precision.BF16: trt.BF16()}[r.search.Format])
	text, err := r.deliver(ctx, found, given[0], reference.Engine, weak)
	return finding{text: headed(text)}, err
}

// fence implements --fences. If two runners disagree because one fuses nodes, it finds optimiser
// passes to disable, and tensors to declare as outputs, so that the runners agree. The reference is
// the second runner. If the command line names only one runner, the reference is an engine that
// does not optimise, such as ONNX Runtime without its optimiser.
func (r *repairRequest) fence(ctx context.Context, given []string) (f finding, err error) {
	rule, err := r.rule.Options(ctx)
	if err != nil {
		return f, err
	}
	subjects, err := r.engines.Lowering(given, "--onnxrt", nil, &r.inputs)
	if err != nil {
		return f, err
	}
	if len(subjects) > 2 {
		return f, fmt.Errorf("repair --fences compares two runners, got %d", len(subjects))
	}
	actual, expected := subjects[0], subjects[len(subjects)-1]
	if len(subjects) == 1 {
		expected.Engine = ort.Engine(ort.OptimizationLevel(ort.OptimizeNone))
		if own := backends.CapabilitiesOf(actual.Engine).Reference; own != nil {
			expected.Engine = own(expected.Engine)
		}
	}
	found, err := locate.Fence(ctx, actual, expected, locate.Options{Compare: rule})
	if errors.Is(err, locate.ErrNotFused) {
		why := strings.TrimPrefix(err.Error(), "locate: ") + "\n"
		return finding{differs: true, text: func(int) string { return why }}, nil
	}
	if err != nil {
		return f, err
	}
	text := found.Text()
	if file := r.Path("--output"); file != "" {
		saved, err := found.Save(file, given[0])
		if err != nil {
			return f, err
		}
		text += savedText(saved)
	}
	return finding{text: headed(text)}, nil
}

// beyond handles the error that the model is out of tolerance even in float32: it turns this error
// into a result that reports a difference. It returns all other errors unchanged.
func beyond(err error) (finding, error) {
	if !errors.Is(err, precision.ErrBeyond) {
		return finding{}, err
	}
	_, said, _ := strings.Cut(strings.TrimPrefix(err.Error(), "precision: "), ": ")
	return finding{differs: true, text: func(int) string { return said + "\n" }}, nil
}

// quantizers looks for the quantizers to remove.
func (r *repairRequest) quantizers(ctx context.Context, subjects []backends.Subject) (f finding,
	err error) {
	found, err := r.search.Quantizers(ctx, subjects[0])
	if err != nil {
		return beyond(err)
	}
	text := found.Text()
	if out := r.Path("--output"); out != "" {
		if err := found.Repaired().Save(out); err != nil {
			return f, err
		}
		text += savedText([]string{out})
	}
	return finding{text: headed(text)}, nil
}
