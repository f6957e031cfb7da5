package served_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/served"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/tlstest"
	"github.com/modelparity/modelparity/loaders"
)

var _ = Describe("A served model, as every engine,", func() {
	for _, way := range []struct {
		name   string
		binary bool
	}{{"in binary", true}, {"in JSON", false}} {
		Context(way.name, func() {
			server := newStandIn(way.binary, false)
			AfterEach(func() { server.CloseClientConnections() })
			for _, spec := range backendtest.Specs(deploying{server},
				backendtest.Types(supported...)) {
				switch spec.Name {
				case "records how each run was made, so that it can be repeated":
					continue // no server tells a checksum of its model
				case "refuses an operator that it does not know":
					continue // the stand-in reads no nodes
				}
				It(spec.Name, Serial, func(ctx SpecContext) { spec.Run(ctx, GinkgoT()) })
			}
		})
	}
})

// difference is backendtest's arithmetic.
func difference() *loaders.Model {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{"n", 3}}
	}
	return loaders.ONNXBytes("net.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Sub", In: []string{"subtrahend", "minuend"}, Out: []string{"opposite"}},
			{Op: "Sub", In: []string{"minuend", "subtrahend"}, Out: []string{"difference"}}},
		Inputs:  []onnxtest.Value{value("subtrahend"), value("minuend")},
		Outputs: []onnxtest.Value{value("opposite"), value("difference")}}}.Bytes())
}

