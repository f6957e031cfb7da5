package matchers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
)

// differences lists what differs between the two runs besides their outputs. Different inputs, or
// a retrained model, explain a mismatch better than its numbers do.
func differences(actual, expected side) []string {
	if actual.run == nil || expected.run == nil {
		return nil
	}
	a, e := actual.made, expected.made
	var found []string
	if a.Model == e.Model && differ(a.ModelSHA256, e.ModelSHA256) {
		found = append(found, fmt.Sprintf("the model file differs: sha256 %s, expected %s",
			abbreviated(a.ModelSHA256), abbreviated(e.ModelSHA256)))
	}
	if differingInputs(a, e) {
		found = append(found, fmt.Sprintf("the inputs differ: actual %s, expected %s",
			inputsText(a, e), inputsText(e, a)))
	}
	if a.Backend == e.Backend {
		if text := differingOptions(a, e); text != "" {
			found = append(found, "the backend's options differ: "+text)
		}
	}
	return found
}

// differingInputs compares the inputs themselves where both sides know their checksum, and what
// they are called where one does not. Two names for the same bytes explain nothing.
func differingInputs(a, e backends.Provenance) bool {
	if a.InputsSHA256 != "" && e.InputsSHA256 != "" {
		return a.InputsSHA256 != e.InputsSHA256
	}
	return differ(a.Inputs, e.Inputs)
}

// inputsText names inputs, with their checksum, or without where neither side has one.
func inputsText(p, other backends.Provenance) string {
	text := p.Inputs
	if text == "" {
		text = "unnamed"
	}
	switch {
	case p.InputsSHA256 != "":
		text += " (sha256 " + abbreviated(p.InputsSHA256) + ")"
	case other.InputsSHA256 != "":
		text += " (sha256 not known)"
	}
	return text
}

// differ reports whether both are known and not the same.
func differ(actual, expected string) bool {
	return actual != "" && expected != "" && actual != expected
}

// differingOptions lists the options that are not the same on both sides, by name.
func differingOptions(a, e backends.Provenance) string {
	names := maps.Clone(a.Options)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, e.Options)
	var found []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if got, want := a.Options[name], e.Options[name]; got != want {
			found = append(found, fmt.Sprintf("%s %s, expected %s", name, orUnset(got), orUnset(want)))
		}
	}
	return strings.Join(found, "; ")
}

func orUnset(value string) string {
	if value == "" {
		return "unset"
	}
	return value
}
