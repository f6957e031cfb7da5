package main

import (
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt/flags"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	compareflags "github.com/modelparity/modelparity/compare/flags"
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
	castInputs bool

	// What is compared, and how.
	loadOutputs []string
	comparison  compareflags.Flags

	// What is written.
	saveInputs, saveBlobs, saveOutputs string // "" for nothing
	outputDir                          string
	report                             string
	accuracy                           string // as Polygraphy saves it
	log                                string
	volume                             int // of what is printed: 0 is normal, below it is less
	silent                             bool
	// unnamed is the outputs that go into outputDir under a default name, by their flags.
	unnamed map[string]string
	help    bool

	files files.Account // all of them
	piped bool          // one of the outputs is standard output
}
