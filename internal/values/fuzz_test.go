package values_test

import (
	"strings"
	"testing"

	"github.com/modelparity/modelparity/internal/values"
)

// FuzzValues reads any word as every kind of value: nothing panics, and no name is made up.
func FuzzValues(f *testing.F) {
	f.Add("out:2")
	f.Add("x:[1,2]")
	f.Add("--seed=3")
	f.Fuzz(func(t *testing.T, arg string) {
		shape, err := values.Shape(arg)
		if err == nil && (shape.Name == "" || !strings.HasPrefix(arg, shape.Name)) {
			t.Errorf("the shape %q is of %q", arg, shape.Name)
		}
		if bounds, err := values.Range(arg); err == nil && !strings.HasPrefix(arg, bounds.Name) {
			t.Errorf("the range %q is of %q", arg, bounds.Name)
		}
		if number, err := values.Number(arg); err == nil && !strings.HasPrefix(arg, number.Name) {
			t.Errorf("the number %q is of %q", arg, number.Name)
		}
	})
}
