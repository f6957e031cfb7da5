package golden_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/cli/goldenfiles"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// drawn is n float32 of a normal distribution.
func drawn(seed uint64, n int) *tensor.Tensor {
	r := rand.New(rand.NewPCG(seed, 1))
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(r.NormFloat64())
	}
	return tensor.Of(values...)
}

// aside lists the files next to a golden file, by their names.
func aside(path string) (names []string) {
	entries, _ := os.ReadDir(strings.TrimSuffix(path, ".json") + ".data")
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// small keeps 64 bytes in the file.
var small = golden.Options{Layout: golden.Layout{Inline: 64}}

var _ = Describe("A golden file with data next to it", func() {
	var path string
	BeforeEach(func() { path = temporary("net.json") })

	It("is written when the spec has ended, and read by runs whose own context has", func() {
		ctx, cancel := context.WithCancel(context.Background())
		now := runOf(set("x", drawn(1, 100))).Under(ctx)
		spec := golden.Begin("net still matches")
		asked("1")
		p, err := golden.Prepare(golden.Rewrite, path, now, small)
		Expect(err).NotTo(HaveOccurred())
		Expect(spec.Stage(p)).To(Succeed())
		cancel() // as Ginkgo does before its report nodes
		Expect(spec.End(true)).To(ConsistOf(HaveField("Kind", golden.Created)))
		Expect(golden.ReadReference(context.Background(), path)).NotTo(BeNil())
		Expect(golden.Update(path, now, golden.Options{Layout: small.Layout, Judge: passes})).To(
			HaveField("Kind", golden.Kept))
	})

	It("ends with its context", func() {
		Expect(golden.Write(path, runOf(set("x", drawn(1, 100))), small)).To(Succeed())
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(fmt.Errorf("the spec has ended"))
		_, err := golden.ReadReference(ctx, path)
		Expect(err).To(MatchError(ContainSubstring("the spec has ended")))
	})
	It("keeps the largest outputs aside until the rest fits, and gives all types back", func() {
		many := func() *tensor.Set { // every type, and one large output
			return set("big", drawn(1, 1000), "labels", tensor.Of[int64](1, 2))
		}
		Expect(golden.Write(path, runOf(many()), small)).To(Succeed())
		Expect(aside(path)).To(HaveLen(1))
		Expect(contents(path)).To(ContainSubstring(`"needs": ["sidecar"]`))
		Expect(contents(path)).To(ContainSubstring(`"polygraphy": "does not read this file`))
		read, err := golden.Read(context.Background(), path)
		Expect(err).NotTo(HaveOccurred())
		Expect(read.Iterations()[0].Outputs.Names()).To(Equal([]string{"big", "labels"}))
		Expect(read.Iterations()[0].Outputs.At(0).Tensor.Bytes()).To(Equal(drawn(1, 1000).Bytes()))

		all := temporary("all.json")
		Expect(golden.Write(all, runOf(every(), every()), golden.Options{
			Layout: golden.Layout{Inline: 1}})).To(Succeed())
		read, err = golden.Read(context.Background(), all)
		Expect(err).NotTo(HaveOccurred())
		for name, t := range every().All() {
			same, _ := read.Iterations()[1].Outputs.Get(name)
			Expect(same.String()).To(Equal(t.String()), name)
			Expect(string(same.Bytes())).To(Equal(string(t.Bytes())), name)
			Expect(same.Strings()).To(Equal(t.Strings()), name)
		}
	})

	It("holds a mebibyte itself unless the user says otherwise", func() {
		run := runOf(set("a", drawn(1, 1<<17), "b", drawn(2, 1<<17))) // 512 KiB each
		Expect(golden.Write(path, run, golden.Options{})).To(Succeed())
		Expect(aside(path)).To(BeEmpty())
		o := golden.Options{Layout: golden.Layout{Inline: 512 << 10}}
		Expect(golden.Write(path, run, o)).To(Succeed())
		Expect(aside(path)).To(HaveLen(1))
		o.Inline = -1
		Expect(golden.Write(path, run, o)).To(Succeed())
		Expect(aside(path)).To(BeEmpty(), "an update removes sidecars that it does not need")
	})

	It("is not touched when nothing changes, and keeps what stays of an update", func() {
		run := runOf(set("x", drawn(1, 100), "y", drawn(2, 100)))
		Expect(golden.Write(path, run, small)).To(Succeed())
		before := aside(path)
		asked("all")
		Expect(golden.Update(path, run, small)).To(HaveField("Kind", golden.Unchanged))
		golden.ForgetAll() // a later run of the tests
		asked("all")
		now := runOf(set("x", drawn(1, 100), "y", drawn(3, 100)))
		Expect(golden.Update(path, now, small)).To(HaveField("Kind", golden.Rewritten))
		Expect(aside(path)).To(HaveLen(2))
		Expect(aside(path)).To(ContainElement(BeElementOf(before)), "x did not change")
		Expect(golden.Read(context.Background(), path)).NotTo(BeNil())
	})

	It("leaves nothing where it cannot be written", func() {
		Expect(os.Mkdir(path, 0o755)).To(Succeed()) // a folder in its place
		Expect(golden.Write(path, runOf(set("x", drawn(1, 100))), small)).To(
			MatchError(ContainSubstring("folder")))
		Expect(strings.TrimSuffix(path, ".json") + ".data").NotTo(BeADirectory())
	})

	It("is refused by Polygraphy, and read by it once it is converted", func() {
		python := polygraphyPython()
		Expect(golden.Write(path, runOf(set("x", drawn(1, 100))), small)).To(Succeed())
		load := "import sys; from polygraphy.comparator import RunResults; " +
			"print(RunResults.load(sys.argv[1])[0][1][0]['x'].shape)"
		out, err := exec.Command(python, "-c", load, path).CombinedOutput()
		Expect(err).To(HaveOccurred(), string(out))
		saved, err := runs.ReadRuns(context.Background(), path)
		Expect(err).NotTo(HaveOccurred())
		converted := temporary("run.json")
		Expect(runs.WriteRuns(converted, saved)).To(Succeed())
		Expect(exec.Command(python, "-c", load, converted).CombinedOutput()).To(
			ContainSubstring("(100,)"))
		numpy := "import sys, gzip, numpy; print(numpy.load(gzip.open(sys.argv[1])).shape)"
		at := filepath.Join(strings.TrimSuffix(path, ".json")+".data", aside(path)[0])
		Expect(exec.Command(python, "-c", numpy, at).CombinedOutput()).To(ContainSubstring("(100,)"))
	})

	It("follows a link to the data of the file that it leads to", func() {
		Expect(golden.Write(path, runOf(set("x", drawn(1, 100))), small)).To(Succeed())
		link := temporary("link.json")
		Expect(os.Symlink(path, link)).To(Succeed())
		Expect(golden.Read(context.Background(), link)).NotTo(BeNil())
		Expect(golden.Write(link, runOf(set("x", drawn(2, 100))), small)).To(Succeed())
		Expect(aside(path)).To(HaveLen(1))
		Expect(aside(link)).To(BeEmpty())
	})

	It("follows no link out of its folder to anything but a golden file", func() {
		victim := temporary("victim.txt")
		Expect(os.WriteFile(victim, []byte("as it was"), 0o600)).To(Succeed())
		link := filepath.Join(GinkgoT().TempDir(), "link.json")
		Expect(os.Symlink(victim, link)).To(Succeed())
		run := runOf(set("x", drawn(1, 100)))
		Expect(golden.Write(link, run, small)).To(MatchError(ContainSubstring("a link leads out of")))
		Expect(contents(victim)).To(Equal("as it was"))
		elsewhere := GinkgoT().TempDir()
		Expect(os.Symlink(elsewhere, strings.TrimSuffix(path, ".json")+".data")).To(Succeed())
		Expect(golden.Write(path, run, small)).To(MatchError(ContainSubstring("a link leads out of")))
		Expect(os.ReadDir(elsewhere)).To(BeEmpty())
	})

	DescribeTable("whose data is not what the file header says is an error, and",
		func(harm func(at string) error, want string, foreign bool) {
			Expect(golden.Write(path, runOf(set("x", drawn(1, 100))), small)).To(Succeed())
			at := filepath.Join(strings.TrimSuffix(path, ".json")+".data", aside(path)[0])
			Expect(harm(at)).To(Succeed())
			before := contents(path)
			_, err := golden.Read(context.Background(), path)
			Expect(err).To(MatchError(ContainSubstring(want)))
			Expect(err).To(MatchError(ContainSubstring(`output "x"`)))
			Expect(goldentree.IsProtected(err)).To(Equal(foreign))
			Expect(goldentree.Look(context.Background(), path).Problem).To(ContainSubstring(want))
			asked("1")
			_, err = golden.Update(path, runOf(set("x", drawn(2, 100))), small)
			if foreign {
				Expect(err).To(MatchError(ContainSubstring(want)))
				Expect(contents(path)).To(Equal(before), "the reference is elsewhere")
			} else {
				Expect(err).NotTo(HaveOccurred(), "damage is what an update is for")
				Expect(golden.Read(context.Background(), path)).NotTo(BeNil())
			}
		},
		Entry("missing, nothing is written", os.Remove, "its data is missing", true),
		Entry("a Git LFS pointer, nothing is written", func(at string) error {
			return os.WriteFile(at, []byte("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
				0o600)
		}, "the file is a Git LFS pointer", true),
		Entry("truncated", func(at string) error { return os.Truncate(at, 50) },
			"has 50 bytes, but the file header says", false),
		Entry("empty", func(at string) error { return os.Truncate(at, 0) },
			"has 0 bytes, but the file header says", false),
		Entry("other bytes of the same length", func(at string) error {
			data, err := os.ReadFile(at)
			data[len(data)/2] ^= 1
			return errorsOf(err, os.WriteFile(at, data, 0o600))
		}, "has the sha256", false),
	)

	DescribeTable("packs the data where that pays, and stores it where it does not", func(n int) {
		noise, zeros := drawn(1, n), tensor.Of(make([]float32, n)...)
		Expect(golden.Write(path, runOf(set("noise", noise, "zeros", zeros)), small)).To(Succeed())
		var sizes []int64
		for _, output := range []string{"noise", "zeros"} {
			var head struct{ Bytes int64 }
			at := strings.Index(contents(path), `{"name":"`+output)
			_, text, _ := strings.Cut(contents(path)[at:], `"blob":`)
			Expect(json.NewDecoder(strings.NewReader(text)).Decode(&head)).To(Succeed())
			sizes = append(sizes, head.Bytes)
		}
		Expect(sizes[0]).To(BeNumerically("~", 4*n, 1000), "as it is")
		Expect(sizes[1]).To(BeNumerically("<", n/25))
		read, err := golden.Read(context.Background(), path)
		Expect(err).NotTo(HaveOccurred())
		Expect(read.Iterations()[0].Outputs.At(0).Tensor.Bytes()).To(Equal(noise.Bytes()))
	}, Entry("of 4 MiB", 1<<20), Entry("of little more than has a tree of sums", 70_000))

	It("that was stored is refused where any byte of it changed", func() {
		Expect(golden.Write(path, runOf(set("x", drawn(1, 530_000))), small)).To(Succeed())
		at := filepath.Join(strings.TrimSuffix(path, ".json")+".data", aside(path)[0])
		stored := []byte(contents(at))
		r := rand.New(rand.NewPCG(8, 9))
		places := []int{10, 11, 12, 13, 14, 15, 142, 143, 10 + 65540, 10 + 65540 + 1, 10 + 65540 + 3}
		for i := range 10 {
			places = append(places, i) // the header of gzip
		}
		for i := range 13 {
			places = append(places, len(stored)-1-i)
		}
		for range 20 {
			places = append(places, r.IntN(len(stored)))
		}
		for _, place := range places {
			before := stored[place]
			stored[place] ^= byte(1 + r.IntN(255))
			Expect(os.WriteFile(at, stored, 0o600)).To(Succeed())
			_, err := golden.Read(context.Background(), path)
			Expect(err).To(MatchError(ContainSubstring(`output "x"`)), "byte %d", place)
			stored[place] = before
		}
		Expect(os.WriteFile(at, stored, 0o600)).To(Succeed())
		Expect(golden.Read(context.Background(), path)).NotTo(BeNil())
	})

	It("that would unpack to more than its size allows is refused", func() {
		zeros := tensor.Of(make([]float32, 1<<20)...) // 4 MiB
		Expect(golden.Write(path, runOf(set("x", zeros)), small)).To(Succeed())
		Expect(golden.Read(context.Background(), path)).NotTo(
			BeNil(), "our own files are never packed that far")

		Expect(golden.Write(path, runOf(set("x", drawn(1, 100))), small)).To(Succeed())
		edited(path, func(output map[string]any) {
			output["blob"].(map[string]any)["raw"] = 1 << 40
		})
		_, err := golden.Read(context.Background(), path)
		Expect(err).To(MatchError(ContainSubstring("the limit for this file is")))
	})

	It("is written by several processes at once, and whole at each time", func() {
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				defer GinkgoRecover()
				for k := range 10 {
					run := runOf(set("x", drawn(uint64(i), 300), "y", drawn(uint64(k), 200)))
					Expect(golden.Write(path, run, small)).To(Succeed())
				}
			})
		}
		group.Wait()
		Expect(golden.Read(context.Background(), path)).NotTo(BeNil())
		Expect(aside(path)).To(HaveLen(2))
	})

	It("is reviewed and accepted with its data", func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		Expect(os.WriteFile("go.mod", []byte("module x\n"), 0o600)).To(Succeed())
		path := filepath.FromSlash("testdata/golden/net.json")
		Expect(golden.Write(path, runOf(set("x", drawn(1, 100))), small)).To(Succeed())
		before := aside(path)
		_, err := proposed(path, runOf(set("x", drawn(2, 100))))
		Expect(err).NotTo(HaveOccurred())
		Expect(aside(path)).To(Equal(before))
		changes, err := golden.Accept(context.Background(), false)
		Expect(err).NotTo(HaveOccurred())
		Expect(changes).To(HaveLen(1))
		run, err := golden.Read(context.Background(), path)
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Iterations()[0].Outputs.At(0).Tensor.Bytes()).To(Equal(drawn(2, 100).Bytes()))
		Expect(aside(path)).To(HaveLen(1))
		Expect(aside(path)).NotTo(Equal(before))
	})

	It("is named in lists with where its data is", func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		path := filepath.FromSlash("testdata/golden/net.json")
		Expect(golden.Write(path, runOf(set("x", drawn(1, 100))), small)).To(Succeed())
		Expect(goldentree.Look(context.Background(), path).String()).To(MatchRegexp(
			`x float32\[100\] in a sidecar; \d+ bytes in sidecar files, 1.\d KiB in the file$`))
	})
})

