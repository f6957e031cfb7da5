package matchers

import (
	"runtime"
	"strings"
)

// assertedTrue reports whether Match is being called for an assertion that wants it to be true:
// Expect(…).To, Should, or their asynchronous twins, with no negation in between.
//
// Gomega does not tell a matcher which way it is asked, and a golden file must never be written
// because a spec expected a run to differ from it. So the call stack is asked. It errs on the safe
// side: a caller that is not known counts as a negation, and then nothing is written.
func assertedTrue() bool {
	callers := make([]uintptr, 256)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		switch receiver, method := gomegaMethod(frame.Function); {
		case receiver == "NotMatcher":
			return false
		case receiver == "Assertion" || receiver == "AsyncAssertion":
			switch method {
			case "To", "Should":
				return true
			case "NotTo", "ToNot", "ShouldNot":
				return false
			}
		}
		if !more {
			return false
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
