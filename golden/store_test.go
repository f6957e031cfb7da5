package golden_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/blobstore"
)

var _ = Describe("A golden file with data in a store", func() {
	var path, store string
	run := func(seed uint64) runPointer { return runOf(set("x", drawn(seed, 100))) }
	options := golden.Options{Layout: golden.Layout{Inline: 64, InStore: true}}
	BeforeEach(func() {
		path, store = temporary("net.json"), GinkgoT().TempDir()
		GinkgoT().Setenv(blobstore.Variable, store)
		GinkgoT().Setenv(blobstore.CacheVariable, GinkgoT().TempDir())
	})
	forgetCache := func() { GinkgoT().Setenv(blobstore.CacheVariable, GinkgoT().TempDir()) }

	It("puts it there before the file is written, and nothing stays beside the file", func() {
		Expect(golden.Write(path, run(1), options)).To(Succeed())
		Expect(aside(path)).To(BeEmpty())
		Expect(contents(path)).To(ContainSubstring(`"needs": ["store"]`))
		forgetCache()
		Expect(golden.Read(path)).NotTo(BeNil(), "from the store")
		GinkgoT().Setenv(blobstore.Variable, "")
		Expect(golden.Read(path)).NotTo(BeNil(), "from the cache")
	})

	It("is not written where the store cannot take the data", func() {
		GinkgoT().Setenv(blobstore.Variable, filepath.Join(store, "absent"))
		err := golden.Write(path, run(1), options)
		Expect(err).To(MatchError(ContainSubstring("is not a folder; make it, or mount it")))
		Expect(path).NotTo(BeAnExistingFile())
		Expect(aside(path)).To(BeEmpty())
		GinkgoT().Setenv(blobstore.Variable, "")
		Expect(golden.Write(path, run(1), options)).To(MatchError(ContainSubstring(
			"no store is named: set MODELPARITY_STORE")))
	})

	It("says which file lacks what and which command puts it there, and is not written", func() {
		Expect(golden.Write(path, run(1), options)).To(Succeed())
		before := contents(path)
		cache := os.Getenv(blobstore.CacheVariable)
		Expect(os.RemoveAll(filepath.Join(store, "cas"))).To(Succeed())
		forgetCache()
		_, err := golden.Read(path)
		Expect(err).To(MatchError(And(ContainSubstring("output \"x\": its data is not there: "+
			"the store "+store+" lacks the blob "), ContainSubstring("modelparity golden push "))))
		Expect(golden.IsForeign(err)).To(BeTrue())
		asked("1")
		_, err = golden.Update(path, run(2), options)
		Expect(err).To(HaveOccurred())
		Expect(contents(path)).To(Equal(before))

		GinkgoT().Setenv(blobstore.CacheVariable, cache)
		Expect(golden.Push(context.Background(), path)).To(
			ConsistOf(And(HaveField("Blobs", 1), HaveField("Problem", ""))))
		forgetCache()
		Expect(golden.Pull(context.Background(), path)).To(ConsistOf(HaveField("Problem", "")))
		GinkgoT().Setenv(blobstore.Variable, "")
		Expect(golden.Read(path)).NotTo(BeNil())
	})

	It("is reviewed without a store and accepted into it", func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		Expect(os.WriteFile("go.mod", []byte("module x\n"), 0o600)).To(Succeed())
		path := filepath.FromSlash("testdata/golden/net.json")
		Expect(golden.Write(path, run(1), options)).To(Succeed())
		GinkgoT().Setenv(blobstore.Variable, "")
		p, err := golden.Prepare(golden.Diff, path, run(2), options)
		Expect(err).NotTo(HaveOccurred())
		Expect(p.Commit()).To(HaveField("Proposed", true))
		_, err = golden.Accept(context.Background(), false)
		Expect(err).To(MatchError(ContainSubstring("no store is named")))
		GinkgoT().Setenv(blobstore.Variable, store)
		Expect(golden.Accept(context.Background(), false)).To(HaveLen(1))
		forgetCache()
		read, err := golden.Read(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(read.Iterations()[0].Outputs.At(0).Tensor.Bytes()).To(Equal(drawn(2, 100).Bytes()))
		Expect(aside(path)).To(BeEmpty())
	})

	It("is written when the spec has ended, and read by runs whose own context has", func() {
		ctx, cancel := context.WithCancel(context.Background())
		now := run(1).Under(ctx)
		spec := golden.Begin("net still matches")
		asked("1")
		p, err := golden.Prepare(golden.Rewrite, path, now, options)
		Expect(err).NotTo(HaveOccurred())
		Expect(spec.Stage(p)).To(Succeed())
		cancel() // as Ginkgo does before its report nodes
		Expect(spec.End(true)).To(ConsistOf(HaveField("Kind", golden.Created)))
		forgetCache()
		Expect(golden.Update(path, now, golden.Options{Layout: options.Layout, Judge: passes})).To(
			HaveField("Kind", golden.Kept))
	})

	It("ends with its context", func() {
		Expect(golden.Write(path, run(1), options)).To(Succeed())
		forgetCache()
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(fmt.Errorf("the spec has ended"))
		_, err := golden.ReadReference(ctx, path)
		Expect(err).To(MatchError(ContainSubstring("the spec has ended")))
	})
})

var _ = Describe("The advice for git", func() {
	It("names the attributes that the repository lacks", func() {
		folder := GinkgoT().TempDir()
		Expect(golden.GitAdvice(folder)).To(BeEmpty(), "git does not know the folder")
		Expect(exec.Command("git", "init", "-q", folder).Run()).To(Succeed())
		advice := golden.GitAdvice(folder)
		Expect(advice).To(MatchRegexp(`^git: for golden files, add to .*\.gitattributes:\n`))
		_, lines, _ := strings.Cut(advice, ":\n")
		Expect(strings.Count(lines, "\n")).To(Equal(2))
		Expect(os.WriteFile(filepath.Join(folder, ".gitattributes"),
			[]byte(strings.ReplaceAll(lines, "    ", "")), 0o600)).To(Succeed())
		Expect(golden.GitAdvice(folder)).To(BeEmpty())
	})

	It("tells the store, and no token", func() {
		GinkgoT().Setenv(blobstore.Variable, "https://cache.example.com/golden")
		GinkgoT().Setenv(blobstore.TokenVariable, "s3cret")
		GinkgoT().Setenv(blobstore.CacheVariable, GinkgoT().TempDir())
		Expect(golden.StoreStatus()).To(HavePrefix(
			"store: the store https://cache.example.com/golden; 0 blobs, 0 bytes in "))
		Expect(golden.StoreStatus()).NotTo(ContainSubstring("s3cret"))
		GinkgoT().Setenv(blobstore.Variable, "")
		Expect(golden.StoreStatus()).To(BeEmpty())
	})
})
