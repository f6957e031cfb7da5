package arguments_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/cli/arguments"
)

// calls is a request that only notes what was asked, one entry for each time.
type calls []string

func (request *calls) note(name string, arity arguments.Arity, also ...string) arguments.Flag {
	return arguments.Flag{Name: name, Also: also, Arity: arity, Value: "X",
		Apply: func(values []string) error {
			*request = append(*request, strings.Join(append([]string{name}, values...), " "))
			return nil
		}}
}

func flags(request *calls) []arguments.Flag {
	return []arguments.Flag{
		request.note("--onnxrt", arguments.None),
		request.note("--atol", arguments.Some, "--abs-tol"),
		request.note("--seed", arguments.One),
		request.note("--save-inputs", arguments.Maybe),
		request.note("--save-outputs", arguments.Maybe),
		request.note("--tactic-sources", arguments.Any),
		request.note("--verbose", arguments.None, "-v"),
		request.note("--quiet", arguments.None, "-q"),
		request.note("--check", arguments.Some).Last(),
		{Name: "--mystery", Answer: "is not for us; write --seed"},
		{Name: "--providers", Arity: arguments.Some, Needs: []string{"--onnxrt", "--trt"},
			Apply: func([]string) error { return nil }},
	}
}

var _ = Describe("parsing a command line", func() {
	DescribeTable("takes values as argparse does",
		func(line string, asked []string, positional ...string) {
			var request calls
			rest, err := arguments.Parse(flags(&request), strings.Fields(line), nil)
			Expect(err).NotTo(HaveOccurred())
			Expect([]string(request)).To(Equal(asked))
			Expect(rest).To(HaveExactElements(positional))
		},
		Entry("nothing", "", []string(nil)),
		Entry("a switch between positionals", "a --onnxrt b", []string{"--onnxrt"}, "a", "b"),
		Entry("a switch twice, in order", "--onnxrt --seed 1 --onnxrt",
			[]string{"--onnxrt", "--seed 1", "--onnxrt"}),
		Entry("several values up to the next flag", "m --atol 1e-5 out:2 --seed 3",
			[]string{"--atol 1e-5 out:2", "--seed 3"}, "m"),
		Entry("all words behind the last flag, be they flags or not", "m --check sh -c x --seed 1 -- y",
			[]string{"--check sh -c x --seed 1 -- y"}, "m"),
		Entry("a negative number is a value", "--seed -1 --atol -inf -1e-5",
			[]string{"--seed -1", "--atol -inf -1e-5"}),
		Entry("a value after =", "--atol=out:1e-5 m", []string{"--atol out:1e-5"}, "m"),
		Entry("a value with = in it", "--seed=a=b", []string{"--seed a=b"}),
		Entry("an optional value, left out", "--save-inputs --onnxrt",
			[]string{"--save-inputs", "--onnxrt"}),
		Entry("an optional value, given", "--save-inputs in.json m",
			[]string{"--save-inputs in.json"}, "m"),
		Entry("none or more values", "--tactic-sources --tactic-sources a b",
			[]string{"--tactic-sources", "--tactic-sources a b"}),
		Entry("another spelling", "--abs-tol 1", []string{"--atol 1"}),
		Entry("a unique prefix", "--abs 1 --ver", []string{"--atol 1", "--verbose"}),
		Entry("letters in one word", "-vvq m", []string{"--verbose", "--verbose", "--quiet"}, "m"),
		Entry("after -- all is positional", "--onnxrt -- --seed", []string{"--onnxrt"}, "--seed"),
		Entry("- alone is a value", "-", []string(nil), "-"),
	)

	DescribeTable("answers what is wrong in one line", func(line, says string) {
		var request calls
		_, err := arguments.Parse(flags(&request), strings.Fields(line), nil)
		Expect(err).To(MatchError(says))
	},
		Entry("a typing error", "--atoll 1",
			"unknown flag --atoll; did you mean --atol?; --help lists the flags"),
		Entry("nothing like it", "--frobnicate", "unknown flag --frobnicate; --help lists the flags"),
		Entry("a prefix of several", "--save x",
			"--save is ambiguous; it could be --save-inputs, --save-outputs"),
		Entry("a missing value", "--seed --onnxrt", "--seed needs a value: --seed X"),
		Entry("several missing values", "--atol", "--atol needs a value: --atol, --abs-tol X ..."),
		Entry("an empty value", "--seed=", "--seed has an empty value: give a value, or drop the flag"),
		Entry("an empty optional value", "--save-inputs=",
			"--save-inputs has an empty value: give a value, or drop the flag"),
		Entry("a last flag with nothing behind it", "--check", "--check needs a value: --check X ..."),
		Entry("a last flag with its words elsewhere", "--check=sh --seed 1",
			"--check takes all following words and must come last: --check X ..."),
		Entry("a switch with a value", "--onnxrt=1", `--onnxrt takes no value, got "1"`),
		Entry("a known flag with an answer", "--mystery 1",
			"--mystery: is not for us; write --seed"),
	)

	It("refuses a flag whose companion is missing", func() {
		var request calls
		_, err := arguments.Parse(flags(&request), strings.Fields("--providers cuda"), nil)
		Expect(err).To(MatchError(
			"--providers has no effect without --onnxrt or --trt; add it, or drop --providers"))
		_, err = arguments.Parse(flags(&request), strings.Fields("--providers cuda --onnxrt"), nil)
		Expect(err).NotTo(HaveOccurred())
	})

	It("applies what follows a mistake", func() {
		var request calls
		_, err := arguments.Parse(flags(&request),
			strings.Fields("--frobnicate --seed 1 --what"), nil)
		Expect(err).To(MatchError(ContainSubstring("--frobnicate")))
		Expect([]string(request)).To(Equal([]string{"--seed 1"}))
	})
})

