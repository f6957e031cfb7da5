package noise

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
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
	ctx, err := backends.Lasting(run)
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
const format = 1

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
	return filepath.Join(dir, fmt.Sprintf("%x.json", sha256.Sum256(key))), nil
}

// mostCached bounds what is read from the cache.
const mostCached = 1 << 30

// read takes a file that is whole and is noise of so many runs; anything else is measured again.
func read(path string, runs int) (*compare.Noise, bool) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	noise := new(compare.Noise)
	err = json.NewDecoder(io.LimitReader(f, mostCached)).Decode(noise)
	if err != nil || noise.Runs != runs || noise.Validate() != nil {
		return nil, false
	}
	return noise, true
}

func write(path string, noise *compare.Noise) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("noise: cache: %w", err)
	}
	err := wholefile.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(noise) })
	if err != nil {
		return fmt.Errorf("noise: cache: %w", err)
	}
	return nil
}
