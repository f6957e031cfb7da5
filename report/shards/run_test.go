package shards

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/cli/merge"
	"github.com/modelparity/modelparity/internal/reportfile"
)

// ranAs is the result of one run of the sample suite.
type ranAs struct {
	exit   int
	output string
	log    []string // sorted log of what ran
	report string   // path of the JSON report
}

// bodies lists the specs and tests whose bodies ran.
func (r ranAs) bodies() (all []string) {
	for _, line := range r.log {
		if !strings.HasPrefix(line, "setup of ") && !strings.HasPrefix(line, "all of ") {
			all = append(all, line)
		}
	}
	return all
}

// inParallel makes the suite run in three processes.
const inParallel = "SAMPLE_PROCS=3"

// sample runs the suite with additional environment variables and without other sharding variables.
func sample(ctx context.Context, env []string, args ...string) ranAs {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	r := ranAs{report: filepath.Join(folder, "report.json")}
	cmd := exec.CommandContext(ctx, program, append([]string{"-ginkgo.json-report", r.report,
		"-ginkgo.no-color"}, args...)...)
	if slices.Contains(env, inParallel) {
		cmd = exec.CommandContext(ctx, ginkgoCommand, append([]string{"--procs=3", "--no-color",
			"--output-dir=" + folder, "--json-report=report.json"}, append(args, program)...)...)
	}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		ours := strings.HasPrefix(name, "MODELPARITY_SHARD")
		if !ours && !slices.ContainsFunc(servers, func(s buildServer) bool {
			return s.index == name || s.total == name
		}) {
			cmd.Env = append(cmd.Env, v)
		}
	}
	log := filepath.Join(folder, "log")
	cmd.Env = append(append(cmd.Env, "SAMPLE_LOG="+log), env...)
	out, err := cmd.CombinedOutput()
	r.exit, r.output = cmd.ProcessState.ExitCode(), string(out)
	if r.exit == 0 {
		Expect(err).NotTo(HaveOccurred())
	}
	if text, err := os.ReadFile(log); err == nil {
		r.log = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	slices.Sort(r.log)
	return r
}

// bazel is a shard's environment under Bazel.
func bazel(index, total int, more ...string) []string {
	return append([]string{fmt.Sprintf("TEST_SHARD_INDEX=%d", index),
		fmt.Sprintf("TEST_TOTAL_SHARDS=%d", total),
		"TEST_SHARD_STATUS_FILE=" + filepath.Join(GinkgoT().TempDir(), "status")}, more...)
}

// ours is a shard's environment as set by the user.
func ours(index, total int, more ...string) []string {
	return append([]string{fmt.Sprintf("%s=%d", indexVariable, index),
		fmt.Sprintf("%s=%d", totalVariable, total)}, more...)
}

// together merges the reports.
func together(ctx context.Context, paths ...string) merge.Report {
	GinkgoHelper()
	files, err := reportfile.ReadAll(ctx, paths)
	Expect(err).NotTo(HaveOccurred())
	m, err := merge.Files(files...)
	Expect(err).NotTo(HaveOccurred())
	return m
}

// states returns the sorted states of a suite's specs.
func states(s reportfile.Suite) (all []string) {
	for _, spec := range s.Specs {
		if spec.IsSpec() {
			all = append(all, spec.FullText()+": "+spec.State+" "+spec.Reason())
		}
	}
	slices.Sort(all)
	return all
}

// specs returns the bodies without plain tests, which run in every shard.
func specs(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool {
		return s == "plain" || s == "other"
	})
}

