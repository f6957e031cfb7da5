package relationflags

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
)

// Steps holds the flags for a model that runs step by step: a decoder or a stream. The zero value
// means any other model.
type Steps struct {
	Tokens string          // the file with a decoder's tokens; "" for a stream
	Frames string          // the file with a stream's frames; "" for a decoder
	States []decode.Option // of a stream
}

// List returns the flags.
func (s *Steps) List() []arguments.Flag {
	return []arguments.Flag{
		arguments.Spelled("--tokens FILE", arguments.Text(&s.Tokens)).On(files.Reads),
		arguments.Spelled("--frames FILE", arguments.Text(&s.Frames)).On(files.Reads),
		arguments.Spelled("--state OUTPUT:INPUT ...", arguments.Values(state, &s.States)),
	}
}

// Inputs returns the inputs of the decoder or the stream. It is an error if the flags describe
// neither.
func (s *Steps) Inputs() (fixtures.Inputs, error) {
	switch {
	case s.Tokens != "" && s.Frames == "" && len(s.States) == 0:
		return decode.FromFile(s.Tokens), nil
	case s.Tokens == "" && s.Frames != "" && len(s.States) > 0:
		return fixtures.Load(s.Frames), nil
	}
	return fixtures.Inputs{}, errors.New("write --tokens FILE for a decoder, or --frames FILE and " +
		"--state OUTPUT:INPUT for a stream")
}

// state parses OUTPUT:INPUT: the output that returns a stream's hidden state, and the input that
// receives the state in the next step.
func state(text string) (decode.Option, error) {
	pair := values.Split(text)
	if pair.Name == "" || pair.Value == "" {
		return decode.Option{}, fmt.Errorf("%q does not name a state; write OUTPUT:INPUT, such as hn:h",
			text)
	}
	return decode.State(pair.Name, pair.Value), nil
}
