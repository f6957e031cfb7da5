package runs

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/internal/setfile"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// WriteRuns saves runs in the format that path's extension selects: .json is Polygraphy's format;
// no extension is Polygraphy's directory form, in which each file contains one iteration of every
// run; .npz, .npy, .pb and .safetensors store a single iteration of a single run. A stream without
// an extension, such as /dev/stdout, gets JSON. Unlike golden files, saved runs keep run times, NaN
// and infinities.
//
// If WriteRuns fails, it leaves no partial files. It is an error to save no runs, or a run without
// outputs.
func WriteRuns(path string, runs []Named) error {
	var err error
	if len(runs) == 0 {
		err = fmt.Errorf("no run to save")
	}
	for _, named := range runs {
		if incomplete := runfile.Complete(named.Run); err == nil && incomplete != nil {
			err = fmt.Errorf("run %q: %w", named.Name, incomplete)
		}
	}
	if err == nil {
		switch extension := strings.ToLower(filepath.Ext(path)); {
		case extension == ".json" || extension == "" && wholefile.IsStream(path):
			err = saveJSON(path, runs)
		case extension == "":
			err = saveFolder(path, runs)
		case len(runs) != 1 || len(runs[0].Run.Iterations()) != 1:
			err = fmt.Errorf("%s can store only one iteration of one run; use .json", extension)
		default:
			err = setfile.WriteSet(path, runs[0].Run.Iterations()[0].Outputs)
		}
	}
	if err != nil {
		return fmt.Errorf("save %w", located.In(path, err))
	}
	return nil
}

func saveJSON(path string, runs []Named) error {
	all := make([]runfile.Runner, len(runs))
	for i, r := range runs {
		all[i] = runfile.Runner{Name: r.Name, Run: r.Run}
	}
	h, err := runfile.HeadOf(runfile.KindRun, all)
	if err != nil {
		return err
	}
	return wholefile.Write(path, func(w io.Writer) error { return runfile.WriteResults(w, h, all) })
}

// saveFolder writes one file per iteration. Each file contains this iteration of every run. It is
// an error if the runs have different numbers of iterations: the later files would contain only
// the longer runs, and Polygraphy would assign these runs to the wrong runners.
func saveFolder(path string, runs []Named) error {
	n := len(runs[0].Run.Iterations())
	for _, named := range runs {
		if len(named.Run.Iterations()) != n {
			return fmt.Errorf("run %q has %d iterations, but run %q has %d, which a folder cannot store; "+
				"save as .json instead", runs[0].Name, n, named.Name, len(named.Run.Iterations()))
		}
	}
	if err := setfile.MakeFolder(path); err != nil {
		return err
	}
	for i := range n {
		one := make([]Named, len(runs))
		for k, named := range runs {
			one[k] = Named{Name: named.Name, Run: backends.NewRun(named.Run.Provenance,
				named.Run.Iterations()[i])}
		}
		if err := saveJSON(filepath.Join(path, fmt.Sprintf("%010d.json", i)), one); err != nil {
			return err
		}
	}
	return nil
}
