package figures

import "fmt"

// Plural returns a number of things in words: "1 spec" or "2 specs" for the noun "spec".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
