//go:build unix

package golden_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
)

// cramped makes this test binary a process whose files may not grow: a disk that is full.
const cramped = "write-on-a-full-disk"

// writeCramped writes a golden file, with its data aside, and prints what came of it.
func writeCramped(path string) {
	signal.Ignore(syscall.SIGXFSZ) // so that writing is an error
	limit := syscall.Rlimit{Cur: 20_000, Max: 20_000}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		fmt.Println("no limit:", err)
		os.Exit(0)
	}
	err := golden.Write(path, runOf(must("x", drawn(2, 100_000))), small)
	fmt.Println("error:", err)
	os.Exit(0)
}

var _ = Describe("A disk that is full", func() {
	write := func(path string) string {
		GinkgoHelper()
		self, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		output, err := exec.Command(self, cramped, path).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(output))
		if strings.HasPrefix(string(output), "no limit") {
			Skip(string(output))
		}
		return string(output)
	}
	// every file below a folder
	under := func(folder string) (all []string) {
		GinkgoHelper()
		Expect(filepath.WalkDir(folder, func(path string, item os.DirEntry, err error) error {
			if err == nil && !item.IsDir() {
				all = append(all, path)
			}
			return err
		})).To(Succeed())
		return all
	}

	It("leaves the old file with its data, and nothing else", func() {
		path := temporary("net.json")
		Expect(golden.Write(path, runOf(must("x", drawn(1, 100_000))), small)).To(Succeed())
		before := under(filepath.Dir(path))
		Expect(write(path)).To(ContainSubstring("file too large"))
		Expect(under(filepath.Dir(path))).To(Equal(before))
		Expect(golden.Read(context.Background(), path)).NotTo(BeNil())
		fresh := temporary("net.json")
		Expect(strings.Count(write(fresh), "file too large")).To(Equal(1))
		Expect(under(filepath.Dir(fresh))).To(BeEmpty())
	})
})

var _ = Describe("A tree that is only read", func() {
	It("is left as it is by whoever reads golden files with data aside", func() {
		path := temporary("net.json")
		Expect(golden.Write(path, runOf(must("x", drawn(1, 1000))), small)).To(Succeed())
		folder := filepath.Dir(path)
		Expect(os.Chmod(strings.TrimSuffix(path, ".json")+".data", 0o555)).To(Succeed())
		Expect(os.Chmod(folder, 0o555)).To(Succeed())
		DeferCleanup(os.Chmod, folder, os.FileMode(0o755))
		DeferCleanup(os.Chmod, strings.TrimSuffix(path, ".json")+".data", os.FileMode(0o755))
		before, err := os.Stat(folder)
		Expect(err).NotTo(HaveOccurred())
		Expect(golden.Read(context.Background(), path)).NotTo(BeNil())
		Expect(goldentree.Look(context.Background(), path).Problem).To(BeEmpty())
		after, err := os.Stat(folder)
		Expect(err).NotTo(HaveOccurred())
		Expect(after.ModTime()).To(Equal(before.ModTime()))
		if os.Geteuid() == 0 {
			return // root writes everywhere
		}
		err = golden.Write(path, runOf(must("x", drawn(2, 1000))), small)
		Expect(err).To(MatchError(ContainSubstring("cannot be written to")))
		Expect(golden.Read(context.Background(), path)).NotTo(BeNil())
	})
})
