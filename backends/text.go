package backends

import (
	"fmt"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/texts"
)

// Register registers a function that recreates engines from their texts ([Engine]). kind is the
// first word of those texts; open gets the whole text and returns an engine that runs models
// exactly as the original. Only a registered engine can run in another process (backends/isolated).
//
// Call it in an init function of the engine's package, after everything that open needs: in a
// process that runs the engine, the call does not return. If a kind is registered twice, the first
// registration counts.
func Register(kind string, open func(text string) (Engine, error)) {
	texts.Register(kind, func(text string) (any, error) { return open(text) })
}

// OpenText recreates the engine with the text. It fails if no imported package has registered the
// kind.
func OpenText(text string) (Engine, error) {
	made, err := texts.Open(text)
	if err != nil {
		return nil, err
	}
	e, ok := made.(Engine)
	if !ok {
		return nil, fmt.Errorf("%q describes no engine", text)
	}
	return e, nil
}

// TextModel is a non-ONNX model whose text lets another process open it.
type TextModel interface {
	fixtures.Declaration

	// Text describes the model: a kind registered with [RegisterModel], and the data it needs.
	Text() string
}

// RegisterModel is [Register] for models in formats other than ONNX.
func RegisterModel(kind string, open func(text string) (TextModel, error)) {
	texts.Register(kind, func(text string) (any, error) { return open(text) })
}

// OpenModelText recreates the model with the text.
func OpenModelText(text string) (TextModel, error) {
	made, err := texts.Open(text)
	if err != nil {
		return nil, err
	}
	m, ok := made.(TextModel)
	if !ok {
		return nil, fmt.Errorf("%q describes no model", text)
	}
	return m, nil
}
