// Package observed passes every comparison of a suite from the matchers to the suite's page.
package observed

import "github.com/modelparity/modelparity/compare"

// Comparison, if not nil, is called with each comparison that a matcher makes. Set it only before
// the first spec.
var Comparison func(compare.Pair)
