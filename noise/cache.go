package noise

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Of is the noise of a run: [Measure] of its subject, under its context, unless a cache has it. The
// key is the content of the model and of the inputs, the engine with its options and version, and
// the options given here. A run that does not say these, such as of an engine that others wrote, is
// measured anew.
func Of(run *backends.Run, options ...Option) (*compare.Noise, error) {
	if run == nil {
		return nil, errors.New("noise: no run to measure")
	}
	s, err := optionsOf(options)
	if err != nil {
		return nil, err
	}
	path, err := s.place(run)
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	if path != "" {
		if noise, ok := read(path, s.runs); ok {
			return noise, nil
		}
	}
	ctx, err := backends.ContextOf(run)
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	noise, err := Measure(ctx, run.Subject(), options...)
	if err != nil || path == "" {
		return noise, err
	}
	return noise, write(path, noise)
}

// CacheVariable is the environment variable that names the folder of the cache, instead of
// modelparity/noise in the user's.
const CacheVariable = "MODELPARITY_NOISE_CACHE"

// format changes where measured noise is no longer what this version would measure.
const format = 2

// place is the file of a run's noise, or "" where its content is not known.
func (s settingsOf) place(run *backends.Run) (string, error) {
	p, subject := run.Provenance, run.Subject()
	if subject.Engine == nil || p.ModelSHA256 == "" || p.InputsSHA256 == "" || p.Version == "" {
		return "", nil
	}
	dir := s.dir
	if dir == "" {
		dir = os.Getenv(CacheVariable)
	}
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", nil //nolint:nilerr // without a cache it is measured anew
		}
		dir = filepath.Join(cache, "modelparity", "noise")
	}
	key, err := json.Marshal([]any{format, p.ModelSHA256, p.InputsSHA256, p.Backend, p.Version,
		p.Provider, subject.Engine.Text(), p.Options, s.runs, s.seed})
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, fmt.Sprintf("%x.noise", sha256.Sum256(key))), nil
}

// mostCached bounds what is read from the cache.
const mostCached = 1 << 30

// cached is the head of a file of the cache: the noise without σ, whose numbers follow it, of each
// output in turn, as little-endian float64. As JSON they would take longer to read than to measure
// in some models.
type cached struct {
	Noise *compare.Noise `json:"noise"`
	Sigma []int          `json:"sigma"` // how many numbers each output has
}

// read takes a file that is whole and is noise of so many runs; anything else is measured again.
func read(path string, runs int) (*compare.Noise, bool) {
	if info, err := os.Stat(path); err != nil || info.Size() > mostCached {
		return nil, false
	}
	data, err := regular.Read(path)
	if err != nil {
		return nil, false
	}
	text, numbers, _ := bytes.Cut(data, []byte{'\n'})
	var head cached
	if json.Unmarshal(text, &head) != nil || head.Noise == nil || head.Noise.Runs != runs {
		return nil, false
	}
	next := head.Sigma
	for _, outputs := range head.Noise.Outputs {
		for i := range outputs {
			if len(next) == 0 || next[0] < 0 || next[0] > len(numbers)/8 {
				return nil, false
			}
			n := next[0]
			if outputs[i].Sigma = nil; n > 0 {
				outputs[i].Sigma = make([]float64, n)
			}
			for k := range outputs[i].Sigma {
				outputs[i].Sigma[k] = math.Float64frombits(binary.LittleEndian.Uint64(numbers[8*k:]))
			}
			next, numbers = next[1:], numbers[8*n:]
		}
	}
	if len(next)+len(numbers) > 0 || head.Noise.Validate() != nil {
		return nil, false
	}
	return head.Noise, true
}

func write(path string, noise *compare.Noise) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("noise: cache: %w", err)
	}
	bare := *noise
	head := cached{Noise: &bare, Sigma: []int{}}
	bare.Outputs = nil
	var numbers []byte
	for _, outputs := range noise.Outputs {
		list := slices.Clone(outputs)
		for i := range list {
			head.Sigma = append(head.Sigma, len(list[i].Sigma))
			for _, v := range list[i].Sigma {
				numbers = binary.LittleEndian.AppendUint64(numbers, math.Float64bits(v))
			}
			list[i].Sigma = nil
		}
		bare.Outputs = append(bare.Outputs, list)
	}
	err := wholefile.Write(path, func(w io.Writer) error {
		if err := json.NewEncoder(w).Encode(head); err != nil { // which ends the line
			return err
		}
		_, err := w.Write(numbers)
		return err
	})
	if err != nil {
		return fmt.Errorf("noise: cache: %w", err)
	}
	return nil
}
