package cli

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestSetupNamesTheReleaseThatTheModuleRequires(t *testing.T) {
	for mod, want := range map[string]string{
		"module m\n":   "",
		"not a go.mod": "",
		"module m\nrequire github.com/modelparity/modelparity v0.6.0\n": "",
		"module m\nrequire github.com/modelparity/modelparity v0.5.0\n" +
			"replace github.com/modelparity/modelparity => ../modelparity\n": "",
		"module m\nrequire github.com/modelparity/modelparity v0.5.0\n": "modelparity: setup: this " +
			"is v0.6.0, but go.mod requires v0.5.0; " +
			"run `go get github.com/modelparity/modelparity@v0.6.0` or " +
			"`go install github.com/modelparity/modelparity/cmd/modelparity@v0.5.0`\n",
	} {
		NewWithT(t).Expect(otherRelease("v0.6.0", []byte(mod))).To(Equal(want), mod)
	}
}
