package process_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/message"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// peerVariable makes this test binary a program that serves as an engine, with a fault or "none".
const peerVariable = "MODELPARITY_TEST_PEER"

func TestMain(m *testing.M) {
	if fault := os.Getenv(peerVariable); fault != "" {
		os.Exit(serve(fault))
	}
	os.Exit(m.Run())
}

func TestProcess(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "backends/process")
}

var (
	_ = skips.Announce("make engines runs this one", "make engines")
	_ = skips.AnnounceExceptions()
)

// peer is this test binary as an engine.
func peer(fault string, more ...process.Option) []process.Option {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return append([]process.Option{process.Command(self), process.Env(peerVariable, fault),
		process.Timeout(20 * time.Second)}, more...)
}

// serve is a whole program in Go that serves as an engine: the protocol in some lines.
func serve(fault string) int {
	requests, answers := message.NewReader(os.NewFile(3, "requests")), os.NewFile(4, "answers")
	reply := func(head any, arrays *tensor.Set) {
		if err := message.Write(answers, head, arrays); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	for runs := 0; ; {
		got, err := requests.Read()
		if err != nil {
			return 0
		}
		var head struct {
			Message, Model string
			Outputs        []string
		}
		if err := got.Decode(&head); err != nil {
			return 1
		}
		if head.Message == "describe" {
			fail(fault, "describe")
			version := "1"
			if fault == "changes its version" {
				version = pid()
			}
			reply(map[string]any{"message": "description", "protocol": 1, "name": "peer",
				"version": version, "options": map[string]string{"fault": fault},
				"inputs": []any{map[string]any{"name": "x", "type": "float32",
					"shape": []any{"n", nil, 3}}}}, nil)
			continue
		}
		if runs++; runs == 2 {
			fail(fault, "run")
		}
		if fault == "keeps memory" {
			kept = append(kept, bytes.Repeat([]byte{1}, 4<<10))
		}
		outputs, err := backendtest.Reference(context.Background(), got.Arrays)
		if err != nil {
			reply(map[string]string{"message": "error", "error": err.Error(), "detail": "a\nb"}, nil)
			continue
		}
		reply(map[string]string{"message": "outputs"}, outputs)
	}
}

// kept is what a program that keeps memory keeps.
var kept [][]byte

// fail has the program fail if the fault is for now: "run crash".
func fail(fault, now string) {
	what, ours := strings.CutPrefix(fault, now+" ")
	if !ours {
		return
	}
	out := os.NewFile(4, "answers")
	fmt.Println("words on standard output")
	switch what {
	case "exits":
		os.Exit(7)
	case "panics":
		panic("a fault that was planted")
	case "hangs":
		select {}
	case "closes":
		_ = out.Close()
		select {}
	case "says nothing":
		os.Exit(0)
	default: // text to write instead of an answer
		text, err := json.Marshal(what)
		if err == nil {
			err = json.Unmarshal(text, &what)
		}
		fmt.Fprintln(out, what)
		if err != nil {
			os.Exit(1)
		}
		time.Sleep(time.Minute)
	}
}

var _ = Describe("A program in Go, as every engine,", func() {
	for _, spec := range backendtest.Specs(process.Engine(peer("none")...), contract...) {
		It(spec.Name, Serial, func(ctx SpecContext) {
			if runtime.GOOS == "windows" {
				Skip("Windows has no process groups")
			}
			spec.Run(ctx, GinkgoT())
		})
	}
})

// contract is what is known of a program that does not read the model.
var contract = []backendtest.Option{backendtest.LogsInErrors(),
	backendtest.Except("refuses an operator that it does not know", onlyDeclares)}

// python is the options of a script in Python.
func python(script string) process.Option { return process.Script("testdata/" + script) }

// digest has the specs for programs in Python in every `go test`; `make engines` runs all specs.
// Each starts Python several times.
var digest = []string{"gives the outputs that the model declares, by name and in order",
	"carries empty tensors of bfloat16", "carries 0-d tensors of int4",
	"carries 0-d tensors of string", "carries empty tensors of string",
	"stops when its context is cancelled", "runs again after a run that was cancelled",
	"can be closed while it runs", "refuses an input of the wrong rank", "runs a model without " +
		"inputs"}

var _ = Describe("A program in Python, as every engine,", func() {
	for _, spec := range backendtest.Specs(process.Engine(python("reference.py")), contract...) {
		It(spec.Name, Serial, func(ctx SpecContext) {
			process.Require(GinkgoT(), python("reference.py"))
			if !everything() && !slices.Contains(digest, spec.Name) {
				Skip("make engines runs this one")
			}
			spec.Run(ctx, GinkgoT())
		})
	}
})

// everything reports whether the specs that take minutes run too.
func everything() bool { return os.Getenv("MODELPARITY_ENGINES") != "" }

// negation is y = -x over float32[n].
func negation() *loaders.Model {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{"n"}}
	}
	return loaders.ONNXBytes("negation", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes:  []onnxtest.Node{{Op: "Neg", In: []string{"x"}, Out: []string{"y"}}},
		Inputs: []onnxtest.Value{value("x")}, Outputs: []onnxtest.Value{value("y")}}}.Bytes())
}

// feed is iterations of one input x.
func feed(values ...*tensor.Tensor) fixtures.Inputs {
	GinkgoHelper()
	var sets []*tensor.Set
	for _, v := range values {
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: v})
		Expect(err).NotTo(HaveOccurred())
		sets = append(sets, set)
	}
	return fixtures.Of(sets...)
}

func pid() string { return fmt.Sprint(os.Getpid()) }

func executable() string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return self
}
