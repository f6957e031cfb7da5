package openvino

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
)

// init lets other processes recreate the engine from its text.
func init() {
	backends.Register(Name, func(text string) (backends.Engine, error) {
		list, err := kind.Read(text)
		return engine{List: list}, err
	})
	backends.RegisterModel(fileKind, func(text string) (backends.TextModel, error) {
		path, ok := strings.CutPrefix(text, fileKind+" ")
		if !ok {
			return nil, fmt.Errorf("%q names no file", text)
		}
		return File(path), nil
	})
}

// fileKind begins the text of a [Foreign] model.
const fileKind = "openvino-file"

// Text describes the model for another process, by its path.
func (f *Foreign) Text() string { return fileKind + " " + f.path }
