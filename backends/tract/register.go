package tract

import (
	"github.com/modelparity/modelparity/backends"
)

// init lets other processes open the engine by its text.
func init() {
	backends.Register(Name, func(text string) (backends.Engine, error) {
		list, err := kind.Read(text)
		return engine{List: list}, err
	})
}
