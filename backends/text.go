package backends

import (
	"fmt"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/texts"
)

// Register names the function that makes engines of their texts ([Engine]). kind is the first word
// of those texts; open gets the whole text, and returns an engine that runs models as the one whose
// text it is. An engine that is registered can run in another process (backends/isolated).
//
// Call it in an init function of the engine's package, behind everything that open needs: a process
// that runs the engine takes over inside the call. Of two registrations of a kind the first counts.
func Register(kind string, open func(text string) (Engine, error)) {
	texts.Register(kind, func(text string) (any, error) { return open(text) })
}

// OpenText makes the engine with the text. A kind that no imported package has registered is an
// error.
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

// TextModel is a model in a format other than ONNX whose text another process can open.
type TextModel interface {
	fixtures.Declaration

	// Text describes the model: a kind that [RegisterModel] was told, and what is behind it.
	Text() string
}

// RegisterModel is [Register] for models in formats other than ONNX.
func RegisterModel(kind string, open func(text string) (TextModel, error)) {
	texts.Register(kind, func(text string) (any, error) { return open(text) })
}

// OpenModelText makes the model with the text.
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
