package golden_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
)

// updaterArgument makes this test binary a process that updates the golden files of a folder.
const updaterArgument = "update-golden-files"

// updateAll makes 60 updates of two files, each by turns with data next to it and without, as
// processes of several runs of the tests do.
func updateAll(folder string) {
	golden.MeetIn("")
	failed := 0
	for i := range 60 {
		golden.ForgetAll()
		var o golden.Options
		if i%3 == 0 {
			o.Inline = 1
		}
		path := filepath.Join(folder, []string{"a", "b"}[i/2%2]+".json")
		p, err := golden.Prepare(golden.All, path, large(float32(i%7)), o)
		if err == nil {
			_, err = p.Commit()
		}
		if err != nil {
			failed++
			fmt.Println(err)
		}
	}
	os.Exit(min(failed, 1))
}

var _ = It("updates small and large files side by side, and each update succeeds", func() {
	folder := GinkgoT().TempDir()
	self, err := os.Executable()
	Expect(err).NotTo(HaveOccurred())
	done := make(chan string)
	for range 8 {
		go func() {
			out, err := exec.Command(self, updaterArgument, folder).CombinedOutput()
			if err == nil {
				out = nil
			}
			done <- string(out)
		}()
	}
	for range 8 {
		Expect(<-done).To(BeEmpty())
	}
	for _, name := range []string{"a.json", "b.json"} {
		Expect(goldentree.Look(context.Background(), filepath.Join(folder, name)).Problem).To(BeEmpty())
	}
})
