package arguments_test

import (
	"strings"
	"testing"

	"github.com/modelparity/modelparity/internal/cli/arguments"
)

// FuzzParse parses any command line: nothing panics, and no argument is made up.
func FuzzParse(f *testing.F) {
	f.Add("a\x00--atol\x001e-5\x00out:2\x00--\x00--seed")
	f.Add("-vq\x00--seed=3\x00-1\x00--save-in\x00x:[1,2]")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		rest, err := arguments.Parse(flags(new(calls)), args, nil)
		if err == nil && len(rest) > len(args) {
			t.Errorf("%q gave %q", args, rest)
		}
	})
}
