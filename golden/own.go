package golden

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/goldentree"
)

// Own returns the name of the golden file for a match whose author did not name a file: the spec's
// text in lower case with dashes, and the first 8 digits of its SHA-256. match is a pointer that
// identifies the match. A spec can have only one such match, so Own returns an error for a second
// one. It also returns an error if the spec is unknown.
func (s *Spec) Own(match any) (string, error) {
	if s.text() == "" {
		return "", errors.New("a match without a name uses the golden file named after its spec, which " +
			"is unknown here: name the file, or use var _ = ginkgoreport.Suite(), or .In(t) in a plain test")
	}
	name := goldentree.OwnName(s.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own != nil && s.own != match {
		return "", fmt.Errorf("two unnamed matches in the spec %q would share the golden file "+
			"%q: name both, with the same name to share one file", s.name, name)
	}
	s.own = match
	return name, nil
}

// Again starts a new attempt of the spec, as Ginkgo does for FlakeAttempts and MustPassRepeatedly.
// The attempt creates its matches again, so one of them may use the file named after the spec
// again. If the previous attempt failed, Again drops the updates that the previous attempt had
// staged.
func (s *Spec) Again(failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own = nil; failed {
		s.pending = nil
	}
}
