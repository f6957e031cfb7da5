package served_test

import (
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/served"
	_ "github.com/modelparity/modelparity/backends/served/grpc"
	"github.com/modelparity/modelparity/backends/served/internal/oip"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// environment is a program of an environment of `make served`. Without it the spec is skipped, or
// fails where MODELPARITY_REQUIRE names what is missing.
func environment(name, needs, program string) string {
	GinkgoHelper()
	folder := os.Getenv("MODELPARITY_ENGINES")
	if folder == "" {
		backends.SkipMissing(GinkgoT(), &backends.Missing{Backend: needs,
			Reason: "MODELPARITY_ENGINES names no folder of environments",
			Remedy: "`make served` makes it, and runs this"})
	}
	path, err := filepath.Abs(filepath.Join(folder, name, "bin", program))
	Expect(err).NotTo(HaveOccurred())
	return path
}

// start starts a server and waits until its models are ready.
func start(command *exec.Cmd, url string) {
	GinkgoHelper()
	var said strings.Builder
	command.Stdout, command.Stderr, command.WaitDelay = &said, &said, time.Second
	Expect(command.Start()).To(Succeed())
	DeferCleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // killed
	})
	Eventually(func() error {
		b, err := served.Model(url).Open(context.Background(), served.Model(url), fixtures.Inputs{})
		if err == nil {
			err = b.Close()
		}
		return err
	}, 2*time.Minute, time.Second).Should(Succeed(), said.String)
}

// ports are n that are free.
func ports(n int) (free []int) {
	GinkgoHelper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		defer l.Close()
		free = append(free, l.Addr().(*net.TCPAddr).Port)
	}
	return free
}

// addresses of a model by HTTP and by gRPC.
func addresses(ports []int, model string) (http, grpc string) {
	at := "://127.0.0.1:%d/v2/models/%s"
	return fmt.Sprintf("http"+at, ports[0], model), fmt.Sprintf("grpc"+at, ports[1], model)
}

// echoed sends a tensor of each type to a model that gives it back.
func echoed(ctx SpecContext, url string, types []tensor.ElementType, options ...served.Option) {
	GinkgoHelper()
	for _, elem := range types {
		x, err := tensor.FromStrings(tensor.Shape{3}, []string{"a", "größer", "c d"})
		if elem != tensor.String {
			x, err = tensor.FromBytes(elem, tensor.Shape{1, 3}, make([]byte, elem.Bytes(3)))
			x.Bytes()[0] = 1
		}
		Expect(err).NotTo(HaveOccurred())
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: x})
		Expect(err).NotTo(HaveOccurred())
		run, err := served.Model(url, options...).Run(ctx, fixtures.Of(set))
		Expect(err).NotTo(HaveOccurred(), elem.String())
		y, ok := run.Outputs()[0].Get("x")
		Expect(ok).To(BeTrue())
		Expect(y.ElementType()).To(Equal(elem))
		Expect(y.Shape()).To(Equal(x.Shape()), elem.String())
		Expect(y.Bytes()).To(Equal(x.Bytes()), elem.String())
		Expect(y.Strings()).To(Equal(x.Strings()))
	}
}

// subtracted holds the deployed model to the numbers that it is to give, by name.
func subtracted(ctx SpecContext, url, version string, options ...served.Option) {
	GinkgoHelper()
	inputs := fixtures.Random(difference(), fixtures.Seed(1), fixtures.Iterations(2))
	run, err := served.Model(url, options...).Run(ctx, inputs)
	Expect(err).NotTo(HaveOccurred())
	Expect(run.Provenance.Version).To(Equal(version))
	iteration := 0
	for set, err := range inputs.All() {
		Expect(err).NotTo(HaveOccurred())
		a, _ := set.Get("minuend")
		b, _ := set.Get("subtrahend")
		y, ok := run.Outputs()[iteration].Get("difference")
		Expect(ok).To(BeTrue())
		for i := range y.Len() {
			Expect(y.Float64At(i)).To(Equal(float64(float32(a.Float64At(i)) - float32(b.Float64At(i)))))
		}
		iteration++
	}
}

var numbers = []tensor.ElementType{tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64,
	tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Float32, tensor.Float64}