var _ = Describe("flags of a part", func() {
	It("are applied by their names, without a command line", func() {
		var atol string
		flags := []arguments.Flag{arguments.Spelled("--fp16", func([]string) error { return nil }),
			arguments.Spelled("--atol, --abs-tol X", arguments.Text(&atol))}
		Expect(arguments.Give(flags, "--atol", "1")).To(Succeed())
		Expect(atol).To(Equal("1"))
		Expect(arguments.Give(flags, "--rtol", "1")).To(MatchError("unknown flag --rtol"))
	})

	It("are answered, each by its name", func() {
		_, err := arguments.Parse([]arguments.Flag{
			{Name: "--a", Arity: arguments.Any, Answer: "write --seed"},
			{Name: "--b", Arity: arguments.Any, Answer: "write --seed"},
		}, strings.Fields("--b 1 2"), nil)
		Expect(err).To(MatchError("--b: write --seed"))
	})
})

var _ = Describe("spelling a flag", func() {
	DescribeTable("reads what the help shows", func(usage string, name string, arity arguments.Arity,
		value string, also ...string) {
		f := arguments.Spelled(usage, func([]string) error { return nil })
		Expect(f.Name).To(Equal(name))
		Expect(f.Also).To(HaveExactElements(also))
		Expect(f.Arity).To(Equal(arity))
		Expect(f.Value).To(Equal(value))
		Expect(f.Usage()).To(Equal(usage))
	},
		Entry("a switch", "--fp16", "--fp16", arguments.None, ""),
		Entry("spellings", "--help, -h", "--help", arguments.None, "", "-h"),
		Entry("one value", "--save-engine, -o, --output ENGINE", "--save-engine", arguments.One,
			"ENGINE", "-o", "--output"),
		Entry("a value or none", "--report [FILE]", "--report", arguments.Maybe, "FILE"),
		Entry("values", "--atol, --abs-tol [OUTPUT:]X ...", "--atol", arguments.Some, "[OUTPUT:]X",
			"--abs-tol"),
		Entry("values in brackets", "--val-range [INPUT:][LOW,HIGH] ...", "--val-range",
			arguments.Some, "[INPUT:][LOW,HIGH]"),
		Entry("values or none", "--tactic-sources [SOURCE ...]", "--tactic-sources", arguments.Any,
			"SOURCE"),
	)
})
