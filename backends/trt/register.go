package trt

import (
	"strings"

	"github.com/modelparity/modelparity/backends"
)

// init registers the backend, so that other processes can recreate engines and plans from the text
// that describes them.
func init() {
	backends.Register("trt", func(text string) (backends.Engine, error) {
		if strings.HasPrefix(text, "trt plan ") {
			path, list, err := plans.ReadOf("trt plan", text)
			return planFile{path: path, list: list}, err
		}
		list, err := engines.Read(text)
		return engine{List: list}, err
	})
}
