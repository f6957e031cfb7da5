package golden

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

// ownLength is how much of a spec's text the name of its file shows: a folder of such names is
// still to be read, and their paths stay short enough for Windows.
const ownLength = 80

// OwnName is the name of the golden file of a spec that has no name but its text: the text's ASCII
// letters in lower case and its digits, with a dash for whatever stands between them, as far as 80
// characters go, and the first 8 digits of the text's SHA-256. So the same text always gives the
// same name, any other text another one, and every file system takes it: "digits still match" is
// digits-still-match-3545f21c.
func OwnName(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(text) {
		if b.Len() >= ownLength {
			break
		}
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		b.WriteString("spec")
	}
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%s-%x", b.String(), sum[:4])
}

// Own is the name of the file that belongs to the spec itself ([OwnName]). There is one for each
// spec, so a second match that wants it is an error; match is what tells the two apart, the same
// pointer for the same match. It is an error too where the spec is not known.
func (s *Spec) Own(match any) (string, error) {
	if s.Name() == "" {
		return "", errors.New("without a name a golden file is called by the text of its spec, which " +
			"is not known here: give it a name, or say var _ = ginkgoreport.Suite(), or .In(t) in a " +
			"plain test")
	}
	name := OwnName(s.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own != nil && s.own != match {
		return "", fmt.Errorf("two matches without a name in the spec %q would share the golden file "+
			"%q: give each a name, one name if they should share it", s.name, name)
	}
	s.own = match
	return name, nil
}

// Again says that another attempt of the spec begins, whose matches are new. What was staged stays;
// [Spec.Discard] forgets it.
func (s *Spec) Again() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own = nil
}
