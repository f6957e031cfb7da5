package arguments

import (
	"fmt"
	"slices"
)

// Give sets the flag with the given name to words, as if they followed that flag on the command
// line.
func Give(flags []Flag, name string, words ...string) error {
	i := slices.IndexFunc(flags, func(f Flag) bool { return f.Name == name })
	if i < 0 {
		return fmt.Errorf("unknown flag %s", name)
	}
	if err := fits(flags[i], words, false); err != nil {
		return err
	}
	if n := take(flags[i].Arity, words); n < len(words) {
		return fmt.Errorf("%s does not take %q: %s", name, words[n], flags[i].Usage())
	}
	return flags[i].Apply(words)
}
