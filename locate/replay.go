package locate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
)

// replay keeps verdicts in a file, which is written anew, whole, after each one.
type replay struct {
	path string // "" keeps nothing
	file replayFile
}

// replayFile is the file's content.
type replayFile struct {
	Format   int             `json:"format"`
	Model    string          `json:"model_sha256"`
	Verdicts map[string]bool `json:"fails"` // by a digest of the nodes that were tried
}

// replayFormat changes when older files can no longer be understood.
const replayFormat = 1

// replayError is a file that cannot be kept: it ends a search, unlike a part that cannot be run.
type replayError struct{ err error }

func (e *replayError) Error() string { return e.err.Error() }
func (e *replayError) Unwrap() error { return e.err }

func openReplay(path string, model *loaders.Model) (*replay, error) {
	sum, err := model.SHA256()
	if err != nil {
		return nil, err
	}
	r := &replay{path: path, file: replayFile{Format: replayFormat, Model: sum,
		Verdicts: map[string]bool{}}}
	if path == "" {
		return r, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("locate: %w", err)
	}
	var kept replayFile
	if err := json.Unmarshal(text, &kept); err != nil || kept.Format != replayFormat {
		return nil, fmt.Errorf("locate: %s is no replay file of format %d; remove it to start anew",
			path, replayFormat)
	}
	if kept.Model != sum {
		return nil, fmt.Errorf("locate: %s is of another model (sha256 %.12s…, this one has %.12s…); "+
			"remove it to start anew", path, kept.Model, sum)
	}
	if kept.Verdicts != nil {
		r.file.Verdicts = kept.Verdicts
	}
	return r, nil
}

// key stands for a part of the model.
func (r *replay) key(places []int) string {
	sum := sha256.Sum256(fmt.Append(nil, places))
	return hex.EncodeToString(sum[:8])
}

func (r *replay) verdict(key string) (fails, known bool) {
	fails, known = r.file.Verdicts[key]
	return fails, known
}

func (r *replay) keep(key string, fails bool) error {
	r.file.Verdicts[key] = fails
	if r.path == "" {
		return nil
	}
	text, err := json.MarshalIndent(r.file, "", "  ")
	if err == nil {
		err = wholefile.WriteBytes(r.path, append(text, '\n'))
	}
	if err != nil {
		return &replayError{fmt.Errorf("locate: replay: %w", err)}
	}
	return nil
}
