package backends

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/texts"
)

// Register registers a function that recreates engines from their texts (see [Engine]). kind is the
// first word of every such text. The function open receives the whole text and returns an engine
// that runs models exactly as the original engine does. Only an engine whose kind is registered can
// run in another process (backends/isolated).
//
// Call Register in an init function of the engine's package, after initialising everything that
// open needs: in a process that was started to run the engine, Register runs the engine and does
// not return. If a kind is registered twice, the second registration has no effect.
func Register(kind string, open func(text string) (Engine, error)) {
	texts.Register(kind, func(text string) (any, error) { return open(text) })
}

// OpenText recreates an engine from its text. It returns an error if no imported package has
// registered the text's kind.
func OpenText(text string) (Engine, error) {
	made, err := texts.Open(text)
	if err != nil {
		return nil, err
	}
	e, ok := made.(Engine)
	if !ok {
		return nil, fmt.Errorf("%q does not describe an engine", text)
	}
	return e, nil
}
