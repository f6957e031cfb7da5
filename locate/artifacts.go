package locate

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// defaultArtifacts is Polygraphy's default folder name.
const defaultArtifacts = "polygraphy_artifacts"

// sort moves a candidate's artifacts to the folder for the candidate's verdict. It skips missing
// artifacts, because a failing command may exit before it writes them.
func (k *JudgeCommand) sort(failed bool, status int) error {
	folder := cmp.Or(k.ArtifactsDir, defaultArtifacts)
	verdict := map[bool]string{false: "good", true: "bad"}[failed]
	for _, artifact := range k.Artifacts {
		if _, err := os.Stat(artifact); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		extension := filepath.Ext(artifact)
		name := fmt.Sprintf("%s_N%d_ec%d%s", strings.TrimSuffix(filepath.Base(artifact), extension),
			k.judged-1, status, extension)
		to, err := wholefile.Below(folder, verdict, name)
		if err == nil {
			err = move(artifact, to)
		}
		if err != nil {
			return &ending{fmt.Errorf("locate: artifact %s: %w", artifact, err)}
		}
	}
	return nil
}

// move moves a file, even to a different file system. It never replaces an existing file.
func move(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s already exists, from an earlier search; remove it, or set a different "+
			"folder for artifacts", to)
	}
	if os.Rename(from, to) == nil {
		return nil
	}
	source, err := regular.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	err = wholefile.Write(to, func(w io.Writer) error {
		_, err := io.Copy(w, source)
		return err
	})
	if err != nil {
		return err
	}
	return os.Remove(from)
}
