package decodeflags_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/cli/decodeflags"
)

func TestFlags(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "internal/cli/decodeflags")
}

// set takes a line of flags, each with the words behind it.
func set(line string) (*decodeflags.Flags, error) {
	f := new(decodeflags.Flags)
	var words []string
	flag := ""
	for _, word := range append(strings.Fields(line), "--") {
		if !strings.HasPrefix(word, "--") {
			words = append(words, word)
			continue
		}
		if flag != "" {
			if err := f.Set(flag, words...); err != nil {
				return f, err
			}
		}
		flag, words = word, nil
	}
	return f, nil
}

var _ = Describe("The flags of decoding", func() {
	DescribeTable("become options", func(line, want string) {
		f, err := set(line)
		Expect(err).NotTo(HaveOccurred())
		options, err := f.Options()
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Trim(fmt.Sprintf("%#v", options), "[]")).To(ContainSubstring(want))
	},
		Entry("steps", "--steps 128 1", "decode.Steps(128, 1)"),
		Entry("one step", "--whole", "decode.Whole()"),
		Entry("greedy", "--greedy 5", "decode.Greedy(5)"),
		Entry("the greatest logits", "--top-k 3", "decode.TopK(3)"))

	It("name files", func() {
		f, err := set("--tokens t.json --vs other.onnx")
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Other()).To(Equal("other.onnx"))
		tokens, err := f.Tokens()
		Expect(err).NotTo(HaveOccurred())
		Expect(tokens.Origin().Text).To(Equal("t.json"))
		_, err = new(decodeflags.Flags).Tokens()
		Expect(err).To(MatchError(ContainSubstring("write --tokens FILE")))
		Expect(decodeflags.Names()).To(ConsistOf("--tokens", "--vs", "--steps", "--whole", "--greedy",
			"--top-k"))
	})

	DescribeTable("say what is wrong", func(line, says string) {
		f, err := set(line)
		if err == nil {
			_, err = f.Options()
		}
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("a step of nothing", "--steps 0", "0"), Entry("no step", "--steps", "needs a value"),
		Entry("one step and several", "--whole --steps 2", "keep one"),
		Entry("words", "--greedy many", "many"), Entry("another flag", "--beam 4", "unknown flag"))
})