var _ = Describe("MLServer", Ordered, ContinueOnFailure, Label("servers"), func() {
	var at []int
	BeforeAll(func() {
		program := environment("mlserver", "mlserver", "mlserver")
		folder := GinkgoT().TempDir()
		at = ports(3)
		files := map[string]string{"settings.json": fmt.Sprintf(`{"host":"127.0.0.1","http_port":%d,`+
			`"grpc_port":%d,"metrics_port":%d,"parallel_workers":0}`, at[0], at[1], at[2])}
		for name, class := range map[string]string{"net": "Difference", "echo": "Echo"} {
			files[name+"/model-settings.json"] = fmt.Sprintf(`{"name":%q,"implementation":`+
				`"mlserver_models.%s","parameters":{"version":"v3"}}`, name, class)
		}
		models, err := os.ReadFile("testdata/mlserver_models.py")
		Expect(err).NotTo(HaveOccurred())
		files["mlserver_models.py"] = string(models)
		for name, text := range files {
			path := filepath.Join(folder, name)
			Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
			Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
		}
		command := exec.Command(program, "start", folder)
		command.Env = append(os.Environ(), "PYTHONPATH="+folder)
		http, _ := addresses(at, "echo")
		start(command, http)
	})

	It("gives what it should over HTTP and gRPC", func(ctx SpecContext) {
		http, grpc := addresses(at, "net")
		subtracted(ctx, http, "mlserver 1.7.1")
		subtracted(ctx, grpc, "mlserver 1.7.1")
		subtracted(ctx, http+"/versions/v3", "mlserver 1.7.1")
	})

	It("carries the element types", func(ctx SpecContext) {
		http, grpc := addresses(at, "echo")
		echoed(ctx, http, append(numbers, tensor.Bool, tensor.String))
		echoed(ctx, grpc, append(numbers, tensor.Bool, tensor.String))
	})

	It("gives NaN", func(ctx SpecContext) {
		_, grpc := addresses(at, "echo")
		set, err := tensor.NewSet(tensor.Entry{Name: "x",
			Tensor: tensor.Of(float32(math.NaN()), float32(math.Inf(-1)))})
		Expect(err).NotTo(HaveOccurred())
		run, err := served.Model(grpc).Run(ctx, fixtures.Of(set))
		Expect(err).NotTo(HaveOccurred())
		x, _ := run.Outputs()[0].Get("x")
		Expect(math.IsNaN(x.Float64At(0))).To(BeTrue())
		Expect(math.IsInf(x.Float64At(1), -1)).To(BeTrue())
	})

	It("has no other model and no other version", func(ctx SpecContext) {
		for _, model := range []string{"other", "net/versions/v4"} {
			http, grpc := addresses(at, model)
			for _, url := range []string{http, grpc} {
				_, err := served.Model(url).Run(ctx, fixtures.Random(difference()))
				Expect(err).To(MatchError(ContainSubstring("is not ready")), url)
				Expect(err).To(MatchError(MatchRegexp("(?i)not found")), url)
			}
		}
	})
})

var _ = Describe("KServe's server", Ordered, ContinueOnFailure, Label("servers"), func() {
	var at []int
	BeforeAll(func() {
		python := environment("kserve", "kserve", "python")
		at = ports(2)
		http, _ := addresses(at, "echo")
		start(exec.Command(python, "testdata/kserve_server.py", fmt.Sprint(at[0]), fmt.Sprint(at[1])),
			http)
	})

	It("gives what it should over HTTP, in JSON and in binary, and over gRPC", func(ctx SpecContext) {
		http, grpc := addresses(at, "net")
		subtracted(ctx, http, "kserve 0.21.0")
		subtracted(ctx, http, "kserve 0.21.0", served.Binary())
		subtracted(ctx, grpc, "kserve 0.21.0")
	})

	It("carries the element types", func(ctx SpecContext) {
		http, grpc := addresses(at, "echo")
		echoed(ctx, http, append(numbers, tensor.Bool, tensor.String))
		echoed(ctx, http, append(numbers, tensor.Bool, tensor.String, tensor.Float16), served.Binary())
		echoed(ctx, grpc, append(numbers, tensor.Bool, tensor.String, tensor.Float16))
	})
})

