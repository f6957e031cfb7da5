package noise

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// noteName is the key of a run's note that contains its noise. Notes are optional data in a run's
// file.
const noteName = "noise"

// note is the form in which noise is stored in a run's file, with the checksums of the model and
// the inputs that it was measured on. Lists of numbers are base64 of little-endian float32 or
// uint32.
type note struct {
	Format       int            `json:"format"`
	Engine       string         `json:"engine"` // the engine that measured the noise
	EngineText   string         `json:"engine_text"`
	Version      string         `json:"version,omitempty"`
	ModelSHA256  string         `json:"model_sha256"`
	InputsSHA256 string         `json:"inputs_sha256"`
	Runs         int            `json:"runs"`
	Addends      int            `json:"addends"`
	Convolved    int            `json:"convolved,omitempty"`
	Reordered    bool           `json:"reordered,omitempty"`
	Moved        string         `json:"moved,omitempty"`
	Unseen       map[string]int `json:"unseen,omitempty"`
	Outputs      [][]noteOutput `json:"outputs"`
	Power        []keptFault    `json:"power,omitempty"`
	NoPower      string         `json:"no_power,omitempty"` // why Power is not known
	Sum          string         `json:"sum"`                // SHA-256 of the note without Sum
}

// keptFault is [Planted] in a form for JSON, which cannot represent infinity.
type keptFault struct {
	Constant string  `json:"constant"`
	Whole    bool    `json:"whole,omitempty"`
	Scale    bool    `json:"scale,omitempty"`
	Change   float64 `json:"change"` // 0: not even doubling is caught
}

type noteOutput struct {
	Name        string       `json:"name"`
	Shape       tensor.Shape `json:"shape"`
	RMS         float64      `json:"rms"`
	Independent float64      `json:"independent"`
	Prior       float64      `json:"prior"`
	Sigma       []byte       `json:"sigma,omitempty"`
	Unsettled   []byte       `json:"unsettled,omitempty"`
}

// keep stores noise in the notes of a run. measured is the run whose noise was measured: run
// itself, or a different run of the same model on the same inputs. The note also contains a
// checksum, and the faults that a comparison with default settings catches ([Power]), so that later
// comparisons need not measure them again.
func keep(run, measured *backends.Run, noise *compare.Noise, given backends.Engine) (*backends.Run,
	error) {
	p, of := run.Provenance, measured.Provenance
	switch {
	case p.ModelSHA256 == "" || p.InputsSHA256 == "":
		return nil, errors.New("noise: the run does not record its model and inputs, so noise cannot " +
			"be stored with it")
	case p.ModelSHA256 != of.ModelSHA256 || p.InputsSHA256 != of.InputsSHA256:
		return nil, errors.New("noise measured on a different model or different inputs cannot be " +
			"stored with this run")
	}
	n := note{Format: format, Version: of.Version, ModelSHA256: of.ModelSHA256,
		InputsSHA256: of.InputsSHA256, Runs: noise.Runs, Addends: noise.Addends,
		Convolved: noise.Convolved, Unseen: noise.Unseen, Reordered: noise.Reordered, Moved: noise.Moved}
	measuring := given
	if measuring == nil {
		var err error
		if measuring, err = reference(measured.Subject().Engine); err != nil {
			return nil, fmt.Errorf("noise: %w", err)
		}
	}
	n.Engine, n.EngineText = measuring.String(), measuring.Text()
	for _, outputs := range noise.Outputs {
		packed := []noteOutput{}
		for i := range outputs {
			packed = append(packed, pack(&outputs[i]))
		}
		n.Outputs = append(n.Outputs, packed)
	}
	n.find(measured, noise, given)
	var err error
	if n.Sum, err = n.sum(); err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	text, err := json.Marshal(n)
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	return run.WithNotes(map[string]json.RawMessage{noteName: text}), nil
}

