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

// verdicts keeps verdicts in a file, which is written anew, whole, after each one.
type verdicts struct {
	path string // "" keeps nothing
	file verdictsFile
}

// verdictsFile is the file's content.
type verdictsFile struct {
	Format   int             `json:"format"`
	Model    string          `json:"model_sha256"`
	Verdicts map[string]bool `json:"fails"` // by a digest of the nodes that were tried
}

// verdictsFormat changes when older files can no longer be understood.
const verdictsFormat = 1

// verdictsError is a file that cannot be kept: it ends a search, unlike a part that cannot be run.
type verdictsError struct{ err error }

func (e *verdictsError) Error() string { return e.err.Error() }
func (e *verdictsError) Unwrap() error { return e.err }

func openVerdicts(path string, model *loaders.Model) (*verdicts, error) {
	sum, err := model.SHA256()
	if err != nil {
		return nil, err
	}
	r := &verdicts{path: path, file: verdictsFile{Format: verdictsFormat, Model: sum,
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
	var kept verdictsFile
	if err := json.Unmarshal(text, &kept); err != nil || kept.Format != verdictsFormat {
		return nil, fmt.Errorf("locate: %s is not a file of verdicts of format %d; remove it to "+
			"start anew", path, verdictsFormat)
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
func (v *verdicts) key(places []int) string {
	sum := sha256.Sum256(fmt.Append(nil, places))
	return hex.EncodeToString(sum[:8])
}

func (v *verdicts) verdict(key string) (fails, known bool) {
	fails, known = v.file.Verdicts[key]
	return fails, known
}

func (v *verdicts) keep(key string, fails bool) error {
	v.file.Verdicts[key] = fails
	if v.path == "" {
		return nil
	}
	text, err := json.MarshalIndent(v.file, "", "  ")
	if err == nil {
		err = wholefile.WriteBytes(v.path, append(text, '\n'))
	}
	if err != nil {
		return &verdictsError{fmt.Errorf("locate: verdicts: %w", err)}
	}
	return nil
}
