package golden

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

// Mode says what a spec may do to its golden files.
type Mode string

// The modes. Each may be joined with "always" by a comma ("all,always"), and then holds on CI too;
// "always" alone is [Rewrite] on CI too. [Diff] touches nothing of the tree and holds there anyway.
const (
	Off     Mode = ""        // read only
	Rewrite Mode = "1"       // write files that are missing, damaged, or out of the spec's tolerance
	All     Mode = "all"     // write every file that does not hold this very run
	Missing Mode = "missing" // write only files that are missing
	Diff    Mode = "diff"    // write none, and keep what Rewrite would write for a review ([Review])
	Usage   Mode = "usage"   // write none, and let [EndOfSuite] record which spec used which
)

// always is the word that makes a mode hold on CI too.
const always = "always"

// EnvUpdate is the variable that stands for -golden.update where not every package knows the flag.
const EnvUpdate = "GOLDEN_UPDATE"

// updateFlag is -golden.update. The name has the package's before it, as -test.v and -ginkgo.v do,
// so that it does not clash with a user's flag.
var updateFlag = registered()

func registered() *modeFlag {
	f := new(modeFlag)
	flag.Var(f, "golden.update", "write golden files from this run: `mode` 1 (what is missing, "+
		"damaged or out of tolerance), all (whatever moved), missing; diff writes none and keeps the "+
		"changes for modelparity golden diff and accept; usage records what each spec used; ,always "+
		"for CI too")
	return f
}

// modeFlag is a flag that may stand alone, for 1, or with a mode.
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

// request is a mode, and whether it holds on CI.
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
		case string(All), string(Missing), string(Diff), string(Usage):
			mode = Mode(word)
		case always:
			r.onCI = true
			continue
		default:
			return request{}, fmt.Errorf("unknown mode %q: want 1, all, missing, diff or usage, "+
				"with \",always\" on CI", word)
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

// Updating is what the user asked for: by -golden.update, else by GOLDEN_UPDATE, else by a boolean
// flag -update that somebody else defined.
//
// On CI (the variable CI is set, and not to false or 0) everything but [Diff] is an error without
// "always": a golden file that is written without review would accept any change. An unknown mode
// is an error too.
func Updating() (Mode, error) {
	r, origin, err := asked()
	if err != nil {
		return Off, fmt.Errorf("golden: %s: %w", origin, err)
	}
	if r.mode != Off && r.mode != Diff && !r.onCI && onCI() {
		return Off, fmt.Errorf("golden: %s asks for golden files to be written, but CI is set, and "+
			"CI's changes are not reviewed; to allow them: %s=%s", origin, EnvUpdate, r.mode.onCI())
	}
	return r.mode, nil
}

// onCI is the text that asks for the mode on CI too.
func (m Mode) onCI() string {
	if m == Rewrite {
		return always
	}
	return string(m) + "," + always
}

// asked is the request without regard to CI, and where it comes from.
func asked() (r request, origin string, err error) {
	if updateFlag.set {
		return updateFlag.request, "-golden.update", nil
	}
	if text, ok := os.LookupEnv(EnvUpdate); ok && text != "" {
		r, err := parseMode(text)
		return r, EnvUpdate, err
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

func onCI() bool {
	switch os.Getenv("CI") {
	case "", "0", "false":
		return false
	}
	return true
}
