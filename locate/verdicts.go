package locate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/modelparity/modelparity/internal/inputsum"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// verdicts stores verdicts in a file. The whole file is rewritten after each verdict.
type verdicts struct {
	path     string          // "" stores nothing
	Format   int             `json:"format"`
	Model    string          `json:"model_sha256"`
	Inputs   string          `json:"inputs_sha256"`
	Question string          `json:"question"`
	Verdicts map[string]bool `json:"fails"` // by a digest of the part's nodes
}

// verdictsFormat is the version of the file format. It must change whenever older files can no
// longer be read.
const verdictsFormat = 2

func openVerdicts(path string, s *side, question string) (*verdicts, error) {
	sum, err := s.model.SHA256()
	if err != nil {
		return nil, err
	}
	v := &verdicts{path: path, Format: verdictsFormat, Model: sum, Inputs: inputsum.Of(s.sets),
		Question: question, Verdicts: map[string]bool{}}
	if path == "" {
		return v, nil
	}
	text, err := regular.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err != nil {
		return nil, fmt.Errorf("locate: %w", err)
	}
	var kept verdicts
	if err := json.Unmarshal(text, &kept); err != nil || kept.Format != verdictsFormat {
		return nil, fmt.Errorf("locate: %s is not a verdicts file of format %d; remove it to "+
			"start over", path, verdictsFormat)
	}
	if kept.Model != v.Model || kept.Inputs != v.Inputs || kept.Question != question {
		return nil, fmt.Errorf("locate: the verdicts in %s are for a different model, inputs or "+
			"way of judging (%q); remove the file to start over", path, kept.Question)
	}
	if kept.Verdicts != nil {
		v.Verdicts = kept.Verdicts
	}
	return v, nil
}

// key returns a digest that identifies a part of the model by its nodes' indices in reduction.live.
func (v *verdicts) key(places []int) string {
	sum := sha256.Sum256(fmt.Append(nil, places))
	return hex.EncodeToString(sum[:8])
}

func (v *verdicts) keep(key string, fails bool) error {
	v.Verdicts[key] = fails
	if v.path == "" {
		return nil
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = wholefile.WriteBytes(v.path, append(text, '\n'))
	}
	if err != nil {
		return &ending{fmt.Errorf("locate: verdicts: %w", err)}
	}
	return nil
}
