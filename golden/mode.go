package golden

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/modelparity/modelparity/internal/goldentree"
)

// Mode says what a spec may do to its golden files.
type Mode string

// The modes. Each but [Diff] is rejected on CI unless it is joined with "always" by a comma
// ("all,always"); "always" alone means [Rewrite], also on CI. [Diff] writes nothing in the
// tree, so CI may use it.
const (
	Off     Mode = ""        // read only
	Rewrite Mode = "1"       // write files that are missing, damaged, or out of the spec's tolerance
	All     Mode = "all"     // write every file that does not hold exactly this run
	Missing Mode = "missing" // write only files that are missing
	Diff    Mode = "diff"    // write nothing; keep what Rewrite would write for [Review]
	Usage   Mode = "usage"   // write nothing; let ginkgoreport.Suite record which spec used which file
)

// always is the word that enables a mode on CI.
const always = "always"

// updateFlag is the value of the flag -golden.update. The prefix, as in -test.v and -ginkgo.v,
// avoids clashes with users' flags.
var updateFlag = registered()

func registered() *modeFlag {
	f := new(modeFlag)
	flag.Var(f, "golden.update", "write golden files from this run: `mode` 1 (files that are "+
		"missing, damaged or out of tolerance), all (any that changed), missing; diff writes none "+
		"and keeps the changes for modelparity golden diff and accept; usage records what each spec "+
		"used; append ,always to permit it on CI")
	return f
}

// modeFlag is a flag whose value is a mode; without a value it means 1.
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

// request is a mode, and whether it is permitted on CI.
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

// Updating returns the mode that the user requested with -golden.update, else with
// GOLDEN_UPDATE, else with a boolean flag -update that another package defined.
//
// On CI (if the variable CI is set, and not to false or 0) every mode but [Diff] needs "always"
// and is an error without it: a golden file written without review would accept any change. An
// unknown mode is an error.
func Updating() (Mode, error) {
	r, origin, err := asked()
	if err != nil {
		return Off, fmt.Errorf("golden: %s: %w", origin, err)
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

// asked returns the request before the CI check, and its origin.
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

func onCI() bool {
	switch os.Getenv("CI") {
	case "", "0", "false":
		return false
	}
	return true
}
