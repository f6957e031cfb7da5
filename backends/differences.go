package backends

import (
	"cmp"
	"fmt"
)

// Differences describes how the model and the inputs of two runs differ; each result is "" if no
// difference is known. Messages about a mismatch show both results, because a different model
// file or different inputs explain a mismatch better than its numbers do.
func (p Provenance) Differences(expected Provenance) (model, inputs string) {
	switch a, e := p.ModelSHA256, expected.ModelSHA256; {
	case !differ(a, e):
	case p.Model == expected.Model:
		model = fmt.Sprintf("the model file differs: sha256 %.12s, expected %.12s", a, e)
	default:
		model = fmt.Sprintf("the models differ: %s (sha256 %.12s), expected %s (sha256 %.12s)",
			p.Model, a, expected.Model, e)
	}
	// Two names for inputs with the same checksum do not explain a mismatch.
	known := p.InputsSHA256 != "" && expected.InputsSHA256 != ""
	if differ(p.InputsSHA256, expected.InputsSHA256) || !known && differ(p.Inputs, expected.Inputs) {
		inputs = fmt.Sprintf("the inputs differ: actual %s, expected %s", p.inputsText(expected),
			expected.inputsText(p))
	}
	return model, inputs
}

// Precisions describes, in one line, the precisions in which two runs were computed.
func (p Provenance) Precisions(expected Provenance) string {
	if p.Computed == expected.Computed {
		return "both sides " + p.Precision()
	}
	return fmt.Sprintf("actual %s; expected %s", p.Precision(), expected.Precision())
}

// differ reports whether two strings differ. An empty string means unknown and never counts as a
// difference.
func differ(actual, expected string) bool {
	return actual != "" && expected != "" && actual != expected
}

// inputsText names the inputs. It adds the inputs' checksum if either run has one.
func (p Provenance) inputsText(other Provenance) string {
	text := cmp.Or(p.Inputs, "unnamed")
	switch {
	case p.InputsSHA256 != "":
		text += fmt.Sprintf(" (sha256 %.12s)", p.InputsSHA256)
	case other.InputsSHA256 != "":
		text += " (sha256 not known)"
	}
	return text
}
