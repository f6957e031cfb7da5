package locate_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/locate"
)

var _ = Describe("A judge command", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	// judged judges one candidate by a shell script.
	judged := func(ctx context.Context, k *locate.JudgeCommand, script string) (bool, string, error) {
		GinkgoHelper()
		s := side("model", network(2))
		part, err := locate.Extract(ctx, s, nil, []string{"a0"})
		Expect(err).NotTo(HaveOccurred())
		var out bytes.Buffer
		k.Args, k.Output = []string{"sh", "-c", script}, &out
		k.File = filepath.Join(GinkgoT().TempDir(), "candidate.onnx")
		failed, err := k.Fails(ctx, part)
		return failed, out.String(), err
	}

	It("removes the candidate when it is interrupted, although its own child runs on", func(
		ctx SpecContext) {
		within, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		defer cancel()
		var k locate.JudgeCommand
		began := time.Now()
		_, _, err := judged(within, &k, "sleep 20; exit 1")
		Expect(err).To(MatchError(context.DeadlineExceeded))
		Expect(time.Since(began)).To(BeNumerically("<", 10*time.Second))
		Expect(k.File).NotTo(BeAnExistingFile())
	})

	DescribeTable("says by its exit status what is the failure",
		func(ctx SpecContext, k locate.JudgeCommand, script string, fails bool) {
			failed, _, err := judged(ctx, &k, script)
			Expect(err).NotTo(HaveOccurred())
			Expect(failed).To(Equal(fails))
		},
		Entry("good", locate.JudgeCommand{}, "exit 0", false),
		Entry("differs", locate.JudgeCommand{}, "exit 1", true),
		Entry("any other status", locate.JudgeCommand{}, "exit 70", true),
		Entry("a crash", locate.JudgeCommand{}, "kill -SEGV $$", true),
		Entry("a fail code", locate.JudgeCommand{FailCodes: []int{3, 4}}, "exit 4", true),
		Entry("no fail code", locate.JudgeCommand{FailCodes: []int{3}}, "exit 1", false),
		Entry("2, if it is the failure", locate.JudgeCommand{FailCodes: []int{2}}, "exit 2", true),
		Entry("2, if it is ignored", locate.JudgeCommand{IgnoreFailCodes: []int{2}}, "exit 2", false),
		Entry("an ignored one", locate.JudgeCommand{IgnoreFailCodes: []int{1}}, "exit 1", false),
		Entry("what is printed, after status 0", locate.JudgeCommand{FailRegexes: []string{"N[aA]N"}},
			"echo 1; echo NaN >&2", true),
		Entry("other words", locate.JudgeCommand{FailRegexes: []string{"NaN", "inf"}},
			"echo 0; exit 1", false),
		Entry("any of the words", locate.JudgeCommand{FailRegexes: []string{"NaN", "inf"}},
			"echo inf; exit 2", true),
		Entry("a fail code without the words", locate.JudgeCommand{FailCodes: []int{1},
			FailRegexes: []string{"NaN"}}, "exit 1", false),
		Entry("a fail code with the words", locate.JudgeCommand{FailCodes: []int{1},
			FailRegexes: []string{"NaN"}}, "echo NaN; exit 1", true),
		Entry("the words without the fail code", locate.JudgeCommand{FailCodes: []int{1},
			FailRegexes: []string{"NaN"}}, "echo NaN", false),
	)

	It("finds a saved candidate where it reads candidates", func(ctx SpecContext) {
		part, err := locate.Extract(ctx, side("model", network(2)), nil, []string{"a0"})
		Expect(err).NotTo(HaveOccurred())
		folder := GinkgoT().TempDir()
		saved := filepath.Join(folder, "small.onnx")
		_, err = part.Save(saved)
		Expect(err).NotTo(HaveOccurred())
		k := locate.JudgeCommand{File: filepath.Join(folder, "candidate.onnx"), Output: GinkgoWriter}
		k.Args = []string{"sh", "-c", "cd " + folder + " && cmp small.onnx candidate.onnx && " +
			"cmp small.onnx.inputs.json candidate.onnx.inputs.json && exit 1"}
		Expect(k.Judge(ctx, saved)).To(BeTrue(), "the command's failure")
		k.Args = []string{"sh", "-c", "test -e " + k.File + " && exit 1; exit 0", "{}"}
		Expect(k.Judge(ctx, saved)).To(BeFalse(), "a command that names its candidate needs no copy")
	})

	DescribeTable("stops the search where it could not judge, with its own words",
		func(ctx SpecContext, k locate.JudgeCommand, script, words string) {
			s := side("model", network(6))
			tries := 0
			// The whole model fails; the first part cannot be judged.
			fails := func(ctx context.Context, c *locate.Candidate) (bool, error) {
				if tries++; tries == 1 {
					return true, nil
				}
				k.Args, k.Output = []string{"sh", "-c", script}, GinkgoWriter
				k.File = filepath.Join(GinkgoT().TempDir(), "candidate.onnx")
				return k.Fails(ctx, c)
			}
			kept := filepath.Join(GinkgoT().TempDir(), "verdicts.json")
			_, err := locate.Reduce(ctx, s, fails, locate.ReduceOptions{Verdicts: kept})
			Expect(err).To(MatchError(ContainSubstring(words)))
			Expect(tries).To(Equal(2))
			text, err := os.ReadFile(kept)
			Expect(err).NotTo(HaveOccurred())
			Expect(string(text)).To(And(ContainSubstring("true"), Not(ContainSubstring("false"))),
				"what was not judged is not a verdict")
		},
		Entry("misuse", locate.JudgeCommand{}, "echo started; echo no such file: gold.json >&2; exit 2",
			"could not judge: exit status 2: started\nno such file: gold.json; if this status is"),
		Entry("silence", locate.JudgeCommand{}, "exit 2", "exit status 2, and it printed nothing"),
		Entry("a command that is not there", locate.JudgeCommand{}, "no-such-command-anywhere",
			"exit status 127"),
		Entry("none next to fail codes", locate.JudgeCommand{FailCodes: []int{1}},
			"no-such-command-anywhere", "exit status 127"),
		Entry("misuse without the words", locate.JudgeCommand{FailRegexes: []string{"NaN"}}, "exit 2",
			"exit status 2"),
		Entry("a wrong regular expression", locate.JudgeCommand{FailRegexes: []string{"("}}, "exit 1",
			`fail regex "(": error parsing regexp`),
	)

	It("sorts the artifacts of each candidate, and replaces none", func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		left, sorted := filepath.Join(folder, "out.json"), filepath.Join(folder, "sorted")
		k := &locate.JudgeCommand{Artifacts: []string{left, filepath.Join(folder, "absent")},
			ArtifactsDir: sorted}
		for i, script := range []string{"echo a > %s", "echo b > %s; exit 3", "echo c > %s"} {
			failed, _, err := judged(ctx, k, fmt.Sprintf(script, left))
			Expect(err).NotTo(HaveOccurred())
			Expect(failed).To(Equal(i == 1))
		}
		Expect(left).NotTo(BeAnExistingFile())
		for name, text := range map[string]string{"good/out_N0_ec0.json": "a\n",
			"bad/out_N1_ec3.json": "b\n", "good/out_N2_ec0.json": "c\n"} {
			Expect(os.ReadFile(filepath.Join(sorted, name))).To(BeEquivalentTo(text))
		}
		again := &locate.JudgeCommand{Artifacts: []string{left}, ArtifactsDir: sorted}
		_, _, err := judged(ctx, again, "echo d > "+left)
		Expect(err).To(MatchError(ContainSubstring("out_N0_ec0.json already exists, from an " +
			"earlier search; remove it, or set a different folder for artifacts")))
		Expect(os.ReadFile(filepath.Join(sorted, "good/out_N0_ec0.json"))).To(BeEquivalentTo("a\n"))
	})

	It("keeps a part that passes, close to the part that fails", func(ctx SpecContext) {
		s := side("model", network(6))
		reduced, err := locate.Reduce(ctx, s, contains("add3"), locate.ReduceOptions{Good: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(names(reduced.Nodes)).To(Equal([]string{"add3"}))
		Expect(reduced.Good).NotTo(BeNil())
		nodes, err := reduced.Good.Model.Nodes()
		Expect(err).NotTo(HaveOccurred())
		Expect(len(nodes)).To(And(BeNumerically(">", 0), BeNumerically("<", 18)))
		Expect(names(nodes)).NotTo(ContainElement("add3"))
		Expect(contains("add3")(ctx, reduced.Good)).To(BeFalse())
		reduced, err = locate.Reduce(ctx, s, contains("add3"), locate.ReduceOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(reduced.Good).To(BeNil(), "no one asked for it")
	})
})
