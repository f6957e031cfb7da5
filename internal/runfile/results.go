package runfile

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/tensor"
)

// Runner is one run in a file, with its name. In Polygraphy, this name is the name of the runner.
// Several runs may have the same name.
type Runner struct {
	Name string
	Run  *backends.Run
}

// readResults reads Polygraphy's saved outputs, and verifies the file header if there is one.
func readResults(r io.Reader, size int64, sidecars *source) ([]Runner, *Head, error) {
	results, err := polygraphy.ReadResults(r, size)
	if err != nil {
		return nil, nil, err
	}
	h, err := parseHead(results)
	if err != nil {
		return nil, nil, err
	}
	runs := make([]Runner, len(results.Runners))
	for i, of := range results.Runners {
		run, err := runOf(of, h, i, sidecars)
		if err != nil {
			return nil, nil, fmt.Errorf("run %d (%s): %w", i, of.Name, err)
		}
		runs[i] = Runner{Name: of.Name, Run: run}
	}
	if h != nil {
		if err := h.proves(); err != nil {
			return nil, nil, err
		}
	}
	return runs, h, nil
}

// runOf converts runner i of a file to a run. If there is no file header, the run's provenance
// contains only the runner's name.
func runOf(of polygraphy.Runner, h *Head, i int, sidecars *source) (*backends.Run, error) {
	run := &backends.Run{Provenance: backends.Provenance{Backend: of.Name}}
	if h != nil {
		run.Provenance = h.Runs[i].Provenance
	}
	for k, iteration := range of.Iterations {
		var set *tensor.Set
		var err error
		if h == nil {
			set, err = polygraphy.Set(iteration.Outputs)
		} else {
			set, err = outputsOf(iteration.Outputs, h.Runs[i].Iterations[k], h.Kind, sidecars)
		}
		if err != nil {
			return nil, fmt.Errorf("iteration %d: %w", k, err)
		}
		run.Append(backends.Iteration{Outputs: set, Runtime: duration(iteration.Runtime)})
	}
	if h != nil && len(h.Runs[i].Notes) > 0 {
		run = run.WithNotes(h.restored(h.Runs[i].Notes))
	}
	return run, nil
}

// outputsOf reads the outputs that a file header describes. Their data is in the file or in
// sidecars.
func outputsOf(data []polygraphy.Named, described []Output, kind string, sidecars *source) (
	*tensor.Set, error) {
	entries := make([]tensor.Entry, len(described))
	for j, o := range described {
		var t *tensor.Tensor
		var err error
		if o.Blob != nil {
			t, err = sidecars.output(o)
		} else {
			t, err = data[0].As(o.Type)
			data = data[1:]
		}
		if err == nil {
			err = o.holds(t, kind)
		}
		if err != nil {
			return nil, err
		}
		if o.Keys {
			t = t.AsKeys()
		}
		entries[j] = tensor.Entry{Name: o.Name, Tensor: t}
	}
	return tensor.NewSet(entries...)
}

// duration converts seconds to a duration. Unknown or invalid times become negative.
func duration(seconds float64) time.Duration {
	if !(seconds >= 0) || seconds > math.MaxInt64/1e9 {
		return -1
	}
	return time.Duration(seconds * 1e9)
}

// HeadOf returns the file header that describes the runs. The header of a golden file describes
// each output in full.
func HeadOf(kind string, runs []Runner) (h Head, err error) {
	h = Head{Format: formatVersion, Kind: kind}
	for _, named := range runs {
		of := RunHead{Name: named.Name, Provenance: named.Run.Provenance, Notes: named.Run.Notes()}
		for _, iteration := range named.Run.Iterations() {
			outputs := []Output{}
			for name, t := range iteration.Outputs.All() {
				if kind == KindGolden {
					outputs = append(outputs, describe(name, t, hasTree(t)))
				} else {
					outputs = append(outputs, briefly(name, t))
				}
			}
			of.Iterations = append(of.Iterations, outputs)
		}
		h.Runs = append(h.Runs, of)
	}
	if kind == KindGolden {
		h.SHA256, err = h.Sum()
	}
	return h, err
}

// WriteResults writes runs as Polygraphy's saved outputs, preceded by the file header. Golden files
// omit run times, which vary from run to run.
func WriteResults(w io.Writer, h Head, runs []Runner) error {
	text, err := h.text()
	if err != nil {
		return err
	}
	out := polygraphy.NewWriter(w)
	out.Begin(text)
	for i, named := range runs {
		var runtimes []float64
		if h.Kind == KindRun {
			runtimes = seconds(named.Run)
		}
		sets, err := h.Runs[i].inFile(named.Run.Outputs())
		if err != nil {
			return err
		}
		out.Runner(i, named.Name, sets, runtimes)
	}
	out.End(h.Polygraphy == "")
	return out.Close()
}

// seconds returns the run times in seconds, as Polygraphy stores them; NaN means unknown.
func seconds(run *backends.Run) []float64 {
	all := make([]float64, run.Len())
	for i, iteration := range run.Iterations() {
		all[i] = math.NaN()
		if iteration.Runtime >= 0 {
			all[i] = iteration.Runtime.Seconds()
		}
	}
	return all
}
