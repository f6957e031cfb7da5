//go:build linux && cgo

package trt

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelparity/modelparity/tensor"
)

// Whatever lies in the cache, an engine that is read from it is one that was written there.
func FuzzReadArtifact(f *testing.F) {
	whole := (&artifact{plan: []byte("a plan"), Inside: []shown{{"t", tensor.Float32}}}).encode()
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte("{\"sha256\":\"\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x.engine")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		a := readArtifact(path)
		if a == nil {
			return
		}
		if err := os.WriteFile(path, a.encode(), 0o600); err != nil {
			t.Fatal(err)
		}
		again := readArtifact(path)
		if again == nil || !bytes.Equal(again.plan, a.plan) || again.AsOutput != a.AsOutput ||
			len(again.Inside) != len(a.Inside) {
			t.Errorf("%+v is written as %+v", a, again)
		}
	})
}
