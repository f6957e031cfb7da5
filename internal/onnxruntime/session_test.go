//go:build cgo && (linux || darwin)

package onnxruntime

import (
	"testing"

	. "github.com/onsi/gomega"
	binding "github.com/yalue/onnxruntime_go"
)

func TestPanicOfTheBindingIsAnError(t *testing.T) {
	panics := func() (err error) {
		defer recovered(&err)
		panic("index out of range")
	}
	NewWithT(t).Expect(panics()).To(MatchError(
		"the ONNX Runtime binding panicked: index out of range"))
}

func TestSessionThatTheBindingKeepsElsewhereIsAnError(t *testing.T) {
	_, err := sessionHandle(&binding.DynamicAdvancedSession{})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring(`field "s" contains no pointer`)))
}

func TestNothingWorksBeforeStart(t *testing.T) {
	g := NewWithT(t)
	_, _, running := Running()
	g.Expect(running).To(BeFalse())
	_, err := NewSession([]byte("model"), Options{})
	g.Expect(err).To(MatchError("the ONNX Runtime environment is not started"))
}
