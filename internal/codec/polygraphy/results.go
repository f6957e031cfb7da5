package polygraphy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/modelparity/modelparity/internal/jsonstream"
	"github.com/modelparity/modelparity/internal/spill"
)

// Results is the content of a file of saved outputs.
type Results struct {
	Runners []Runner // in the file's order; several may have the same name
	// Head is the JSON value under [HeadKey], or nil if the file has none. Polygraphy ignores it.
	Head []byte
}

// HeadKey is the JSON key of the file header, which is the part of a file that only modelparity
// reads.
const HeadKey = "modelparity"

// Runner contains the iterations of one runner.
type Runner struct {
	Name       string
	Iterations []Iteration
}

// Iteration contains a runner's outputs for one set of inputs.
type Iteration struct {
	Outputs []Named
	Runtime float64 // in seconds; NaN if the file has null or NaN
}

// ReadResults reads saved outputs. size is the length of r in bytes. It preserves the order of
// runners and outputs, and keeps all runners with the same name. If there are many iterations, most
// are not kept in memory: see [spill.Keeper].
func ReadResults(r io.Reader, size int64) (Results, error) {
	f := newFile(r, size)
	f.kept = new(spill.Keeper)
	var results Results
	found := false
	err := f.Object(func(key string) (err error) {
		switch key {
		case HeadKey:
			if results.Head != nil {
				return f.Errorf("duplicate key %q", HeadKey)
			}
			results.Head, err = f.head()
		case "lst":
			if found {
				return f.Errorf(`duplicate key "lst"`)
			}
			found = true
			err = f.Array(func(i int) error {
				runner, err := f.runner()
				if err != nil {
					return fmt.Errorf("runner %d: %w", i, err)
				}
				results.Runners = append(results.Runners, runner)
				return f.take(perRunner)
			})
		case classKey:
			err = f.class("RunResults")
		default:
			err = f.Skip()
		}
		return err
	})
	if err == nil && !found {
		err = f.Errorf(`no "lst" key: these are not saved outputs`)
	}
	if err == nil {
		err = f.End()
	}
	return results, err
}

// ReadHead reads only the value under [HeadKey], which must be the file's first key. If it is not,
// ReadHead returns nil.
func ReadHead(r io.Reader, size int64) (text []byte, err error) {
	f := newFile(r, size)
	err = f.Object(func(key string) (err error) {
		if key == HeadKey {
			if text, err = f.head(); err != nil {
				return err
			}
		}
		return errSeen
	})
	if errors.Is(err, errSeen) {
		err = nil
	}
	return text, err
}

// head reads the value under [HeadKey]. It rejects a file header that describes more than the size
// of the file justifies: a small header could describe 10 million empty runs, which would take
// gigabytes of memory.
func (f file) head() ([]byte, error) {
	text, err := f.Raw()
	if err != nil {
		return nil, err
	}
	quoted := false
	for i := 0; i < len(text); i++ {
		need := 0
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '{':
			need = 300
		case c == '[':
			need = 48
		case c == ',':
			need = 24
		case c == ':' && startsText(text[i+1:]):
			need = 80 // such as an option, which is a map entry
		}
		if need > 0 {
			if err := f.take(need); err != nil {
				return nil, fmt.Errorf("the file header %q: %w", HeadKey, err)
			}
		}
	}
	return text, nil
}

// startsText reports whether text starts with a JSON string.
func startsText(text []byte) bool {
	text = bytes.TrimLeft(text[:min(8, len(text))], " \n")
	return len(text) > 0 && text[0] == '"'
}

// runner reads a runner, which is a pair: a name and a list of iterations.
func (f file) runner() (Runner, error) {
	var runner Runner
	err := f.tuple("a runner must be [name, [iteration, …]]", func() (err error) {
		runner.Name, err = f.String()
		return err
	}, func() error {
		return f.Array(func(k int) error {
			f.first = k == 0
			iteration, err := f.iteration()
			if err != nil {
				return fmt.Errorf("iteration %d: %w", k, err)
			}
			runner.Iterations = append(runner.Iterations, iteration)
			return f.take(perIteration)
		})
	})
	return runner, err
}

func (f file) iteration() (Iteration, error) {
	iteration := Iteration{Runtime: math.NaN()}
	found := false
	err := f.Object(func(key string) (err error) {
		switch key {
		case "outputs":
			if found {
				return f.Errorf(`duplicate key "outputs"`)
			}
			found = true
			iteration.Outputs, err = f.arrays()
		case "runtime":
			iteration.Runtime, err = f.runtime()
		case classKey:
			err = f.class("IterationResult")
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
