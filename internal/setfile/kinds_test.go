//go:build !windows

package setfile_test

import (
	"os"
	"path/filepath"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/setfile"
)

var _ = Describe("What is not a regular file", func() {
	for kind, lay := range map[string]func(path string) error{
		"a device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"a pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		for _, name := range []string{"a.json", "a.npz", "a.npy", "a.pb", "a.safetensors", "a.bin",
			"0000000000.json", "0000000000/x.bin", "input_0.pb"} {
			It("is an error: "+name+" that is "+kind, func(ctx SpecContext) {
				folder := GinkgoT().TempDir()
				path := filepath.Join(folder, name)
				Expect(os.MkdirAll(filepath.Dir(path), 0o700)).To(Succeed())
				Expect(lay(path)).To(Succeed())
				if name[0] != 'a' {
					path = folder
				}
				_, err := read(setfile.Options{Role: "input"}, path)
				Expect(err).To(MatchError(HaveSuffix("not a regular file but " + kind)))
			})
		}
	}
})
