package main

import (
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt/flags"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/loaders"
)

// flag is a flag of run or of compare; both fill the same request.
type flag = arguments.Flag[request]

// request is everything that a command line asks for.
type request struct {
	// What runs.
	runners   []string // one entry for each, in order
	session   []ort.Option
	providers []string
	fp32      bool // in so many words
	trt       flags.Flags
	engine    string // that convert writes
	modelType string
	warmUp    int
	marks     loaders.Selection
	locating  locating
	reducing  reducing
	cutting   cutting
	voting    voting

	providerOptions []ort.Option

	// What it is fed with.
	shapes     []values.Named[[]int]
	ranges     []values.Named[[2]float64]
	seed       *int64
	iterations *int
	loadInputs []string

	// What is compared, and how.
	loadOutputs []string
	functions   []string // names of --compare, in order; none means simple
	thresholds  perOutput[float64]
	stats       perOutput[string]
	topK        map[string]compare.TopK
	options     compare.Options // the switches
	asked       bool            // to compare, in so many words

	// What is written.
	saveInputs, saveBlobs, saveOutputs string // "" for nothing
	outputDir                          string
	report                             string
	accuracy                           string // as Polygraphy saves it
	log                                string
	volume                             int // of what is printed: 0 is normal, below it is less
	help                               bool

	files files.Account // all of them
	piped bool          // one of the outputs is standard output
}

// perOutput is the values of several flags: the flag, then the output ("" for every other one),
// then the values in the order they were given.
type perOutput[V any] map[string]map[string][]V

// add appends a value.
func (p perOutput[V]) add(flag, output string, value V) {
	if p[flag] == nil {
		p[flag] = map[string][]V{}
	}
	p[flag][output] = append(p[flag][output], value)
}

// of gives the values for an output: its own, or those for every output, or none.
func (p perOutput[V]) of(flag, output string) []V {
	if own := p[flag][output]; len(own) > 0 {
		return own
	}
	return p[flag][""]
}

// newRequest is a request before the first flag.
func newRequest() request {
	return request{
		thresholds: perOutput[float64]{},
		stats:      perOutput[string]{},
		topK:       map[string]compare.TopK{},
	}
}