var _ = Describe("Eight shards", func() {
	const total = 8
	var whole ranAs
	BeforeEach(func(ctx SpecContext) {
		whole = sample(ctx, nil)
		Expect(whole.exit).To(BeZero(), whole.output)
		Expect(specs(whole.bodies())).To(HaveLen(55))
	})

	DescribeTable("run the same specs as one process, each once, and no setup for skipped ones",
		func(ctx SpecContext, env func(index int) []string, args ...string) {
			if len(args) > 0 {
				whole = sample(ctx, nil, args...)
				Expect(whole.exit).To(BeZero(), whole.output)
			}
			var bodies, setups, paths []string
			for i := range total {
				r := sample(ctx, env(i), args...)
				Expect(r.exit).To(BeZero(), r.output)
				if !slices.Contains(env(i), inParallel) { // parallel processes only run Ginkgo's specs
					Expect(r.log).To(ContainElements("plain", "other"))
				}
				bodies = append(bodies, specs(r.bodies())...)
				setups = append(setups, specs(r.log)...)
				paths = append(paths, r.report)
			}
			slices.Sort(bodies)
			slices.Sort(setups)
			Expect(bodies).To(Equal(specs(whole.bodies())))
			Expect(setups).To(Equal(specs(whole.log)), "setup ran for specs of other shards")
			m := together(ctx, paths...)
			Expect(m.Whole()).To(BeTrue(), m.Text())
			one := together(ctx, whole.report)
			Expect(states(m.Suites[0].Merged)).To(Equal(states(one.Suites[0].Merged)))
		},
		Entry("as the user sets them", func(i int) []string { return ours(i, total) }),
		Entry("on Buildkite", func(i int) []string {
			return []string{fmt.Sprintf("BUILDKITE_PARALLEL_JOB=%d", i),
				"BUILDKITE_PARALLEL_JOB_COUNT=8"}
		}),
		Entry("in parallel processes", func(i int) []string { return ours(i, total, inParallel) }),
		Entry("in random order", func(i int) []string { return ours(i, total) },
			"-ginkgo.randomize-all", "-ginkgo.seed=7"),
		Entry("under a label filter", func(i int) []string { return ours(i, total) },
			"-ginkgo.label-filter=!slow"),
		Entry("under a focus", func(i int) []string { return ours(i, total) },
			"-ginkgo.focus=orders|number 1"),
		Entry("under rules_go's main, which filters tests by the same variables",
			func(i int) []string { return bazel(i, total, "SAMPLE_AS=rules_go") }),
		Entry("under rules_go's main in its wrapper",
			func(i int) []string { return bazel(i, total, "SAMPLE_AS=rules_go,wrapped") }),
	)

	It("fail if one is killed, and name the specs that ran nowhere",
		func(ctx SpecContext) {
			var paths, lost []string
			for i := range total {
				if i != 3 {
					r := sample(ctx, ours(i, total))
					Expect(r.exit).To(BeZero(), r.output)
					paths = append(paths, r.report)
					continue
				}
				lost = specs(sample(ctx, ours(i, total)).bodies())
				Expect(lost).NotTo(BeEmpty())
				dying, kill := context.WithCancel(ctx)
				cmd := exec.CommandContext(dying, program, "-ginkgo.json-report",
					filepath.Join(GinkgoT().TempDir(), "report.json"))
				cmd.Env = append(os.Environ(), ours(i, total, "SAMPLE_HANGS=1")...)
				out, err := cmd.StdoutPipe()
				Expect(err).NotTo(HaveOccurred())
				Expect(cmd.Start()).To(Succeed())
				Eventually(func() string {
					some := make([]byte, 1<<10)
					n, _ := out.Read(some)
					return string(some[:n])
				}).WithTimeout(20e9).Should(ContainSubstring("hangs"))
				kill()
				Expect(cmd.Wait()).NotTo(Succeed())
			}
			m := together(ctx, paths...)
			Expect(m.Whole()).To(BeFalse())
			Expect(m.Suites[0].Problems[0]).To(Equal("shard 4 of 8 is missing"))
			count, names, _ := strings.Cut(m.Suites[0].Problems[1], " specs ran nowhere: ")
			Expect(count).To(Equal(fmt.Sprint(len(slices.Compact(slices.Clone(lost))))))
			for _, name := range strings.Split(names, "; ") {
				if !strings.HasPrefix(name, "and ") {
					Expect(lost).To(ContainElement(name))
				}
			}
			var written bytes.Buffer
			Expect(reportfile.Write(&written, m.All())).To(Succeed())
			Expect(written.String()).To(ContainSubstring("shard 4 of 8 is missing"))
		})

	It("are balanced by an earlier run's timings, equal in all shards", func(ctx SpecContext) {
		var paths []string
		for i := range total {
			r := sample(ctx, ours(i, total, weightsVariable+"="+whole.report))
			Expect(r.exit).To(BeZero(), r.output)
			paths = append(paths, r.report)
		}
		m := together(ctx, paths...)
		Expect(m.Whole()).To(BeTrue(), m.Text())

		other := sample(ctx, ours(7, total))
		Expect(together(ctx, append(slices.Clone(paths[:7]), other.report)...).Text()).To(
			ContainSubstring(" was sharded by no weights, but "))
	})

})

var _ = Describe("Invalid variables", func() {
	It("fail the suite before any spec runs", func(ctx SpecContext) {
		r := sample(ctx, ours(8, 8))
		Expect(r.exit).NotTo(BeZero())
		Expect(r.output).To(ContainSubstring("MODELPARITY_SHARD_INDEX=8 and MODELPARITY_SHARD_TOTAL=8"))
		Expect(specs(r.bodies())).To(BeEmpty())
		r = sample(ctx, ours(0, 8, weightsVariable+"=none.json"))
		Expect(r.exit).NotTo(BeZero())
		Expect(r.output).To(ContainSubstring("MODELPARITY_SHARD_WEIGHTS: open none.json"))
		Expect(specs(r.bodies())).To(BeEmpty())
	})
})