var _ = Describe("NVIDIA's client", Label("servers"), func() {
	It("understands what is sent in binary and in JSON, and is understood", func(ctx SpecContext) {
		python := environment("mlserver", "tritonclient", "python")
		server := newStandIn(true, false)
		DeferCleanup(server.Close)
		server.deploy("net", difference())
		server.deploy("echo", anything())
		out, err := exec.CommandContext(ctx, python, "testdata/triton_client.py",
			strings.TrimPrefix(server.URL, "http://")).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
		Expect(string(out)).To(HavePrefix("ok"))
	})

	It("writes the requests that are written here, over HTTP", func(ctx SpecContext) {
		python := environment("mlserver", "tritonclient", "python")
		folder := GinkgoT().TempDir()
		for way, binary := range map[string]bool{"binary": true, "json": false} {
			body, head, err := oip.Request(zeroOneHundred(binary), binary)
			Expect(err).NotTo(HaveOccurred())
			Expect(os.WriteFile(filepath.Join(folder, way+".request"), body, 0o600)).To(Succeed())
			Expect(os.WriteFile(filepath.Join(folder, way+".head"), []byte(strconv.Itoa(head)),
				0o600)).To(Succeed())
		}
		out, err := exec.CommandContext(ctx, python, "testdata/triton_wire.py", folder).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(out))
		Expect(string(out)).To(HavePrefix("ok"))
	})

	// The server has the messages of NVIDIA's client, and refuses requests that differ from its own.
	It("writes those over gRPC too, and is understood", func(ctx SpecContext) {
		python := environment("mlserver", "tritonclient", "python")
		at := ports(1)
		url := func(model string) string {
			return fmt.Sprintf("grpc://127.0.0.1:%d/v2/models/%s", at[0], model)
		}
		start(exec.Command(python, "testdata/triton_server.py", strconv.Itoa(at[0])), url("echo"))
		subtracted(ctx, url("net"), "triton's messages 2.73")
		echoed(ctx, url("echo"), append(numbers, tensor.Bool, tensor.String, tensor.Float16))
		echoed(ctx, url("typed"), append(numbers, tensor.Bool, tensor.String))
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of[int8](1)})
		Expect(err).NotTo(HaveOccurred())
		run, err := served.Model(url("echo")).Run(ctx, fixtures.Of(set))
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Provenance.Options).To(HaveKeyWithValue("model version", "3"))
	})
})

// zeroOneHundred is a tensor [[0, 1, 100]] of each type that NVIDIA's client knows, in JSON without
// float16, which has none there.
func zeroOneHundred(binary bool) *tensor.Set {
	GinkgoHelper()
	var entries []tensor.Entry
	add := func(name string, t *tensor.Tensor, err error) {
		GinkgoHelper()
		Expect(err).NotTo(HaveOccurred())
		entries = append(entries, tensor.Entry{Name: name, Tensor: t})
	}
	shape := tensor.Shape{1, 3}
	truth, err := tensor.FromBytes(tensor.Bool, shape, []byte{0, 1, 1})
	add("bool", truth, err)
	for _, elem := range []tensor.ElementType{tensor.Uint8, tensor.Uint16, tensor.Uint32,
		tensor.Uint64, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Float16,
		tensor.Float32, tensor.Float64} {
		if elem == tensor.Float16 && !binary {
			continue
		}
		t, err := tensor.Of[float32](0, 1, 100).Convert(elem)
		if elem.IsInteger() {
			data := make([]byte, elem.Bytes(3))
			data[elem.Bytes(1)], data[elem.Bytes(2)] = 1, 100 // in the lowest byte
			t, err = tensor.FromBytes(elem, tensor.Shape{3}, data)
		}
		Expect(err).NotTo(HaveOccurred())
		t, err = tensor.FromBytes(elem, shape, t.Bytes())
		add(elem.String(), t, err)
	}
	words, err := tensor.FromStrings(shape, []string{"", "größer", "x"})
	add("bytes", words, err)
	set, err := tensor.NewSet(entries...)
	Expect(err).NotTo(HaveOccurred())
	return set
}
