package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/internal/testing/trtmock"
)

// TestServed runs a model of a server, and holds a second one to it that gives something else.
func TestServed(t *testing.T) {
	y := 3.0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !strings.HasSuffix(r.URL.Path, "/infer"):
			fmt.Fprint(w, `{"name":"stand-in","version":"1"}`)
		case r.Header.Get("X-Token") != "sesame":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			var request struct{ Inputs []struct{ Shape []int } }
			if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
				t.Error(err)
			}
			fmt.Fprintf(w, `{"outputs":[{"name":"y","datatype":"FP32","shape":[1],"data":[%g]}]}`, y)
			if strings.Contains(r.URL.Path, "other") {
				y++
			}
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "chain.onnx")
	if err := os.WriteFile(file, trtmock.Chain(), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TEST_TOKEN", "sesame")
	url := server.URL + "/v2/models/"
	for _, row := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"--served", url + "net", "--served", url + "net", "--served-header",
			"X-Token=TEST_TOKEN", "--use-subprocess"}, equal, "served-runner-N1"},
		{[]string{"--served", url + "other", "--served", url + "other", "--served-header",
			"X-Token=TEST_TOKEN"}, differs, "FAIL"},
		{[]string{"--served", url + "net", "--validate"}, unusable, "401 Unauthorized"},
		{[]string{"--served", "host:1", "--validate"}, unusable, "served: "},
		{[]string{"--served", "grpc://127.0.0.1:1/v2/models/net", "--validate"}, unusable,
			"model net is not ready: ModelReady: Unavailable"},
		{[]string{"--onnxrt", "--served-binary", "--validate"}, unusable,
			"has no effect without --served"},
	} {
		var out strings.Builder
		status := execute(t.Context(), append([]string{"run", file}, row.args...), &out, &out)
		if status != row.status || !strings.Contains(out.String(), row.says) {
			t.Errorf("%q: status %d, expected %d and %q: %s", row.args, status, row.status, row.says,
				out.String())
		}
	}
}

// TestNoPasswordIsWritten gives passwords where they must not be: they are refused unseen, also by
// what would write them into a spec.
func TestNoPasswordIsWritten(t *testing.T) {
	folder := t.TempDir()
	model, spec := filepath.Join(folder, "chain.onnx"), filepath.Join(folder, "chain_test.go")
	if err := os.WriteFile(model, trtmock.Chain(), 0o600); err != nil {
		t.Fatal(err)
	}
	const url = "http://host:1/v2/models/net"
	for _, words := range [][]string{
		{"--served", "http://me:sesame@host:1/v2/models/net"},
		{"--served", url + "?token=sesame"},
		{"--served", url, "--served-header", "Authorization: Bearer sesame"},
		{"--served", url, "--served-header", "Authorization=Bearer sesame"},
	} {
		for _, command := range [][]string{{"run", model, "--validate"},
			{"run", model, "--gen-script", spec}, {"template", model, "-o", spec}} {
			var out strings.Builder
			status := execute(t.Context(), append(command, words...), &out, &out)
			written, _ := os.ReadFile(spec) // it may not be there
			if status != unusable || len(written) > 0 ||
				strings.Contains(out.String()+string(written), "sesame") {
				t.Errorf("%q %q: status %d: %s%s", command, words, status, out.String(), written)
			}
		}
	}
}
