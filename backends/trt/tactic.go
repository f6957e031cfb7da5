package trt

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/replay"
)

// readReplay reads the file of [LoadTactics]. It also returns the file's digest, which is part of
// the engine's cache key.
func readReplay(path string) (f *replay.File, digest string, err error) {
	if path == "" {
		return nil, "", nil
	}
	data, err := regular.Read(path)
	if err != nil {
		return nil, "", fmt.Errorf("tactics: %w", err)
	}
	if f, err = replay.Parse(data); err != nil {
		return nil, "", fmt.Errorf("tactics: %s: %w", filepath.Base(path), err)
	}
	return f, fmt.Sprintf("%x", sha256.Sum256(data)), nil
}
