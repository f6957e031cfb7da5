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
	"strings"

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

// format is part of the cache key. Increase it when the measurement changes.
const format = 9

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

// cached is the JSON header of a cache file: the noise without its standard deviations, σ. The σ of
// each output follow as float64 in the machine's byte order, because reading them from JSON would
// take longer than measuring some models. The file ends with the SHA-256 of its contents, because a
// damaged σ that is too large would excuse any error.
type cached struct {
	Noise *compare.Noise `json:"noise"`
	Sigma []int          `json:"sigma"` // count of σ per output
}

// read returns cached noise. It ignores a file that is incomplete, and noise that was not measured
// in the given number of runs. If runs is 0, any number of runs will do.
func read(path string, runs int) (*compare.Noise, bool) {
	if info, err := os.Stat(path); err != nil || info.Size() > mostCached {
		return nil, false
	}
	data, err := regular.Read(path)
	if err != nil || len(data) < sha256.Size {
		return nil, false
	}
	data, stated := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	intact := make(chan bool, 1)
	go func() { // hashing takes as long as the rest
		sum := sha256.Sum256(data)
		intact <- bytes.Equal(sum[:], stated)
	}()
	text, numbers, _ := bytes.Cut(data, []byte{'\n'})
	var head cached
	if (len(text)+1)%8 != 0 || json.Unmarshal(text, &head) != nil || head.Noise == nil ||
		runs != 0 && head.Noise.Runs != runs {
		return nil, false
	}
	next := head.Sigma
	for _, outputs := range head.Noise.Outputs {
		for i := range outputs {
			if len(next) == 0 || next[0] < 0 || next[0] > len(numbers)/8 {
				return nil, false
			}
			n := next[0]
			outputs[i].Sigma = overview.View[float64](numbers[:8*n])
			next, numbers = next[1:], numbers[8*n:]
		}
	}
	whole := len(next)+len(numbers) == 0 && head.Noise.Validate() == nil
	return head.Noise, <-intact && whole
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
				numbers = binary.NativeEndian.AppendUint64(numbers, math.Float64bits(v))
			}
			list[i].Sigma = nil
		}
		bare.Outputs = append(bare.Outputs, list)
	}
	err := wholefile.Write(path, func(w io.Writer) error {
		sum := sha256.New()
		both := io.MultiWriter(w, sum)
		text, err := json.Marshal(head)
		if err != nil {
			return err
		}
		padding := strings.Repeat(" ", 7-len(text)%8) // σ are read in place, so they must be aligned
		if _, err := fmt.Fprintf(both, "%s%s\n", text, padding); err != nil {
			return err
		}
		if _, err := both.Write(numbers); err != nil {
			return err
		}
		_, err = w.Write(sum.Sum(nil))
		return err
	})
	if err != nil {
		return fmt.Errorf("noise: cache: %w", err)
	}
	return nil
}
