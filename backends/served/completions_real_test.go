package served_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/served"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/decode"
	. "github.com/modelparity/modelparity/matchers"
)

// llama starts llama.cpp's server with the model that testdata/completions_model.py writes.
func llama(model string, flags ...string) string {
	GinkgoHelper()
	program := environment("llamacpp", "llamacpp", "llama-server")
	port := ports(1)[0]
	command := exec.Command(program, append([]string{"-m", model, "--host", "127.0.0.1", "--port",
		fmt.Sprint(port), "-t", "1", "-c", "1024"}, flags...)...)
	var said strings.Builder
	command.Stdout, command.Stderr, command.WaitDelay = &said, &said, time.Second
	Expect(command.Start()).To(Succeed())
	DeferCleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // killed
	})
	at := fmt.Sprintf("http://127.0.0.1:%d/v1/completions", port)
	Eventually(func() error {
		_, err := served.Completions(at).Run(context.Background(), decode.Tokens([]int64{5}))
		return err
	}).WithTimeout(time.Minute).WithPolling(time.Second).Should(Succeed(), said.String)
	return at
}

var _ = Describe("llama.cpp's server", Label("servers"), Ordered, func() {
	const words = 259
	exactly := []string{"-ctk", "f32", "-ctv", "f32", "-fa", "off"}
	var model, several string
	prompts := decode.Tokens([]int64{7, 40, 41, 99, 120, 8, 200, 13, 77}, []int64{7, 40, 41},
		[]int64{7, 40, 41, 99, 250}, []int64{150, 30, 9, 64, 65, 66, 67})
	completions := func(at, fields string) backends.ModelEngine {
		return served.Completions(at, served.Generate(served.Generation{Tokens: 12, Logprobs: words,
			Vocabulary: words, Fields: fields}))
	}

	BeforeAll(func(ctx SpecContext) {
		python := environment("llamacpp", "llamacpp", "python")
		model = filepath.Join(GinkgoT().TempDir(), "model.gguf")
		said, err := exec.CommandContext(ctx, python, "testdata/completions_model.py", model).
			CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(said))
		several = llama(model, append(exactly, "-np", "4")...)
	})

	It("gives a request among many what it gives alone, with prompts of any length",
		func(ctx SpecContext) {
			Expect(completions(several, "").Run(ctx, prompts)).To(
				BeSequenceInvariant().Within(1e-4, 0, Elementwise))
		})

	It("gives with a warm cache of prefixes what it gives with a cold one", func(ctx SpecContext) {
		cold, err := completions(several, `{"cache_prompt": false}`).Run(ctx, prompts)
		Expect(err).NotTo(HaveOccurred())
		for range 3 {
			warm, err := completions(several, `{"cache_prompt": true}`).Run(ctx, prompts)
			Expect(err).NotTo(HaveOccurred())
			Expect(warm).To(MatchDecisions(decisions.Tokens{Margin: 1e-3}).Of(cold))
			Expect(warm).To(MatchDecisions(decisions.Logits{Limits: decisions.Limits{
				decisions.MeanKLD().AtMost(1e-7)}}).Of(cold))
		}
	})

	It("gives in one slot what it gives in four", func(ctx SpecContext) {
		single, err := completions(llama(model, append(exactly, "-np", "1")...), "").Run(ctx, prompts)
		Expect(err).NotTo(HaveOccurred())
		Expect(completions(several, "").Run(ctx, prompts)).To(
			MatchOutputsWithin(1e-4, 0, Elementwise).Of(single))
	})

	It("parts from itself with a cache of keys and values in 4 bits", func(ctx SpecContext) {
		exact, err := completions(several, "").Run(ctx, prompts)
		Expect(err).NotTo(HaveOccurred())
		low := llama(model, "-np", "4", "-ctk", "q4_0")
		Expect(completions(low, "").Run(ctx, prompts)).NotTo(MatchDecisions(decisions.Logits{
			Limits: decisions.Limits{decisions.MeanKLD().AtMost(1e-7)}}).Of(exact))
	})
})
