package golden

import (
	"flag"
	"fmt"
	"os"
)

// Mode says what a spec may do to its golden files.
type Mode string

// The modes.
const (
	Off     Mode = ""        // read only
	Rewrite Mode = "1"       // write every file that is missing or differs
	Missing Mode = "missing" // write only files that are missing
	Clean   Mode = "clean"   // Rewrite, and let [RemoveUnused] delete files that no spec used
	Always  Mode = "always"  // Rewrite, also on CI
)

// EnvUpdate is the variable that stands for -golden.update where not every package knows the flag.
const EnvUpdate = "GOLDEN_UPDATE"

// updateFlag is -golden.update. The name has the package's before it, as -test.v and -ginkgo.v do,
// so that it meets no flag of the user's.
var updateFlag = registered()

func registered() *modeFlag {
	f := new(modeFlag)
	flag.Var(f, "golden.update", "write golden files from this run: `mode` 1 (all that differ), "+
		"missing, clean or always (as 1, on CI too)")
	return f
}

// modeFlag is a flag that may stand alone, for 1, or with a mode.
type modeFlag struct {
	mode Mode
	set  bool
}

func (f *modeFlag) String() string   { return string(f.mode) }
func (f *modeFlag) IsBoolFlag() bool { return true }

func (f *modeFlag) Set(text string) (err error) {
	f.mode, err = parseMode(text)
	f.set = err == nil
	return err
}

func parseMode(text string) (Mode, error) {
	switch text {
	case "", "0", "false":
		return Off, nil
	case "1", "true":
		return Rewrite, nil
	case string(Missing), string(Clean), string(Always):
		return Mode(text), nil
	}
	return Off, fmt.Errorf("%q is no mode: want 1, missing, clean or always", text)
}

// RegisterUpdateFlag defines a bare -update as a boolean flag, unless somebody has. A test package
// calls it from its own init, if it wants the short name; no package of ours does, because two
// definitions of one flag panic.
func RegisterUpdateFlag() {
	if flag.Lookup("update") == nil {
		flag.Bool("update", false, "write golden files from this run")
	}
}

// Updating is what the user asked for: by -golden.update, else by GOLDEN_UPDATE, else by a boolean
// flag -update that somebody else defined.
//
// On CI (the variable CI is set, and not to false or 0) everything but [Always] is an error: a
// golden file that is written where nobody reviews it would accept any change. An unknown mode is
// an error too.
func Updating() (Mode, error) {
	mode, origin, err := asked()
	if err != nil {
		return Off, fmt.Errorf("golden: %s: %w", origin, err)
	}
	if mode != Off && mode != Always && onCI() {
		return Off, fmt.Errorf("golden: %s asks for golden files to be written, but CI is set, and "+
			"nobody reviews what CI writes; if that is meant: %s=%s", origin, EnvUpdate, Always)
	}
	return mode, nil
}

// asked is the mode without regard to CI, and where it comes from.
func asked() (mode Mode, origin string, err error) {
	if updateFlag.set {
		return updateFlag.mode, "-golden.update", nil
	}
	if text, ok := os.LookupEnv(EnvUpdate); ok && text != "" {
		mode, err := parseMode(text)
		return mode, EnvUpdate, err
	}
	if foreign := flag.Lookup("update"); foreign != nil {
		if getter, ok := foreign.Value.(flag.Getter); ok {
			if on, isBool := getter.Get().(bool); isBool && on {
				return Rewrite, "-update", nil
			}
		}
	}
	return Off, "", nil
}

func onCI() bool {
	switch os.Getenv("CI") {
	case "", "0", "false":
		return false
	}
	return true
}
