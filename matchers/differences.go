package matchers

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
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
	var options []string
	for _, name := range names.Differing(a.Options, e.Options) {
		options = append(options, fmt.Sprintf("%s %s, expected %s", name,
			cmp.Or(a.Options[name], "unset"), cmp.Or(e.Options[name], "unset")))
	}
	if a.Backend == e.Backend && len(options) > 0 {
		found = append(found, "the backend's options differ: "+strings.Join(options, "; "))
	}
	return append(found, a.Precisions(e))
}
