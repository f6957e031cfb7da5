package trt

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/backends"
)

// init registers the backend, so that other processes can recreate engines and plans from the text
// that describes them.
func init() { backends.Register("trt", ofText) }

// ofText returns the engine or the plan that has the given text.
func ofText(text string) (backends.Engine, error) {
	rest, isPlan := strings.CutPrefix(text, "trt plan ")
	if !isPlan {
		list, err := engines.Read(text)
		return engine{List: list}, err
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return nil, fmt.Errorf("trt: %q does not contain the path of a plan", text)
	}
	path, _ := strconv.Unquote(quoted) // QuotedPrefix has checked it
	list, err := plans.Read("trt" + strings.TrimPrefix(rest, quoted))
	return planFile{path: path, list: list}, err
}
