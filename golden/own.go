package golden

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/goldentree"
)

// Own returns the name of the spec's own golden file: the spec's text in lower case with dashes,
// and 8 digits of its SHA-256. Only one match per spec may use this name: a call for a second match
// is an error. match is a pointer that identifies the calling match. It is also an error if the
// spec is unknown.
func (s *Spec) Own(match any) (string, error) {
	if s.text() == "" {
		return "", errors.New("a golden file without a name is named after its spec, which is unknown " +
			"here: give it a name, or use var _ = ginkgoreport.Suite(), or .In(t) in a plain test")
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

// Again starts another attempt of the spec, whose matches are new. If the previous attempt failed,
// its staged updates are dropped.
func (s *Spec) Again(failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own = nil; failed {
		s.pending = nil
	}
}
