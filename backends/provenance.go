package backends

import (
	"strings"

	"github.com/modelparity/modelparity/fixtures"
)

// Provenance records what produced a run, so that a message about a mismatch can name both sides.
// It holds no times and no paths, so repeating the run later gives the same provenance.
type Provenance struct {
	Backend      string            `json:"backend"`                 // "onnxruntime", "tensorrt"
	Version      string            `json:"version,omitempty"`       // the engine's version
	Provider     string            `json:"provider,omitempty"`      // "CPUExecutionProvider", or GPU
	Model        string            `json:"model,omitempty"`         // the model file's base name
	ModelSHA256  string            `json:"model_sha256,omitempty"`  // of the model and external data
	Inputs       string            `json:"inputs,omitempty"`        // [fixtures.Origin.Text], notes
	Seed         *int64            `json:"seed,omitempty"`          // [fixtures.Origin.Seed]
	InputsSHA256 string            `json:"inputs_sha256,omitempty"` // see [Digest]
	Options      map[string]string `json:"options,omitempty"`       // others that affect the results
}

// String returns the engine's name for messages: "onnxruntime 1.31.1 (CPUExecutionProvider)".
func (p Provenance) String() string {
	text := p.Backend
	if text == "" {
		text = "unknown backend"
	}
	if p.Version != "" {
		text += " " + p.Version
	}
	if p.Provider != "" {
		text += " (" + p.Provider + ")"
	}
	return text
}

// describe adds the origin, the notes and the seed of the inputs.
func (p *Provenance) describe(inputs fixtures.Inputs) {
	origin := inputs.Origin()
	p.Inputs = strings.Join(append([]string{origin.Text}, inputs.Notes()...), "; ")
	p.Seed = origin.Seed
}
