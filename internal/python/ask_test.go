//go:build unix

package python_test

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/python"
)

func TestAskKeepsTheAnswerWhileTheEnvironmentStays(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	asked := filepath.Join(folder, "asked")
	program := filepath.Join(folder, "program")
	g.Expect(os.WriteFile(program, []byte("#!/bin/sh\necho >> "+asked+"\n"+
		`echo "$2 $ACME"; test "$2" = fine`+"\n"), 0o700)).To(Succeed())
	for _, environment := range []string{"a", "a", "b", "a"} {
		t.Setenv("ACME", environment)
		g.Expect(python.Ask(t.Context(), program, "fine")).To(
			BeEquivalentTo("fine " + environment + "\n"))
		out, err := python.Ask(t.Context(), program, "wrong")
		g.Expect(err).To(MatchError("exit status 1"))
		g.Expect(out).To(BeEquivalentTo("wrong " + environment + "\n"))
	}
	g.Expect(os.ReadFile(asked)).To(HaveLen(4), "once for each argument and environment")
}
