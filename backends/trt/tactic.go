package trt

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// tactics is what the options say of a build's tactics, the implementations that TensorRT chose
// for layers.
type tactics struct {
	save, load string // files
	replay     *replay
}

// SaveTactics records which implementation TensorRT chose for every layer, in a file as
// Polygraphy's --save-tactics writes it. [LoadTactics] and Polygraphy's --load-tactics build with
// the same choices again: where two builds of a model give other numbers, this tells whether the
// choices are why.
//
// The file is written after each build, whole or not at all. A recording engine is always built:
// one from the engine cache has no choices to tell. With a [TimingCache] that has a layer's
// timings, they decide about it; without one the build measures everything. The engines of debug
// tensors are not recorded. TensorRT 10 only: 11 has editable timing caches instead.
func SaveTactics(path string) Option {
	return func(s *settings) {
		s.tactics.save = path
		s.checkTactics()
	}
}

// LoadTactics builds with the implementations that a file of [SaveTactics], or of Polygraphy's
// --save-tactics, names for every layer. The file's content is part of the engine's key in the
// cache. TensorRT 10 only, of the release and on the kind of GPU that the file was made with.
//
// It is an error if TensorRT does not offer a layer the implementation that the file names, if it
// takes another one, and if a layer of the engine is not in the file, which Polygraphy only warns
// of: then the model or the options have changed, and the engine is not the recorded one.
func LoadTactics(path string) Option {
	return func(s *settings) {
		s.tactics.load = path
		s.checkTactics()
	}
}

func (s *settings) checkTactics() {
	if s.tactics.save != "" && s.tactics.load != "" {
		s.fail("SaveTactics and LoadTactics exclude each other: what is replayed is what would be " +
			"recorded")
	}
}

// read reads the replay file, and keeps its digest for the engine's key.
func (t *tactics) read(b *buildSettings) error {
	if t.load == "" {
		return nil
	}
	data, err := os.ReadFile(t.load)
	if err != nil {
		return fmt.Errorf("tactics: %w", err)
	}
	if t.replay, err = parseReplay(data); err != nil {
		return fmt.Errorf("tactics: %s: %w", filepath.Base(t.load), err)
	}
	sum := sha256.Sum256(data)
	b.Replay = hex.EncodeToString(sum[:])
	return nil
}

// refuse is the error of an engine that is loaded: its tactics were chosen when it was built.
func (t *tactics) refuse() error {
	if t.save != "" || t.load != "" {
		return errors.New("trt: SaveTactics and LoadTactics are about a build, and a plan is built " +
			"already; give the model")
	}
	return nil
}

// records reports whether the build of an engine is recorded: that of the model itself, and not
// those of single debug tensors.
func (t *tactics) records(debug string) bool { return t.save != "" && debug == "" }
