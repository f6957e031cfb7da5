package matchers

import (
	"runtime"
	"strings"
)

// asked is what an assertion wants a matcher to say.
type asked uint8

const (
	askedByNobody asked = iota // Match was not called by an assertion that is known
	askedToMatch
	askedNotToMatch
)

// asking finds the assertion that Match is being called for: Expect(…).To, Should, or their
// asynchronous twins and negations. The nearest one on the stack counts; Not is a negation.
//
// Gomega does not tell a matcher which way it is asked, and a golden file must never be written
// because a spec expected a run to differ from it. So the call stack is read.
func asking() asked {
	callers := make([]uintptr, 256)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		switch receiver, method := gomegaMethod(frame.Function); receiver {
		case "NotMatcher":
			return askedNotToMatch
		case "Assertion", "AsyncAssertion":
			switch method {
			case "To", "Should":
				return askedToMatch
			case "NotTo", "ToNot", "ShouldNot":
				return askedNotToMatch
			}
		}
		if !more {
			return askedByNobody
		}
	}
}

// gomegaMethod splits "github.com/onsi/gomega/internal.(*Assertion).To" into "Assertion" and "To".
// Functions outside Gomega give two empty strings.
func gomegaMethod(function string) (receiver, method string) {
	_, inGomega, found := strings.Cut(function, "github.com/onsi/gomega/")
	if !found {
		return "", ""
	}
	_, qualified, _ := strings.Cut(inGomega, ".(*")
	receiver, method, _ = strings.Cut(qualified, ").")
	return receiver, method
}
