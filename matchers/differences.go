package matchers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
)

// differences says what differs between two runs apart from their outputs, and states their
// precisions. For the reader of a message, different inputs or a retrained model explain a mismatch
// better than the numbers do.
func differences(actual, expected side) []string {
	if actual.run == nil || expected.run == nil {
		return nil
	}
	a, e := actual.made, expected.made
	var found []string
	model, inputs := a.Differences(e)
	if model != "" && a.Model == e.Model { // the message shows differing names
		found = append(found, model)
	}
	if inputs != "" {
		found = append(found, inputs)
	}
	if a.Backend == e.Backend {
		if text := differingOptions(a, e); text != "" {
			found = append(found, "the backend's options differ: "+text)
		}
	}
	return append(found, a.Precisions(e))
}

// differingOptions lists the options whose values differ between the two sides, by option name.
func differingOptions(a, e backends.Provenance) string {
	names := map[string]string{}
	maps.Copy(names, a.Options)
	maps.Copy(names, e.Options)
	var found []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		got, want := cmp.Or(a.Options[name], "unset"), cmp.Or(e.Options[name], "unset")
		if got != want {
			found = append(found, fmt.Sprintf("%s %s, expected %s", name, got, want))
		}
	}
	return strings.Join(found, "; ")
}
