package goldentree

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"
)

// ownLength is the maximum number of characters of a spec's text in the name of its file, so that
// names are readable and paths are short enough for Windows.
const ownLength = 80

// OwnName returns the name of the golden file for a spec that does not specify a name. The name
// consists of the spec's text in lower case, with a dash for each run of characters other than
// ASCII letters and digits, cut to 80 characters, and the first 8 digits of the text's SHA-256. The
// same text always gives the same name, different texts give different names, and the name is valid
// on every file system: "digits still match" becomes digits-still-match-3545f21c.
func OwnName(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name := strings.Join(words, "-")
	name = strings.TrimRight(name[:min(len(name), ownLength)], "-")
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%s-%x", cmp.Or(name, "spec"), sum[:4])
}
