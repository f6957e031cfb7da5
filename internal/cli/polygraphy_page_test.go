package cli

import (
	"cmp"
	goflag "flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// updatePage writes the table of flags in docs/coming-from-polygraphy.md again:
// go test ./internal/cli -run TestPageOfFlags -update.page
var updatePage = goflag.Bool("update.page", false, "write docs/coming-from-polygraphy.md again")

const (
	page        = "../../docs/coming-from-polygraphy.md"
	pageBegin   = "<!-- flags: written by TestPageOfFlags -->\n"
	pageEnd     = "<!-- end of flags -->\n"
	parityBegin = "<!-- parity: checked by TestPageOfParity -->\n"
	parityEnd   = "<!-- end of parity -->\n"
)

// TestPageOfFlags holds the page for users of Polygraphy to the flags of `polygraphy run`: each
// with what it does here, or what to write instead.
func TestPageOfFlags(t *testing.T) {
	known := map[string]string{}
	for _, f := range requests["run"]() {
		does := flagText("run", cmp.Or(f.Text, f.Name), f.Fill)
		if f.Apply == nil {
			does = "refused: " + f.Answer
		}
		for _, name := range append([]string{f.Name}, f.Also...) {
			known[name] = does
		}
	}
	var table strings.Builder
	table.WriteString("| flag | here |\n| --- | --- |\n")
	names := polygraphyFlags(t, "flags.txt")
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if known[name] == "" {
			t.Errorf("nothing is said of %s", name)
		}
		does := strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(known[name])
		fmt.Fprintf(&table, "| `%s` | %s |\n", name, does)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), pageBegin)
	_, after, ends := strings.Cut(rest, pageEnd)
	if !begins || !ends {
		t.Fatalf("%s has no place for the flags", page)
	}
	want := before + pageBegin + table.String() + pageEnd + after
	if *updatePage {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Errorf("%s does not say what the flags do now; "+
			"go test ./internal/cli -run TestPageOfFlags -update.page writes it", page)
	}
}