// find adds to the note the faults that a comparison with default settings catches ([Power]) or, if
// they cannot be measured, the reason.
func (n *note) find(measured *backends.Run, noise *compare.Noise, given backends.Engine) {
	ctx, err := backends.ContextOf(measured)
	var planted []Planted
	if err == nil {
		planted, err = Power(ctx, measured.Subject(), noise, compare.NoiseBars{}, In(given))
	}
	if err != nil {
		n.NoPower = err.Error()
	}
	for _, p := range planted {
		f := keptFault{Constant: p.Constant, Whole: p.Whole}
		if !math.IsInf(p.Change, 1) {
			f.Change = p.Change
		}
		n.Power = append(n.Power, f)
	}
}

// power returns the faults in the note, in the form in which [Power] returned them.
func (n *note) power() []Planted {
	var list []Planted
	for _, f := range n.Power {
		p := Planted(f)
		if f.Change == 0 {
			p.Change = math.Inf(1)
		}
		list = append(list, p)
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
			return nil, nil, fmt.Errorf("stored noise belongs to %s (sha256 %.12s; this run has %.12s): "+
				"write the file again", belongs.what, belongs.of, belongs.to)
		}
	}
	if n.Format != format {
		return nil, nil, nil // another version measured it, by other rules
	}
	if sum, err := n.sum(); err != nil || sum != n.Sum {
		return nil, nil, errors.New("stored noise does not match its checksum: the file is damaged or " +
			"was edited by hand; write the file again")
	}
	noise := &compare.Noise{Runs: n.Runs, Addends: n.Addends, Convolved: n.Convolved, Unseen: n.Unseen,
		Reordered: n.Reordered, Moved: n.Moved}
	for _, outputs := range n.Outputs {
		var unpacked []compare.OutputNoise
		for i := range outputs {
			o, err := outputs[i].unpack()
			if err != nil {
				return nil, nil, fmt.Errorf("stored noise: output %q: %w", outputs[i].Name, err)
			}
			unpacked = append(unpacked, o)
		}
		noise.Outputs = append(noise.Outputs, unpacked)
	}
	if err := noise.Validate(); err != nil {
		return nil, nil, fmt.Errorf("stored noise: %w", err)
	}
	return n, noise, nil
}

func pack(o *compare.OutputNoise) noteOutput {
	var sigma, unsettled []byte
	for _, s := range o.Sigma {
		sigma = binary.LittleEndian.AppendUint32(sigma, math.Float32bits(narrow(s)))
	}
	for _, i := range o.Unsettled {
		unsettled = binary.LittleEndian.AppendUint32(unsettled, uint32(i))
	}
	return noteOutput{Name: o.Name, Shape: o.Shape, RMS: o.RMS, Independent: o.Independent,
		Prior: o.Prior, Sigma: sigma, Unsettled: unsettled}
}

// narrow converts a spread to float32. Spreads above the largest finite float32 become that number.
func narrow(sigma float64) float32 { return float32(min(sigma, math.MaxFloat32)) }

func (o *noteOutput) unpack() (compare.OutputNoise, error) {
	n := compare.OutputNoise{Name: o.Name, Shape: o.Shape, RMS: o.RMS, Independent: o.Independent,
		Prior: o.Prior}
	sigma, err := words(o.Sigma)
	if err != nil {
		return n, fmt.Errorf("sigma: %w", err)
	}
	for _, bits := range sigma {
		n.Sigma = append(n.Sigma, float64(math.Float32frombits(bits)))
	}
	unsettled, err := words(o.Unsettled)
	if err != nil {
		return n, fmt.Errorf("unsettled: %w", err)
	}
	for _, i := range unsettled {
		n.Unsettled = append(n.Unsettled, int(i))
	}
	return n, nil
}

// words returns the 32-bit little-endian words in data.
func words(data []byte) ([]uint32, error) {
	if len(data)%4 != 0 {
		return nil, fmt.Errorf("%d bytes are not a multiple of 4", len(data))
	}
	list := make([]uint32, len(data)/4)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return list, nil
}
