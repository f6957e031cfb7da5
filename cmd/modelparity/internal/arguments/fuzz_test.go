package arguments_test

import (
	"strings"
	"testing"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
)

// FuzzParse parses any command line, and reads every word of it as every kind of value: nothing
// panics, and no argument is lost or made up.
func FuzzParse(f *testing.F) {
	f.Add("a\x00--atol\x001e-5\x00out:2\x00--\x00--seed")
	f.Add("-vq\x00--seed=3\x00-1\x00--save-in\x00x:[1,2]")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		var request calls
		rest, err := arguments.Parse(flags, args, &request)
		if err == nil && len(rest) > len(args) {
			t.Errorf("%q gave %q", args, rest)
		}
		for _, arg := range args {
			shape, err := arguments.Shape(arg)
			if err == nil && (shape.Name == "" || !strings.HasPrefix(arg, shape.Name)) {
				t.Errorf("the shape %q is of %q", arg, shape.Name)
			}
			if bounds, err := arguments.Range(arg); err == nil && !strings.HasPrefix(arg, bounds.Name) {
				t.Errorf("the range %q is of %q", arg, bounds.Name)
			}
			if number, err := arguments.Number(arg); err == nil && !strings.HasPrefix(arg, number.Name) {
				t.Errorf("the number %q is of %q", arg, number.Name)
			}
		}
	})
}
