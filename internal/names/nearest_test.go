package names_test

import (
	"testing"

	"github.com/modelparity/modelparity/internal/names"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"relu", "relu"}, {"reul", ""}, {"rellu", "relu"}, {"leakyrellu", "leakyrelu"},
		{"matmull", "matmul"}, {"con", "conv"}, {"gemm", ""}, {"", ""},
	} {
		if got := names.Nearest(c.name, "relu", "leakyrelu", "conv", "matmul"); got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := names.Nearest("a"); got != "" {
		t.Errorf("without candidates: got %q", got)
	}
}
