package tract

import (
	"fmt"

	"github.com/modelparity/modelparity/backends/internal/native"
	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
)

// shared returns the key under which backends share the model's plans, or "" if they are not
// shared. Plans are not shared on a GPU, nor if tract reads the model's file again for each set of
// shapes. Sharing is safe because a plan does not change, and each inference has its own state.
func (e engine) shared(s *settings, library *abi.Library, model *loaders.Model) (string, error) {
	if e.alone || s.Runtime != CPU {
		return "", nil
	}
	if fromFile, err := native.ReadsFile(model); err != nil || fromFile {
		return "", err
	}
	return fmt.Sprintf("%s %s %s %+v", backendName, library.Path(), library.Version(), s.abi()), nil
}