func proposed(path string, run any) (golden.Change, error) {
	p, err := golden.Prepare(golden.Diff, path, run.(runPointer), small)
	if err != nil {
		return golden.Change{}, err
	}
	return p.Commit()
}

// answered asks one word of the working directory.
func answered(word string) goldenfiles.Answer {
	GinkgoHelper()
	for _, w := range goldenfiles.Words() {
		if w.Name == word {
			answer, err := w.Ask(context.Background(), goldenfiles.Question{})
			Expect(err).NotTo(HaveOccurred())
			return answer
		}
	}
	Fail("no word " + word)
	return goldenfiles.Answer{}
}

// edited changes the first output that a head describes, and makes the head vouch for it, as an
// attacker would.
func edited(path string, change func(output map[string]any)) {
	GinkgoHelper()
	var file map[string]any
	d := json.NewDecoder(strings.NewReader(contents(path)))
	d.UseNumber()
	Expect(d.Decode(&file)).To(Succeed())
	head := file["modelparity"].(map[string]any)
	run := head["runs"].([]any)[0].(map[string]any)
	change(run["iterations"].([]any)[0].([]any)[0].(map[string]any))
	delete(head, "sha256")
	head["sha256"] = golden.SumOf(head)
	text, err := json.Marshal(file)
	Expect(err).NotTo(HaveOccurred())
	Expect(os.WriteFile(path, text, 0o600)).To(Succeed())
}

func errorsOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}