var _ = Describe("A deployment", func() {
	var server *standIn
	var url string
	var inputs fixtures.Inputs

	BeforeEach(func() {
		server = newStandIn(true, false)
		DeferCleanup(server.Close)
		url = server.deploy("net", difference())
		inputs = fixtures.Random(difference(), fixtures.Seed(1), fixtures.Iterations(4))
	})

	It("declares what the server says, and says what ran", func(ctx SpecContext) {
		d := served.Model(url)
		run, err := d.Run(ctx, fixtures.Random(d, fixtures.Seed(1)))
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Provenance.String()).To(Equal("served stand-in 0.1 (go)"))
		Expect(run.Provenance.Model).To(Equal("net"))
		Expect(run.Provenance.Options).To(Equal(map[string]string{"model version": "1"}))
		Expect(run.Outputs()[0].Names()).To(Equal([]string{"opposite", "difference"}))
		Expect(run.Subject().Engine).To(Equal(d))
	})

	It("is a value", func() {
		d := served.Model("http://h:1/v2/models/m", served.Retries(1), served.Binary())
		Expect(d).To(Equal(served.Model("http://h:1/v2/models/m", served.Binary(), served.Retries(1))))
		Expect(d).NotTo(Equal(served.Model("http://h:1/v2/models/m")))
		Expect(d.GoString()).To(Equal(
			`served.Model("http://h:1/v2/models/m", served.Binary(), served.Retries(1))`))
		Expect(d.Text()).To(Equal(`served "http://h:1/v2/models/m" {"binary":true,"retries":1}`))
		Expect(d.String()).To(Equal("served http://h:1/v2/models/m Binary, Retries(1)"))
		Expect(backends.OpenText(d.Text())).To(HaveField("Text()", d.Text()))
	})

	It("runs isolated", func(ctx SpecContext) {
		d := served.Model(url)
		run, err := backends.RunIn(ctx, isolated.Engine(d), difference(), inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Len()).To(Equal(4))
	})

	It("speaks TLS, with a header from the environment", func(ctx SpecContext) {
		secure := newStandIn(true, true)
		DeferCleanup(secure.Close)
		secure.Config.ErrorLog = nil
		at := secure.deploy("net", difference())
		_, err := served.Model(at).Run(ctx, inputs)
		Expect(err).To(MatchError(ContainSubstring("certificate signed by unknown authority")))
		file := filepath.Join(GinkgoT().TempDir(), "ca.pem")
		Expect(os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
			Bytes: secure.Certificate().Raw}), 0o600)).To(Succeed())
		GinkgoT().Setenv("TEST_SERVED_TOKEN", "Bearer sesame")
		d := served.Model(at, served.CA(file), served.Header("Authorization", "TEST_SERVED_TOKEN"))
		Expect(d.Run(ctx, inputs)).NotTo(BeNil())
		Expect(secure.last().Get("Authorization")).To(Equal("Bearer sesame"))
		Expect(d.Text() + d.GoString() + d.String()).NotTo(ContainSubstring("sesame"))
	})

	It("follows no redirect from TLS to none", func(ctx SpecContext) {
		secure := newStandIn(true, true)
		DeferCleanup(secure.Close)
		secure.Config.ErrorLog = log.New(GinkgoWriter, "", 0)
		file := filepath.Join(GinkgoT().TempDir(), "ca.pem")
		Expect(os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
			Bytes: secure.Certificate().Raw}), 0o600)).To(Succeed())
		GinkgoT().Setenv("TEST_SERVED_TOKEN", "sesame")
		at := secure.deploy("net", difference())
		open := strings.Replace(at, "https", "http", 1)
		secure.spoil = func(_ int, w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, open, http.StatusSeeOther)
			return true
		}
		_, err := served.Model(at, served.CA(file),
			served.Header("Authorization", "TEST_SERVED_TOKEN")).Run(ctx, inputs)
		Expect(err).To(MatchError(ContainSubstring("the server redirects to " + open + "; use that URL")))
	})

	It("shows a certificate to a server that wants one", func(ctx SpecContext) {
		config, files := tlstest.New(GinkgoTB())
		other := newStandIn(true, false)
		other.Close()
		other.Server = httptest.NewUnstartedServer(http.HandlerFunc(other.serve))
		other.TLS, other.Config.ErrorLog = config, log.New(GinkgoWriter, "", 0)
		other.StartTLS()
		DeferCleanup(other.Close)
		at := other.deploy("net", difference())
		d := served.Model(at, served.CA(files.CA),
			served.ClientCertificate(files.Certificate, files.Key))
		Expect(d.Run(ctx, inputs)).NotTo(BeNil())
		_, err := served.Model(at, served.CA(files.CA)).Run(ctx, inputs)
		Expect(err).To(MatchError(ContainSubstring("model net is not ready: "))) // it may hang up first
		_, err = served.Model(at, served.ClientCertificate(files.CA, "none.key")).Run(ctx, inputs)
		Expect(err).To(MatchError(ContainSubstring("none.key: no such file")))
	})

	It("spreads iterations over replicas that agree", func(ctx SpecContext) {
		other := newStandIn(false, false)
		DeferCleanup(other.Close)
		run, err := served.Model(url, served.Replica(other.deploy("net", difference()))).Run(ctx, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Provenance.Options).To(HaveKeyWithValue("replicas", "2"))
		Expect([]int{server.asked(), other.asked()}).To(Equal([]int{2, 3})) // the first on both
		alone, err := served.Model(url).Run(ctx, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Outputs()).To(Equal(alone.Outputs()))
	})

	fails := func(ctx context.Context, says string, options ...served.Option) {
		GinkgoHelper()
		_, err := served.Model(url, options...).Run(ctx, inputs)
		Expect(err).To(MatchError(MatchRegexp(says)))
		server.mu.Lock() // a request that was given up may still be served
		server.spoil, server.version = nil, "1"
		server.mu.Unlock()
		Expect(served.Model(url).Run(ctx, inputs)).NotTo(BeNil(), "the next run")
	}

	It("fails where replicas disagree, and says where", func(ctx SpecContext) {
		other := newStandIn(true, false)
		DeferCleanup(other.Close)
		other.spoil = answers(200, `{"model_version":"1","outputs":[{"name":"opposite",`+
			`"datatype":"FP32","shape":[1,3],"data":[0,0,0]},`+
			`{"name":"difference","datatype":"FP32","shape":[1,3],"data":[0,NaN,0]}]}`)
		fails(ctx, `iteration 0: the replicas http://.* and http://.* return different outputs for `+
			`the same inputs: `+
			`output "opposite" at \[0,0\] is 0 on the first replica, but -?0\.\d+ on the second`,
			served.Replica(other.deploy("net", difference())))
	})

	It("fails where a replica is lost", func(ctx SpecContext) {
		other := newStandIn(true, false)
		at := other.deploy("net", difference())
		other.Close()
		fails(ctx, `/v2/models/net: model net is not ready: dial tcp .*connection refused`,
			served.Replica(at), served.Retries(1))
	})

	It("fails where a replica is lost in the middle of a run", func(ctx SpecContext) {
		other := newStandIn(true, false)
		DeferCleanup(other.Close)
		other.spoil = func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n > 0 {
				panic(http.ErrAbortHandler)
			}
			return false
		}
		fails(ctx, `iteration 1: http://.*: EOF`, served.Replica(other.deploy("net", difference())))
		Expect(other.asked()).To(Equal(2), "what may have run is not sent again")
	})

	It("fails if another version than the requested one answers", func(ctx SpecContext) {
		server.version = "4"
		_, err := served.Model(url+"/versions/3").Run(ctx, inputs)
		Expect(err).To(MatchError(ContainSubstring(`version "4" of the model answered, expected "3"`)))
	})

	It("fails if the model is deployed again during the run", func(ctx SpecContext) {
		server.spoil = func(n int, _ http.ResponseWriter, _ *http.Request) bool {
			server.mu.Lock()
			defer server.mu.Unlock()
			if n == 1 {
				server.version = "2"
			}
			return false
		}
		fails(ctx, `iteration 2: .*version "2" of the model answered after version "1": the model was `+
			`redeployed, or the replicas differ`)
	})

	It("fails where the model is not ready", func(ctx SpecContext) {
		server.notReady = true
		_, err := served.Model(url).Run(ctx, inputs)
		Expect(err).To(MatchError(ContainSubstring(
			`model net is not ready: GET /v2/models/net/ready: 400 Bad Request: {"error":"still loading"}`)))
		_, err = served.Model(server.URL+"/v2/models/other").Run(ctx, inputs)
		Expect(err).To(MatchError(ContainSubstring(`404 Not Found: {"error":"unknown model other"}`)))
	})

	It("sends again what a busy server has not run", func(ctx SpecContext) {
		server.spoil = func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n < 2 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return n < 2
		}
		Expect(served.Model(url).Run(ctx, inputs)).NotTo(BeNil())
		Expect(server.asked()).To(Equal(6))
		fails(ctx, `503 Service Unavailable`, served.Retries(1))
	})

	It("ends a request that takes too long, and with the context", func(ctx SpecContext) {
		server.spoil = func(_ int, _ http.ResponseWriter, r *http.Request) bool {
			select {
			case <-r.Context().Done():
			case <-time.After(5 * time.Second):
			}
			return true
		}
		enough := errors.New("enough")
		ending, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(100*time.Millisecond, func() { cancel(enough) })
		_, err := served.Model(url).Run(ending, inputs)
		Expect(err).To(MatchError(enough))
		fails(ctx, `no answer within 200ms; to allow more time, set served.Timeout`,
			served.Timeout(200*time.Millisecond))
	})

	It("compares with the model that was deployed", func(ctx SpecContext) {
		other := loaders.ONNXBytes("other.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Inputs: []onnxtest.Value{{Name: "pixels", Elem: 1, Dims: []any{1}}}}}.Bytes())
		_, err := backends.RunIn(ctx, served.Model(url), other, fixtures.Random(other))
		Expect(err).To(MatchError(ContainSubstring(
			"the deployed model has no input pixels tensor(float)[1], only subtrahend, minuend")))
	})

	DescribeTable("fails where an answer violates the protocol", func(ctx SpecContext,
		body, says string) {
		server.spoil = answers(200, body)
		fails(ctx, "the server's answer violates the protocol: "+says)
	},
		Entry("text", "<html>ok</html>", `invalid character '<'`),
		Entry("too few elements", `{"outputs":[{"name":"y","datatype":"FP32","shape":[3],"data":[1,2]}]}`,
			"the data has 2 elements, but the shape has 3"),
		Entry("an absurd shape",
			`{"outputs":[{"name":"y","datatype":"INT8","shape":[4000000000,4000000000]}]}`, ".*"),
		Entry("more elements than the data",
			`{"outputs":[{"name":"y","datatype":"INT8","shape":[1000000],"data":[1]}]}`,
			`the data has 1 elements, but the shape has 1000000`),
		Entry("an unknown type", `{"outputs":[{"name":"y","datatype":"FP7","shape":[1],"data":[1]}]}`,
			`unknown datatype "FP7"`),
		Entry("binary without any", `{"outputs":[{"name":"y","datatype":"FP32","shape":[1],`+
			`"parameters":{"binary_data_size":4}}]}`, `output "y" has 4 bytes, but only 0 are left`),
		Entry("a name twice", `{"outputs":[{"name":"y","datatype":"INT8","shape":[1],"data":[1]},`+
			`{"name":"y","datatype":"INT8","shape":[1],"data":[1]}]}`, `.*named twice`),
	)

	DescribeTable("refuses a URL or options that are wrong", func(ctx SpecContext, at, says string,
		options ...served.Option) {
		d := served.Model(at, options...)
		_, err := d.Run(ctx, inputs)
		Expect(err).To(MatchError(ContainSubstring(says)))
		for _, text := range []string{err.Error(), d.String(), d.GoString(), d.Text(), d.Name(),
			fmt.Sprintf("%+v %#v", d, d)} {
			Expect(text).NotTo(ContainSubstring("sesame"))
		}
	},
		Entry("no URL", "resnet18", `unknown scheme "": want http, https, grpc or grpcs`),
		Entry("a server alone", "http://h:1", `"http://h:1" is not the URL of a model`),
		Entry("a password", "http://me:sesame@h:1/v2/models/m", "a URL must not contain a password"),
		Entry("a password in what cannot be read", "http://me:sesame@h:x/v2/models/m",
			"the URL cannot be parsed"),
		Entry("a password with a slash", "http://me:se/sesame@h:1/v2/models/m",
			"a URL must not contain a password"),
		Entry("a password without a scheme", "me:sesame@h:1/v2/models/m", "cannot be parsed"),
		Entry("a token in the query", "http://h:1/v2/models/m?token=sesame",
			`"http://h:1/v2/models/m?xxxxx" is not the URL of a model`),
		Entry("a replica's password", "http://h:1/v2/models/m", "a URL must not contain a password",
			served.Replica("http://me:sesame@h:1/v2/models/m")),
		Entry("a token for a variable", "http://h:1/v2/models/m", "expected the names of a header",
			served.Header("Authorization", "Bearer sesame")),
		Entry("a token in the header's name", "http://h:1/v2/models/m", "expected the names of a header",
			served.Header("Authorization: Bearer sesame", "X")),
		Entry("no version", "http://h:1/v2/models/m/versions/", "is not the URL of a model"),
		Entry("a variable that is not set", "http://h:1/v2/models/m", "UNSET_OF_ALL, which is not set",
			served.Header("X", "UNSET_OF_ALL")),
		Entry("a header's name", "http://h:1/v2/models/m", "expected the names of a header",
			served.Header("a b", "HOME")),
		Entry("a replica", "http://h:1/v2/models/m", `served.Replica("x")`, served.Replica("x")),
		Entry("a timeout", "http://h:1/v2/models/m", "must not be negative", served.Timeout(-1)),
		Entry("a CA", "http://h:1/v2/models/m", "no such file", served.CA("none.pem")),
	)
})

// answers spoils every inference with a status and a body.
func answers(status int, body string) func(int, http.ResponseWriter, *http.Request) bool {
	return func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
		return true
	}
}
