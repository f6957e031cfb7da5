package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/loaders"
)

// notTried lists the kinds of inputs that the search did not try.
func (h *hunt) notTried() (list []string) {
	dynamic, integers, floats := false, false, false
	for _, v := range h.inputs {
		dynamic = dynamic || slices.ContainsFunc(v.Dims, loaders.Dim.Dynamic)
		floats = floats || v.Type.IsFloat()
		integers = integers || v.Type.IsInteger()
	}
	if dynamic {
		missing := slices.DeleteFunc(slices.Clone(h.sizes()), func(n int) bool { return h.firsts[n] })
		if len(missing) > 0 {
			line := "sizes of the first dynamic dimension: " + ranges(missing)
			if h.tooLarge {
				line += fmt.Sprintf("; with some of them, inputs would exceed %d elements", mostDrawn)
			}
			list = append(list, line)
		}
		list = append(list, fmt.Sprintf("dynamic dimensions above %d, and most combinations of sizes",
			slices.Max(h.sizes())))
	}
	if floats {
		var missing []string
		for _, kind := range draws {
			if !h.kinds[kind.how] {
				missing = append(missing, kind.how)
			}
		}
		if len(missing) > 0 {
			list = append(list, strings.Join(missing, ", "))
		}
		list = append(list, "NaN and infinities")
	}
	if integers {
		list = append(list, "integers outside the range of the given inputs")
	}
	return list
}

// ranges formats numbers as ranges: 1, 4 to 7.
func ranges(numbers []int) string {
	slices.Sort(numbers)
	var words []string
	for len(numbers) > 0 {
		n := 1
		for n < len(numbers) && numbers[n] == numbers[0]+n {
			n++
		}
		word := fmt.Sprint(numbers[0])
		if n > 1 {
			word += fmt.Sprintf(" to %d", numbers[n-1])
		}
		words, numbers = append(words, word), numbers[n:]
	}
	return strings.Join(words, ", ")
}
