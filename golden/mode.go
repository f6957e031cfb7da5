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

// The modes. On CI, every mode except [Diff] is rejected unless the word "always" is added after a
// comma ("all,always"). "always" alone means [Rewrite], also on CI. [Diff] is permitted because it
// writes nothing in the source tree.
const (
	Off     Mode = ""        // read only
	Rewrite Mode = "1"       // write files that are missing, damaged, or out of the spec's tolerance
	All     Mode = "all"     // write every file that does not hold exactly this run
	Missing Mode = "missing" // write only files that are missing
	Diff    Mode = "diff"    // write nothing; keep what Rewrite would write for [Review]
)

// always is the word that permits a mode on CI.
const always = "always"

// updateFlag is the value of the flag -golden.update. The prefix "golden." avoids clashes with
// users' flags, as in -test.v and -ginkgo.v.
var updateFlag = registered()

func registered() *modeFlag {
	f := new(modeFlag)
	flag.Var(f, "golden.update", "write golden files from this run: `mode` 1 (files that are "+
		"missing, damaged or out of tolerance), all (any that changed), missing; diff writes none "+
		"and keeps the changes for modelparity golden diff and accept; append ,always to permit it on CI")
	return f
}

// modeFlag is a flag whose value is a mode. The flag may also be written without a value:
// -golden.update means -golden.update=true.
type modeFlag struct {
	request
	text string
	set  bool
}

func (f *modeFlag) String() string   { return f.text }
func (f *modeFlag) IsBoolFlag() bool { return true }

func (f *modeFlag) Set(text string) (err error) {
	f.request, err = parseMode(text)
	f.text, f.set = text, err == nil
	return err
}

// request is a requested mode, and whether it is permitted on CI.
type request struct {
	mode Mode
	onCI bool
}

func parseMode(text string) (request, error) {
	var r request
	switch text {
	case "", "0", "false":
		return r, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		var mode Mode
		switch word {
		case "1", "true":
			mode = Rewrite
		case string(All), string(Missing), string(Diff):
			mode = Mode(word)
		case always:
			r.onCI = true
			continue
		default:
			return request{}, fmt.Errorf("unknown mode %q: want 1, all, missing or diff; "+
				"append \",always\" to permit it on CI", word)
		}
		if r.mode != Off && mode != r.mode {
			return request{}, fmt.Errorf("modes %s and %s contradict each other: keep one", r.mode, mode)
		}
		r.mode = mode
	}
	if r.onCI && r.mode == Off {
		r.mode = Rewrite
	}
	return r, nil
}

// Updating returns the mode that the user requested: with -golden.update, otherwise with the
// environment variable GOLDEN_UPDATE, otherwise with a boolean flag -update that another package
// defined.
//
// On CI (the variable CI is set, and is neither false nor 0), every mode except [Diff] is an error
// unless it includes "always": a golden file written without review would accept any change. An
// unknown mode is also an error. Under `modelparity mutate`, every mode is an error.
func Updating() (Mode, error) {
	r, origin, err := asked()
	if err != nil {
		return Off, fmt.Errorf("golden: %s: %w", origin, err)
	}
	if r.mode != Off && overlay.Active() {
		return Off, fmt.Errorf("golden: %s is refused, because modelparity mutate runs the suite on "+
			"changed files, whose outputs must not become golden", origin)
	}
	if r.mode != Off && r.mode != Diff && !r.onCI && onCI() {
		return Off, fmt.Errorf("golden: %s would write golden files, but CI is set, and changes made "+
			"on CI are not reviewed; to allow them: %s=%s", origin, goldentree.EnvUpdate, r.mode.onCI())
	}
	return r.mode, nil
}

// onCI returns the flag value that requests the mode even on CI.
func (m Mode) onCI() string {
	if m == Rewrite {
		return always
	}
	return string(m) + "," + always
}

// asked returns the mode that the user requested, and the flag or variable that requested it. It
// does not check whether the mode is permitted on CI.
func asked() (r request, origin string, err error) {
	if updateFlag.set {
		return updateFlag.request, "-golden.update", nil
	}
	if text, ok := os.LookupEnv(goldentree.EnvUpdate); ok && text != "" {
		r, err := parseMode(text)
		return r, goldentree.EnvUpdate, err
	}
	if foreign := flag.Lookup("update"); foreign != nil {
		if getter, ok := foreign.Value.(flag.Getter); ok {
			if on, isBool := getter.Get().(bool); isBool && on {
				return request{mode: Rewrite}, "-update", nil
			}
		}
	}
	return request{}, "", nil
}

func onCI() bool { return !slices.Contains([]string{"", "0", "false"}, os.Getenv("CI")) }
