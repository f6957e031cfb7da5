package matchers

import (
	"bytes"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// assertion describes the caller of Match, read from the call stack. Gomega does not tell a
// matcher how it is used, and an update must never write a golden file if the spec expects a
// difference or tries several matchers. Only one form certainly wants a match: a positive
// assertion of the matcher alone, in a spec or test. Every other form, including any that a later
// Gomega adds, does not write.
type assertion struct {
	// wanted says that the assertion fails if the matcher does not match.
	wanted bool
	// composed says that another matcher, too, can fail the assertion, as inside And and
	// WithTransform.
	composed bool
	// inside names the form around the matcher if wanted is false: "Or", "Eventually".
	inside string
	// negated says that the assertion succeeds if the matcher does not match.
	negated bool
	// at is the location of the assertion in the user's code: "digits_test.go:31".
	at string
}

// asserted inspects the call stack above the exported method of this package that Gomega calls.
func asserted() assertion {
	frames := callers()
	for len(frames) > 0 && strings.Contains(frames[0].Function, "/matchers.(*comparer).") {
		frames = frames[1:]
	}
	var a assertion
	for ; len(frames) > 0; frames = frames[1:] {
		switch receiver, method := gomegaMethod(frames[0].Function); {
		case receiver == "AndMatcher", receiver == "WithTransformMatcher":
			a.composed = true
		case receiver == "Assertion" && method == "match":
		case receiver == "Assertion" && (method == "To" || method == "Should"):
			return a.direct(frames[1:])
		default:
			a.inside = describeCaller(receiver, method)
			a.negated = receiver == "NotMatcher" || receiver == "Assertion"
			return a
		}
	}
	return a
}

// direct inspects the callers of an assertion method such as To.
func (a assertion) direct(frames []runtime.Frame) assertion {
	if len(frames) > 0 {
		a.at = fmt.Sprintf("%s:%d", filepath.Base(frames[0].File), frames[0].Line)
	}
	runner := false
	for _, frame := range frames {
		if strings.Contains(frame.Function, gomegaPath) {
			a.inside = describeCaller(gomegaMethod(frame.Function))
			return a
		}
		runner = runner || frame.Function == "testing.tRunner" ||
			strings.Contains(frame.Function, "/ginkgo/v2/internal.")
	}
	if !runner {
		a.inside = "a goroutine of its own"
		return a
	}
	a.wanted = true
	return a
}

// callers returns the call stack above this package.
func callers() (all []runtime.Frame) {
	pcs := make([]uintptr, 128)
	n := runtime.Callers(3, pcs)
	for n == len(pcs) {
		pcs = make([]uintptr, 2*len(pcs))
		n = runtime.Callers(3, pcs)
	}
	frames := runtime.CallersFrames(pcs[:n])
	for {
		frame, more := frames.Next()
		all = append(all, frame)
		if !more {
			return all
		}
	}
}

const gomegaPath = "github.com/onsi/gomega"

// gomegaMethod splits "github.com/onsi/gomega/internal.(*Assertion).To" into "Assertion" and "To".
// For a function of Gomega that is not a method, receiver is "". For other functions both results
// are "".
func gomegaMethod(function string) (receiver, method string) {
	_, inGomega, found := strings.Cut(function, gomegaPath)
	if !found {
		return "", ""
	}
	_, name, _ := strings.Cut(inGomega[strings.LastIndexByte(inGomega, '/')+1:], ".")
	if of, isMethod := strings.CutPrefix(name, "(*"); isMethod {
		receiver, method, _ = strings.Cut(of, ").")
		return receiver, method
	}
	return "", name
}

// describeCaller names the form of an assertion for people.
func describeCaller(receiver, method string) string {
	switch {
	case receiver == "" && method == "":
		return "a matcher or function of your own"
	case receiver == "Assertion":
		return method // NotTo, ToNot, ShouldNot
	case receiver == "AsyncAssertion":
		return "Eventually or Consistently"
	case receiver != "":
		return strings.TrimSuffix(receiver, "Matcher")
	}
	return method
}

// plainTest returns the name of the running top-level test, as `go test -run` expects it, or "" if
// it is not known. alone says that the test itself is running and not one of its subtests. ginkgo
// says that this is a Ginkgo suite.
func plainTest() (name string, alone, ginkgo bool) {
	frames := callers()
	for i, frame := range frames {
		ginkgo = ginkgo || strings.Contains(frame.Function, "/ginkgo/v2/internal.")
		if frame.Function != "testing.tRunner" || i == 0 {
			continue
		}
		// The name is example.com/digits_test.TestDigits, or .TestDigits.func1 for its subtest.
		_, name, _ := strings.Cut(filepath.Base(frames[i-1].Function), ".")
		name, _, inside := strings.Cut(name, ".")
		stack := make([]byte, 1<<20)
		stack = stack[:runtime.Stack(stack, false)]
		// A subtest may be a named function too. Top-level tests are started by goroutine 1.
		alone := !inside && bytes.Contains(stack, []byte("created by testing.(*T).Run in goroutine 1\n"))
		if strings.HasPrefix(name, "Test") && (alone || inside) {
			return name, alone, ginkgo
		}
	}
	return "", false, ginkgo
}
