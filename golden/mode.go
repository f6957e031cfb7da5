package golden

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/overlay"
)

// Mode says what a spec may do with its golden files.
type Mode string

// The modes. On CI, a mode that can write golden files is rejected unless the word "always" is
// added after a comma ("all,always"). "always" alone means [Rewrite], also on CI.
const (
	Off     Mode = ""        // read only
	Rewrite Mode = "1"       // write files that are missing, damaged, or out of the spec's tolerance
	All     Mode = "all"     // write every file that does not hold exactly this run
	Missing Mode = "missing" // write only files that are missing
	Diff    Mode = "diff"    // write nothing; keep what Rewrite would write for [Review]
)

// always is the word that, added to a mode as in "all,always", permits the mode on CI.
const always = "always"

// updateFlag is the value of the flag -golden.update. The prefix "golden." avoids clashes with
// users' flags, as in -test.v and -ginkgo.v.
var updateFlag = registered()

func registered() *modeFlag {
	f := new(modeFlag)
	flag.Var(f, "golden.update", "write golden files from this run; `mode` is 1 (files that are "+
		"missing, damaged or out of tolerance), all (any that changed), missing, or diff (write none, "+
		"but keep the changes for modelparity golden diff and accept); append ,always to allow it on CI")
	return f
}

// modeFlag is a flag whose value is a mode. The flag may also be written without a value:
// -golden.update means -golden.update=true.
type modeFlag struct {
	text string
	set  bool
}

func (f *modeFlag) String() string   { return f.text }
func (f *modeFlag) IsBoolFlag() bool { return true }

func (f *modeFlag) Set(text string) (err error) {
	_, _, err = parseMode(text)
	f.text, f.set = text, err == nil
	return err
}

// parseMode returns the requested mode, and whether it is permitted on CI.
func parseMode(text string) (mode Mode, onCI bool, err error) {
	words := strings.Split(text, ",")
	onCI = slices.Contains(words, always)
	words = slices.DeleteFunc(words, func(word string) bool { return word == always })
	switch mode = Mode(strings.Join(words, ",")); {
	case !onCI && slices.Contains([]Mode{Off, "0", "false"}, mode):
		return Off, false, nil
	case len(words) == 0 || mode == "true":
		return Rewrite, onCI, nil
	case slices.Contains([]Mode{Rewrite, All, Missing, Diff}, mode):
		return mode, onCI, nil
	}
	return Off, false, fmt.Errorf("unknown mode %q: want 1, all, missing or diff; "+
		"append \",always\" to permit it on CI", mode)
}

// Updating returns the mode that the user requested: with -golden.update, otherwise with the
// environment variable GOLDEN_UPDATE, otherwise with a boolean flag -update that another package
// defined.
//
// On CI (the variable CI is set, and is neither false nor 0), every mode except [Diff] is an error
// unless it includes "always": a golden file written without review would accept any change. An
// unknown mode is also an error. Under `modelparity mutate`, every mode is an error.
func Updating() (Mode, error) {
	text, origin := asked()
	mode, permitted, err := parseMode(text)
	if err != nil {
		return Off, fmt.Errorf("golden: %s: %w", origin, err)
	}
	if mode != Off && overlay.Active() {
		return Off, fmt.Errorf("golden: %s is refused, because modelparity mutate runs the suite on "+
			"changed files, whose outputs must not become golden", origin)
	}
	if mode != Off && mode != Diff && !permitted && onCI() {
		return Off, fmt.Errorf("golden: %s would write golden files, but CI is set, and changes made "+
			"on CI are not reviewed; to allow them: %s=%s", origin, goldentree.EnvUpdate, mode.onCI())
	}
	return mode, nil
}

// onCI returns the flag value that requests the mode even on CI.
func (m Mode) onCI() string {
	if m == Rewrite {
		return always
	}
	return string(m) + "," + always
}

// asked returns the text of the mode that the user requested, and the flag or variable that
// requested it.
func asked() (text, origin string) {
	if updateFlag.set {
		return updateFlag.text, "-golden.update"
	}
	if text := os.Getenv(goldentree.EnvUpdate); text != "" {
		return text, goldentree.EnvUpdate
	}
	if foreign := flag.Lookup("update"); foreign != nil {
		if getter, ok := foreign.Value.(flag.Getter); ok && getter.Get() == any(true) {
			return string(Rewrite), "-update"
		}
	}
	return "", ""
}

func onCI() bool { return !slices.Contains([]string{"", "0", "false"}, os.Getenv("CI")) }
