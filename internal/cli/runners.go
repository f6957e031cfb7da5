package cli

import (
	"slices"

	_ "github.com/modelparity/modelparity/backends/served/grpc" // for grpc:// URLs
)

// runners returns the flags of engines as help sections. tensorrt is separate, because it is long
// and comes at the end of a command's help.
func (r *running) runners() (runners []section, tensorrt section) {
	for _, s := range r.engines.Sections() {
		runners = append(runners, section{s.Title, s.Flags})
	}
	return runners, section{"TensorRT", append(r.engines.TensorRT(), r.engines.SaveEngine())}
}

// around returns the sections of a command that runs a model: its own, the engines', the inputs',
// and the rest. TensorRT's long section is the last.
func (r *running) around(own []section, rest ...section) []section {
	runners, tensorrt := r.runners()
	return slices.Concat(own, runners, []section{part("Inputs", r.inputs.List()...)}, rest,
		[]section{tensorrt})
}

// expected returns the section with the flags that apply only to the expected side.
func (r *running) expected() section { return section{"Expected side", r.engines.Expected()} }

// builder returns Polygraphy's flags for building an engine.
func (r *running) builder() section { return section{"TensorRT", r.engines.TensorRT()} }
