package names_test

import (
	"strings"
	"testing"

	"github.com/modelparity/modelparity/internal/names"
)

func TestLists(t *testing.T) {
	letters := strings.Split("abcdefghijkl", "")
	for _, c := range []struct {
		reason, list, join string
		names              []string
	}{
		{"nothing is said as a word", "none", "none", nil},
		{"one", `["a"]`, "a", letters[:1]},
		{"ten stand in full", `["a" "b" "c" "d" "e" "f" "g" "h" "i" "j"]`,
			"a, b, c, d, e, f, g, h, i, j", letters[:10]},
		{"more are counted", `["a" "b" "c" "d" "e" "f" "g" "h" "i" "j" … and 2 more]`,
			"a, b, c, d, e, f, g, h, i, j … and 2 more", letters},
	} {
		if got := names.List(c.names); got != c.list {
			t.Errorf("%s: got %s, want %s", c.reason, got, c.list)
		}
		if got := names.Join(c.names); got != c.join {
			t.Errorf("%s: got %s, want %s", c.reason, got, c.join)
		}
	}
}
