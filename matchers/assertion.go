package matchers

import (
	"bytes"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// assertion describes how Match was called, as far as the call stack shows it. An update must not
// write a golden file if the spec expects a difference or tries several matchers, but Gomega does
// not tell a matcher how it is used. Only a positive assertion of the matcher alone, inside a spec
// or test, certainly wants a match. In all other forms, including any that a later Gomega adds, an
// update does not write.
type assertion struct {
	// composed says that another matcher can fail the assertion as well. This is so inside And and
	// WithTransform.
	composed bool
	// inside names what called the matcher, such as "Or" or "Eventually". It is "" if the assertion
	// fails if the matcher does not match.
	inside string
	// negated says that the assertion succeeds if the matcher does not match.
	negated bool
	// at is the location of the assertion in the user's code, such as "digits_test.go:31".
	at string
}

// asserted describes the assertion that called the matcher. It reads the call stack.
func asserted() assertion {
	frames := callers()
	for len(frames) > 0 && (strings.Contains(frames[0].Function, "/matchers.(*comparer).") ||
		strings.Contains(frames[0].Function, "/matchers.goldenFile.")) {
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

// direct completes the description of an assertion. frames are the stack frames above the call of
// an assertion method such as To. direct stores the place of this call in a.at. If Gomega or a
// separate goroutine made the call, direct says so in a.inside.
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
		a.inside = "a separate goroutine"
	}
	return a
}

// callers returns the call stack above its caller.
func callers() (all []runtime.Frame) {
	pcs := make([]uintptr, 1<<12)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		frame, more := frames.Next()
		all = append(all, frame)
		if !more {
			return all
		}
	}
}

const gomegaPath = "github.com/onsi/gomega"

// gomegaMethod splits the name of a method of Gomega:
// "github.com/onsi/gomega/internal.(*Assertion).To" becomes "Assertion" and "To". For a Gomega
// function that is not a method, receiver is "". For functions outside Gomega, both results are "".
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

// custom describes a caller that is not part of Gomega.
const custom = "a custom matcher or function"

// describeCaller names the function of Gomega that called the matcher, as users know it: NotTo, Or,
// Eventually.
func describeCaller(receiver, method string) string {
	switch {
	case receiver == "" && method == "":
		return custom
	case receiver == "Assertion":
		return method // NotTo, ToNot, ShouldNot
	case receiver == "AsyncAssertion":
		return "Eventually or Consistently"
	case receiver != "":
		return strings.TrimSuffix(receiver, "Matcher")
	}
	return method
}

// plainTest returns the name of the running top-level test as `go test -run` expects it, or "" if
// the name is unknown. alone says that the test itself is running, not a subtest. ginkgo says that
// the test runs a Ginkgo suite.
func plainTest() (name string, alone, ginkgo bool) {
	frames := callers()
	for i, frame := range frames {
		ginkgo = ginkgo || strings.Contains(frame.Function, "/ginkgo/v2/internal.")
		if frame.Function != "testing.tRunner" || i == 0 {
			continue
		}
		// Function is, for example, example.com/digits_test.TestDigits. For a function literal that runs
		// as a subtest, it ends in .TestDigits.func1.
		_, name, _ := strings.Cut(filepath.Base(frames[i-1].Function), ".")
		name, _, inside := strings.Cut(name, ".")
		stack := make([]byte, 1<<20)
		stack = stack[:runtime.Stack(stack, false)]
		// A subtest may also be a named function. Only goroutine 1 starts top-level tests.
		alone := !inside && bytes.Contains(stack, []byte("created by testing.(*T).Run in goroutine 1\n"))
		if strings.HasPrefix(name, "Test") && (alone || inside) {
			return name, alone, ginkgo
		}
	}
	return "", false, ginkgo
}
