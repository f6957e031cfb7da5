package polygraphy

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/modelparity/modelparity/internal/jsonstream"
)

// Results is the content of a file of saved outputs.
type Results struct {
	Runners []Runner // in the file's order; names may repeat
	// Head is the JSON value under [HeadKey], nil where the file has none. Polygraphy ignores it.
	Head []byte
}

// HeadKey is the key under which modelparity's own part of a file stands.
const HeadKey = "modelparity"

// Runner is one runner's iterations.
type Runner struct {
	Name       string
	Iterations []Iteration
}

// Iteration is what a runner gave for one set of inputs.
type Iteration struct {
	Outputs []Named
	Runtime float64 // in seconds; NaN where the file has null or NaN
}

// ReadResults reads saved outputs, size being the length of r in bytes. Object order is kept, and
// so are runners of one name.
func ReadResults(r io.Reader, size int64) (Results, error) {
	f := file{jsonstream.NewDecoder(r), size}
	var results Results
	found := false
	err := f.Object(func(key string) (err error) {
		switch key {
		case HeadKey:
			if results.Head != nil {
				return f.Errorf("%q is there twice", HeadKey)
			}
			results.Head, err = f.Raw()
		case "lst":
			if found {
				return f.Errorf(`"lst" is there twice`)
			}
			found = true
			err = f.Array(func(i int) error {
				runner, err := f.runner()
				if err != nil {
					return fmt.Errorf("runner %d: %w", i, err)
				}
				results.Runners = append(results.Runners, runner)
				return nil
			})
		case classKey:
			err = f.class("RunResults")
		default:
			err = f.Skip()
		}
		return err
	})
	if err == nil && !found {
		err = f.Errorf(`no "lst": these are not saved outputs`)
	}
	if err == nil {
		err = f.End()
	}
	return results, err
}

// runner reads a pair of a name and a list of iterations.
func (f file) runner() (Runner, error) {
	var runner Runner
	length := 0
	err := f.Array(func(i int) (err error) {
		length = i + 1
		switch i {
		case 0:
			runner.Name, err = f.String()
		case 1:
			err = f.Array(func(k int) error {
				iteration, err := f.iteration()
				if err != nil {
					return fmt.Errorf("iteration %d: %w", k, err)
				}
				runner.Iterations = append(runner.Iterations, iteration)
				return nil
			})
		default:
			err = f.Errorf("a runner is a pair of name and iterations, not more")
		}
		return err
	})
	if err == nil && length != 2 {
		err = f.Errorf("a runner is a pair of name and iterations, not less")
	}
	return runner, err
}

func (f file) iteration() (Iteration, error) {
	iteration := Iteration{Runtime: math.NaN()}
	found := false
	err := f.Object(func(key string) (err error) {
		switch {
		case key == "outputs":
			if found {
				return f.Errorf(`"outputs" is there twice`)
			}
			found = true
			iteration.Outputs, err = f.arrays()
		case key == "runtime":
			iteration.Runtime, err = f.runtime()
		case key == classKey:
			err = f.class("IterationResult")
		case strings.HasPrefix(key, legacyPrefix):
			if class := strings.TrimPrefix(key, legacyPrefix); class != "IterationResult" {
				return f.Errorf("an object of the class %.64q where IterationResult was expected", class)
			}
			err = f.Skip()
		default:
			err = f.Skip()
		}
		return err
	})
	if err == nil && !found {
		err = f.Errorf(`an iteration without "outputs"`)
	}
	return iteration, err
}

func (f file) runtime() (float64, error) {
	if kind, err := f.Kind(); err != nil || kind == jsonstream.Null {
		if err == nil {
			err = f.Null()
		}
		return math.NaN(), err
	}
	return f.Float()
}
