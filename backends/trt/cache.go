//go:build linux && cgo

package trt

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/modelparity/modelparity/internal/filelock"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// cacheVariable names the environment variable with the folder of the engine cache; see
// [EngineCache].
const cacheVariable = "MODELPARITY_ENGINE_CACHE"

// key contains everything that determines an engine's bytes. Builds with equal keys share a cache
// file.
type key struct {
	Format      int           `json:"format"` // of the cache's files
	Model       string        `json:"model"`  // the digest of the model's bytes
	Build       buildSettings `json:"build"`
	Replay      string        `json:"replay,omitempty"` // digest of the file of LoadTactics
	Calibration calibration   `json:"calibration,omitzero"`
	Scales      string        `json:"scales,omitempty"` // digest of the calibration data
	Plugins     []string      `json:"plugins,omitempty"`
	TensorRT    string        `json:"tensorrt"`
	GPU         string        `json:"gpu"`
	Capability  string        `json:"capability"`
	Driver      string        `json:"driver"`
}

// cacheFormat is the version of the cache files' format. It must change whenever the format
// changes.
const cacheFormat = 2

// cached returns the engine from the cache, or builds it and stores it in the cache. Other
// processes that need the same engine wait for the build and then read the result.
func (w *job) cached(ctx context.Context) (*artifact, error) {
	if w.NoCache || w.Tactics.Save != "" {
		return w.build(ctx)
	}
	name, err := w.key()
	if err != nil {
		return nil, err
	}
	folder, err := cacheFolder(&w.settings)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, name+".engine")
	rebuild := w.writes() // the new engine then replaces the cached one
	if a := readArtifact(path); a != nil && !rebuild {
		return a, nil
	}
	var built *artifact
	err = filelock.With(ctx, path+".lock", func() (err error) {
		if built = readArtifact(path); built != nil && !rebuild { // another process built it meanwhile
			return nil
		}
		if built, err = w.build(ctx); err != nil {
			return err
		}
		return wholefile.WriteBytes(path, built.encode())
	})
	return built, err
}

// key returns the digest of the cache key of the engine to build. Equal keys have equal digests,
// because encoding/json sorts maps.
func (w *job) key() (string, error) {
	model, err := w.model.SHA256()
	if err != nil {
		return "", err
	}
	k := key{Format: cacheFormat, Model: model, Build: w.buildSettings, Replay: w.replaySum,
		TensorRT: w.library.Version().String(), GPU: w.device.Name,
		Capability: w.device.Capability, Driver: w.device.Driver.Version}
	if w.calibrated != nil {
		c := w.calibrated.calibration
		c.Cache = "" // the path does not matter, only the file's content
		k.Calibration, k.Scales = c, w.calibrated.digest
	}
	for _, plugin := range w.Plugins {
		data, err := regular.Read(plugin)
		if err != nil {
			return "", fmt.Errorf("plugins from %s: %w", plugin, err)
		}
		k.Plugins = append(k.Plugins, fmt.Sprintf("%x", sha256.Sum256(data)))
	}
	text, err := json.Marshal(k)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), err
}

func cacheFolder(s *settings) (string, error) {
	folder := cmp.Or(s.Cache, os.Getenv(cacheVariable))
	if folder == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("engine cache: %w; name a folder with trt.EngineCache or %s",
				err, cacheVariable)
		}
		folder = filepath.Join(user, "modelparity", "engines")
	}
	return folder, os.MkdirAll(folder, 0o755)
}

// head is the first line of a cache file, as JSON. The plan follows it.
type head struct {
	artifact
	SHA256 string `json:"sha256"` // of the plan
}

// encode returns the artifact in the format of a cache file.
func (a *artifact) encode() []byte {
	line, err := json.Marshal(head{*a, fmt.Sprintf("%x", sha256.Sum256(a.plan))})
	if err != nil {
		panic(err) // JSON can represent these fields
	}
	return slices.Concat(line, []byte{'\n'}, a.plan)
}

// readArtifact reads a cache file. It returns nil if the file is missing or damaged. TensorRT
// itself does not check a plan for damage: one flipped bit could crash the process.
func readArtifact(path string) *artifact {
	data, err := regular.Read(path)
	if err != nil {
		return nil
	}
	line, plan, found := bytes.Cut(data, []byte{'\n'})
	var h head
	if !found || json.Unmarshal(line, &h) != nil ||
		fmt.Sprintf("%x", sha256.Sum256(plan)) != h.SHA256 {
		return nil
	}
	h.plan = plan
	return &h.artifact
}
