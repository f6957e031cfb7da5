package failures

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/locate"
)

var _ = Describe("A command that is repeated", func() {
	var folder string
	BeforeEach(func() { folder = GinkgoT().TempDir() })
	// everyThird fails in its third run of three.
	everyThird := func() *locate.JudgeCommand {
		info := filepath.Join(folder, "info.json")
		out := filepath.Join(folder, "out.txt")
		script := "cat " + info + " > " + out + `; ! grep -q 'n": [258]}' ` + info
		return &locate.JudgeCommand{Info: info, Output: GinkgoWriter,
			Args: []string{"sh", "-c", script}, Artifacts: []string{out},
			ArtifactsDir: filepath.Join(folder, "sorted")}
	}
	repeat := func(ctx context.Context, k *locate.JudgeCommand, until string) (Repeated,
		error) {
		GinkgoHelper()
		u, err := ParseUntil(until)
		Expect(err).NotTo(HaveOccurred())
		return Repeat(ctx, k, "", u, nil, nil)
	}

	It("is counted, and what it leaves is sorted", func(ctx SpecContext) {
		done, err := repeat(ctx, everyThird(), "7")
		Expect(err).NotTo(HaveOccurred())
		Expect(done).To(Equal(Repeated{Passed: 5, Failed: 2}))
		Expect(done.Text()).To(Equal("5 of 7 repetitions passed, 71.43 %\n"))
		for name, text := range map[string]string{"good/out_N0_ec0.txt": `{"iteration": 0}`,
			"bad/out_N2_ec1.txt": `{"iteration": 2}`, "bad/out_N5_ec1.txt": `{"iteration": 5}`} {
			data, err := os.ReadFile(filepath.Join(folder, "sorted", filepath.FromSlash(name)))
			Expect(err).NotTo(HaveOccurred())
			Expect(string(data)).To(Equal(text + "\n"))
		}
		Expect(filepath.Join(folder, "info.json")).NotTo(BeAnExistingFile())
	})

	It("stops after the first verdict of the requested kind", func(ctx SpecContext) {
		Expect(repeat(ctx, everyThird(), "bad")).To(Equal(Repeated{Passed: 2, Failed: 1}))
		k := everyThird()
		k.ArtifactsDir = filepath.Join(folder, "again")
		Expect(repeat(ctx, k, "good")).To(Equal(Repeated{Passed: 1}))
	})

	It("judges a file that is created again each time", func(ctx SpecContext) {
		file, made := filepath.Join(folder, "made"), 0
		produce := func(context.Context) error {
			made++
			return os.WriteFile(file, fmt.Append(nil, made), 0o600)
		}
		var seen []string
		k := &locate.JudgeCommand{Args: []string{"grep", "-q", "[12]", "{}"}, Output: GinkgoWriter}
		done, err := Repeat(ctx, k, file, Until{Fails: true}, produce,
			func(line string) { seen = append(seen, line) })
		Expect(err).NotTo(HaveOccurred())
		Expect(done).To(Equal(Repeated{Passed: 2, Failed: 1}))
		Expect(seen).To(HaveExactElements(HavePrefix("repetition 0 passed, "),
			HavePrefix("repetition 1 passed"), HavePrefix("repetition 2 FAILED, ")))
	})

	It("ends where it cannot judge, or nothing can be made, with the counts so far", func(
		ctx SpecContext) {
		k := everyThird()
		k.Args = []string{"sh", "-c", "exit 2"}
		_, err := repeat(ctx, k, "3")
		Expect(err).To(MatchError(ContainSubstring("could not judge: exit status 2")))
		n := 0
		done, err := Repeat(ctx, &locate.JudgeCommand{Args: []string{"true"}}, "",
			Until{Times: 5}, func(context.Context) error {
				if n++; n == 3 {
					return errors.New("no memory")
				}
				return nil
			}, nil)
		Expect(err).To(MatchError("repetition 2: no memory"))
		Expect(done.Passed).To(Equal(2))
		_, err = Repeat(ctx, k, "", Until{}, nil, nil)
		Expect(err).To(MatchError(ContainSubstring("no stop condition")))
		canceled, cancel := context.WithCancel(ctx)
		cancel()
		_, err = repeat(canceled, everyThird(), "3")
		Expect(err).To(MatchError(context.Canceled))
	})

	It("keeps to itself what is printed, where that is asked for", func(ctx SpecContext) {
		for _, quiet := range []bool{false, true} {
			var out bytes.Buffer
			k := &locate.JudgeCommand{Args: []string{"sh", "-c", "echo NaN"}, Output: &out, Quiet: quiet,
				FailRegexes: []string{"NaN"}}
			Expect(repeat(ctx, k, "1")).To(Equal(Repeated{Failed: 1}), "what is printed decides")
			if quiet {
				Expect(out.String()).To(BeEmpty())
			} else {
				Expect(out.String()).To(Equal("NaN\n"))
			}
		}
	})

	DescribeTable("has words for when to stop", func(text string, want Until, says string) {
		until, err := ParseUntil(text)
		Expect(until).To(Equal(want))
		if says != "" {
			Expect(err).To(MatchError(ContainSubstring(says)))
		}
	},
		Entry("good", "good", Until{Good: true}, ""),
		Entry("bad", "bad", Until{Fails: true}, ""),
		Entry("a number", "3", Until{Times: 3}, ""),
		Entry("none", "0", Until{}, "want good, bad, or a number of repetitions from 1 to"),
		Entry("other words", "ever", Until{}, "want good, bad, or a number of repetitions from 1 to"),
	)
})
