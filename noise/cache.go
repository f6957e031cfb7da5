package noise

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/overview"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Of returns the noise of a run. It calls [Measure] with the run's subject, in the run's context,
// unless the result is cached. The cache key covers the contents of the model and the inputs, the
// measuring engine and its version, and the options. If a run does not record its model and inputs,
// its noise is measured every time.
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

// CacheVariable is the environment variable that sets the cache folder. The default is
// modelparity/noise in the user's cache directory.
const CacheVariable = "MODELPARITY_NOISE_CACHE"

// format is the version of how noise is measured and stored. It is part of the cache key, and
// golden files and saved runs store it next to their noise. Increase it with every change.
const format = 10

// place returns the path of a run's cache file, or "" if the noise of the run cannot be cached.
func (s settingsOf) place(run *backends.Run) (string, error) {
	p, measuring := run.Provenance, s.engine
	if p.ModelSHA256 == "" || p.InputsSHA256 == "" {
		return "", nil
	}
	version := p.Version // the measuring engine's: an engine given by In also makes the run
	if measuring == nil {
		var err error
		if measuring, err = reference(run.Subject().Engine); err != nil {
			return "", err
		}
		_, version, _ = onnxruntime.Running()
	}
	if version == "" {
		return "", nil
	}
	dir := s.dir
	if dir == "" {
		dir = os.Getenv(CacheVariable)
	}
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", nil //nolint:nilerr // without a cache, measure every time
		}
		dir = filepath.Join(cache, "modelparity", "noise")
	}
	key, err := json.Marshal([]any{format, p.ModelSHA256, p.InputsSHA256, version, measuring.Text(),
		s.engine != nil, s.runs, s.seed})
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, fmt.Sprintf("%x.noise", sha256.Sum256(key))), nil
}

// mostCached is the size in bytes above which a cache file is ignored.
const mostCached = 1 << 30

// cached is the content of a cache file, in the format of encoding/gob: the measured standard
// deviation σ of each element, and the rest of the noise. The file ends with the SHA-256 of this
// content, because a σ that is too large, in a damaged file, would excuse any error.
type cached struct {
	Noise compare.Noise // without its σ
	// Sigma contains each output's σ as float64 in the machine's byte order. Decoding numbers would
	// take longer than measuring some models.
	Sigma [][]byte
}

// read returns cached noise. It ignores a damaged file, and noise that was not measured in the
// given number of runs. If runs is 0, any number of runs will do.
func read(path string, runs int) (*compare.Noise, bool) {
	if info, err := os.Stat(path); err != nil || info.Size() > mostCached {
		return nil, false
	}
	data, err := regular.Read(path)
	if err != nil || len(data) < sha256.Size {
		return nil, false
	}
	data, stated := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	var c cached
	if sha256.Sum256(data) != [sha256.Size]byte(stated) ||
		gob.NewDecoder(bytes.NewReader(data)).Decode(&c) != nil {
		return nil, false
	}
	for _, outputs := range c.Noise.Outputs {
		for i := range outputs {
			if len(c.Sigma) == 0 {
				return nil, false
			}
			outputs[i].Sigma = overview.View[float64](c.Sigma[0])
			c.Sigma = c.Sigma[1:]
		}
	}
	return &c.Noise, (runs == 0 || c.Noise.Runs == runs) && c.Noise.Validate() == nil
}

func write(path string, noise *compare.Noise) error {
	c := cached{Noise: *noise}
	c.Noise.Outputs = nil
	for _, outputs := range noise.Outputs {
		bare := slices.Clone(outputs)
		for i := range bare {
			sigma, _ := binary.Append(nil, binary.NativeEndian, bare[i].Sigma) // never fails for float64
			c.Sigma = append(c.Sigma, sigma)
			bare[i].Sigma = nil
		}
		c.Noise.Outputs = append(c.Noise.Outputs, bare)
	}
	var data bytes.Buffer
	err := gob.NewEncoder(&data).Encode(c)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		sum := sha256.Sum256(data.Bytes())
		err = wholefile.WriteBytes(path, append(data.Bytes(), sum[:]...))
	}
	if err != nil {
		return fmt.Errorf("noise: cache: %w", err)
	}
	return nil
}
