package golden

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/goldentree"
)

// Own returns the name of the golden file for a matcher that does not name one: the spec's text in
// lower case with dashes, and the first 8 digits of its SHA-256. matcher is a pointer that
// identifies the matcher. A spec can have only one such matcher, so Own returns an error for a
// second one. It also returns an error if the spec is unknown.
func (s *Spec) Own(matcher any) (string, error) {
	if s.text() == "" {
		return "", errors.New("a matcher without a name uses the golden file named after its spec, " +
			"which is unknown here: name the file, or use var _ = ginkgoreport.Suite(), or .In(t) in a " +
			"plain test")
	}
	name := goldentree.OwnName(s.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own != nil && s.own != matcher {
		return "", fmt.Errorf("two unnamed matchers in the spec %q would share the golden file "+
			"%q: give each a name; to share one file, give them the same name", s.name, name)
	}
	s.own = matcher
	return name, nil
}

// Again starts a new attempt of the spec, as Ginkgo does for FlakeAttempts and MustPassRepeatedly.
// The attempt creates its matchers again, so a new matcher may use the file named after the spec.
// If the previous attempt failed, Again drops the updates that it had staged.
func (s *Spec) Again(failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own = nil; failed {
		s.pending = nil
	}
}
