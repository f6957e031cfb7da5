package backends

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/overlay"
)

// Provenance records what produced a run, so that a message about a mismatch can say how each of
// the two runs was computed. It contains no times and no paths, so repeating the run later gives
// the same provenance.
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

	// Mutant says what `modelparity mutate` changed in the files of the process that made the run.
	// It is "" for every other run.
	Mutant string `json:"mutant,omitempty"`

	// Computed is [Float32] if the engine computed the model's float32 operations in float32, and
	// [Float64] or [Narrowed] if the model also has float64 operations. If operations were computed in
	// a lower precision, it names them: "int8 in 2 MatMulNBits (accuracy level 4)". It is "" if the
	// engine does not reveal the precision.
	Computed string `json:"computed,omitempty"`
}

// Values of [Provenance.Computed] if nothing was computed in a lower precision than float32.
const (
	Float32  = "float32"
	Float64  = "float64"                    // float64 operations were computed in float64
	Narrowed = "float32 instead of float64" // float64 operations were computed in float32
)

// Precision says in which precision the run was computed: "computed in float32".
func (p Provenance) Precision() string {
	switch p.Computed {
	case "":
		return "computed in an unknown precision"
	case Float32:
		return "computed in float32"
	case Float64:
		return "computed in float32, and float64 operations in float64"
	case Narrowed:
		return "computed in float32, even float64 operations"
	}
	return "computed in float32 except " + p.Computed
}

// NotFloat32 returns an error if the engine reports that it did not compute the run in float32.
// Other runs cannot be judged against such a run.
func (p Provenance) NotFloat32() error {
	switch p.Computed {
	case "", Float32, Float64, Narrowed:
		return nil
	}
	return fmt.Errorf("%v is not a float32 reference for %s: %s; use an engine or options that "+
		"compute in float32", p, p.Model, p.Precision())
}

// String returns the engine's name for messages: "onnxruntime 1.31.1 (CPUExecutionProvider)".
func (p Provenance) String() string {
	text := cmp.Or(p.Backend, "unknown backend")
	if p.Version != "" {
		text += " " + p.Version
	}
	if p.Provider != "" {
		text += " (" + p.Provider + ")"
	}
	return text
}

// describe adds the origin, the notes and the seed of the inputs. If `modelparity mutate` has
// changed a file that this process reads, describe adds what was changed.
func (p *Provenance) describe(inputs fixtures.Inputs) {
	origin := inputs.Origin()
	p.Inputs = strings.Join(append([]string{origin.Text}, inputs.Notes()...), "; ")
	p.Seed, p.Mutant = origin.Seed, overlay.Mutant()
}
