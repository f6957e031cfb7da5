package noise

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
)

// noteName is the key of a run's note that contains its noise. Notes are optional data in a run's
// file.
const noteName = "noise"

// note is the form in which noise is stored in a run's file, with the checksums of the model and
// the inputs that it was measured on.
type note struct {
	Format       int    `json:"format"`
	Engine       string `json:"engine"` // the engine that measured the noise
	EngineText   string `json:"engine_text"`
	Version      string `json:"version,omitempty"`
	ModelSHA256  string `json:"model_sha256"`
	InputsSHA256 string `json:"inputs_sha256"`
	compare.Noise
	Outputs [][]noteOutput `json:"outputs"` // instead of Noise.Outputs
	// Power contains faults with a Change of 0 instead of +Inf, which JSON cannot represent.
	Power   []Planted `json:"power,omitempty"`
	NoPower string    `json:"no_power,omitempty"` // why Power is not known
	Sum     string    `json:"sum"`                // SHA-256 of the note without Sum
}

// noteOutput is the noise of one output. Its Sigma replaces OutputNoise.Sigma: it is base64 of
// little-endian float32.
type noteOutput struct {
	compare.OutputNoise
	Sigma []byte `json:"sigma,omitempty"`
}

// keep stores measured noise in the notes of a run. r.run is the run whose noise was measured: run
// itself, or a different run of the same model on the same inputs. The note also contains a
// checksum and the result of [Power] with default settings, so that later comparisons need not run
// [Power] again.
func (r *Reference) keep(run *backends.Run) (*backends.Run, error) {
	p, of := run.Provenance, r.run.Provenance
	switch {
	case p.ModelSHA256 == "" || p.InputsSHA256 == "":
		return nil, errors.New("noise: the run does not record its model and inputs, so noise cannot " +
			"be stored with it")
	case p.ModelSHA256 != of.ModelSHA256 || p.InputsSHA256 != of.InputsSHA256:
		return nil, errors.New("noise measured on a different model or different inputs cannot be " +
			"stored with this run")
	}
	n := note{Format: format, Engine: r.engine, EngineText: r.engineText, Version: of.Version,
		ModelSHA256: of.ModelSHA256, InputsSHA256: of.InputsSHA256, Noise: *r.Noise}
	for _, outputs := range r.Noise.Outputs {
		packed := make([]noteOutput, len(outputs))
		for i, o := range outputs {
			packed[i].OutputNoise = o
			for _, s := range o.Sigma {
				packed[i].Sigma = binary.LittleEndian.AppendUint32(packed[i].Sigma,
					math.Float32bits(float32(min(s, math.MaxFloat32))))
			}
		}
		n.Outputs = append(n.Outputs, packed)
	}
	planted, err := r.planted(compare.Bars{})
	if _, ended := backends.ContextOf(r.run); ended != nil { // says nothing about the model
		return nil, err
	}
	if err != nil {
		n.NoPower = err.Error()
	}
	for _, p := range planted {
		if math.IsInf(p.Change, 1) {
			p.Change = 0
		}
		n.Power = append(n.Power, p)
	}
	if n.Sum, err = n.sum(); err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	text, err := json.Marshal(n)
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	return run.WithNotes(map[string]json.RawMessage{noteName: text}), nil
}

// power returns the planted faults that the note contains. The note stores an infinite Change as 0,
// and power turns the 0 back into +Inf.
func (n *note) power() []Planted {
	list := slices.Clone(n.Power)
	for i := range list {
		if list[i].Change == 0 {
			list[i].Change = math.Inf(1)
		}
	}
	return list
}

// sum returns the checksum of the note without its Sum.
func (n note) sum() (string, error) {
	n.Sum = ""
	text, err := json.Marshal(n)
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// storedNoise returns the noise stored in the run's file, or nil if there is none.
func storedNoise(run *backends.Run) (*note, *compare.Noise, error) {
	text, ok := run.Notes()[noteName]
	if !ok {
		return nil, nil, nil
	}
	n := new(note)
	if err := json.Unmarshal(text, n); err != nil {
		return nil, nil, fmt.Errorf("stored noise: %w", err)
	}
	p := run.Provenance
	for _, belongs := range []struct{ what, to, of string }{
		{"a different model", p.ModelSHA256, n.ModelSHA256},
		{"different inputs", p.InputsSHA256, n.InputsSHA256},
	} {
		if belongs.to != belongs.of || belongs.of == "" {
			return nil, nil, fmt.Errorf("the noise in the file was measured on %s, with sha256 "+
				"%.12s; expected %.12s; write the file again", belongs.what, belongs.of, belongs.to)
		}
	}
	if n.Format != format {
		return nil, nil, nil // another version measured it, by other rules
	}
	if sum, err := n.sum(); err != nil || sum != n.Sum {
		return nil, nil, errors.New("stored noise does not match its checksum: the file is damaged or " +
			"was edited by hand; write the file again")
	}
	noise := n.Noise
	for _, outputs := range n.Outputs {
		unpacked := make([]compare.OutputNoise, len(outputs))
		for i, o := range outputs {
			if len(o.Sigma)%4 != 0 {
				return nil, nil, fmt.Errorf("stored noise: output %q: sigma: %d bytes are not a multiple of 4",
					o.Name, len(o.Sigma))
			}
			unpacked[i] = o.OutputNoise
			unpacked[i].Sigma = make([]float64, len(o.Sigma)/4)
			for k := range unpacked[i].Sigma {
				bits := binary.LittleEndian.Uint32(o.Sigma[4*k:])
				unpacked[i].Sigma[k] = float64(math.Float32frombits(bits))
			}
		}
		noise.Outputs = append(noise.Outputs, unpacked)
	}
	if err := noise.Validate(); err != nil {
		return nil, nil, fmt.Errorf("stored noise: %w", err)
	}
	return n, &noise, nil
}
