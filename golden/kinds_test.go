//go:build !windows

package golden_test

import (
	"context"
	"os"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/cli/accuracy"
	"github.com/modelparity/modelparity/internal/cli/goldenfiles"
	"github.com/modelparity/modelparity/runs"
)

var _ = Describe("What is not a regular file", func() {
	ctx := context.Background()
	for kind, lay := range map[string]func(path string) error{
		"a device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"a pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		for name, read := range map[string]func(path string) error{
			"a golden file": func(path string) error {
				_, err := golden.Read(ctx, path)
				return err
			},
			"saved runs": func(path string) error { _, err := runs.ReadRuns(ctx, path); return err },
			"one run":    func(path string) error { _, err := runs.ReadOne(ctx, path); return err },
			"contents": func(path string) error {
				_, err := goldenfiles.ReadContents(ctx, path, nil)
				return err
			},
			"accuracy": func(path string) error { _, err := accuracy.Read(path); return err },
			"a reference": func(path string) error {
				_, err := golden.ReadReference(ctx, path)
				return err
			},
		} {
			It("is an error: "+name+" that is "+kind, func() {
				path := temporary("digits.json")
				Expect(lay(path)).To(Succeed())
				Expect(read(path)).To(MatchError(ContainSubstring("not a regular file but " + kind)))
			})
		}
	}
})
