package openvino

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/texts"
)

// init registers the engine and the models that [File] returns, so that other processes can
// recreate them from their texts; see [backends.Register].
func init() {
	backends.Register(backendName, func(text string) (backends.Engine, error) {
		list, err := kind.Read(text)
		return engine{List: list}, err
	})
	texts.Register(fileKind, func(text string) (any, error) {
		path, ok := strings.CutPrefix(text, fileKind+" ")
		if !ok {
			return nil, fmt.Errorf("%q does not contain the path of a file", text)
		}
		return File(path), nil
	})
}

// fileKind is the first word of the text from which another process recreates a [foreign] model.
const fileKind = "openvino-file"

// Text returns a string from which another process can recreate the model. The string contains the
// model's path.
func (f *foreign) Text() string { return fileKind + " " + f.path }
