package ort

import (
	"github.com/modelparity/modelparity/backends"
)

// init lets other processes recreate the engine from its text.
func init() {
	backends.Register(backendName, func(text string) (backends.Engine, error) {
		list, err := kind.Read(text)
		return engine{List: list}, err
	})
}
