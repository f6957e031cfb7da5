package engines

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestTheCommandThatMessagesName(t *testing.T) {
	checkout := t.TempDir()
	NewWithT(t).Expect(os.MkdirAll(filepath.Join(checkout, "cmd", "modelparity"), 0o755)).
		To(Succeed())
	const cache = "/home/me/go/pkg/mod/"
	for _, row := range []struct{ reason, program, main, root, want string }{
		{"the command itself", commandPath, Module, cache + Module + "@v0.5.0", "modelparity"},
		{"our own test binary", Module + "/backends/ort.test", Module, checkout,
			"go run " + commandPath},
		{"a user's", "example.com/user/net.test", "example.com/user", cache + Module + "@v0.5.0",
			"go run " + commandPath + "@v0.5.0"},
		{"a user's, with -trimpath", "example.com/user/net.test", "example.com/user",
			Module + "@v0.5.0", "go run " + commandPath + "@v0.5.0"},
		{"a user's, by a replace directive", "example.com/user/net.test", "example.com/user", checkout,
			"go build -C '" + checkout + "' -o bin/modelparity ./cmd/modelparity && '" + checkout +
				"/bin/modelparity'"},
		{"a user's, from a vendor folder, which holds no command", "example.com/user/net.test",
			"example.com/user", "/home/me/user/vendor/" + Module,
			"go run " + commandPath + "@latest"},
	} {
		NewWithT(t).Expect(command(row.program, row.main, row.root+"/internal/engines/command.go")).
			To(Equal(row.want), row.reason)
	}
	NewWithT(t).Expect(Command()).To(Equal("go run "+commandPath), "in this test itself")
}
