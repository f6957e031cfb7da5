package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
)

// shown is every text that the help of the command looks up, by what it is filed under.
func shown[R any](t *testing.T, command string, flags []arguments.Flag[R]) []string {
	t.Helper()
	var keys []string
	for _, f := range flags {
		if f.Apply == nil {
			continue // it has an answer
		}
		name := cmp.Or(f.Text, f.Name)
		if text := flagText(command, name, f.Fill); text == "" || strings.ContainsAny(text, "{}") {
			t.Errorf("%s: %s has the help %q", command, f.Name, text)
		}
		if _, own := flagTexts()[command+" "+name]; own {
			name = command + " " + name
		}
		keys = append(keys, name)
	}
	return keys
}

func TestEveryFlagHasAHelpTextAndEveryTextAFlag(t *testing.T) {
	used := map[string]bool{}
	for command, flags := range requests {
		for _, key := range shown(t, command, flags()) {
			used[key] = true
		}
	}
	for _, key := range slices.Concat(shown(t, "inspect", inspectFlags),
		shown(t, "setup", setupFlags())) {
		used[key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(flagTexts())) {
		if !used[key] {
			t.Errorf("help/flags.txt has a text for %q, which no command has", key)
		}
	}
}

func TestEveryFlagIsInTheHelpOfItsCommand(t *testing.T) {
	for command, flags := range requests {
		_, stdout, _ := modelparity(t, append(strings.Fields(command), "--help")...)
		if !strings.HasPrefix(stdout, "Usage: modelparity "+command+" ") {
			t.Errorf("%s --help begins with %.40q", command, stdout)
		}
		for _, f := range flags() {
			if f.Apply != nil && !strings.Contains(stdout, "\n  "+f.Usage()+"\n") {
				t.Errorf("%s --help leaves out %s", command, f.Name)
			}
		}
	}
}
