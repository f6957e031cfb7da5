package runfile_test

import (
	"bytes"
	"compress/gzip"
	"testing"

	"github.com/modelparity/modelparity/internal/codec/npy"
	"github.com/modelparity/modelparity/internal/runfile"
)

// FuzzBlob holds that no data next to a golden file panics, and that none unpacks to more than its
// head says.
func FuzzBlob(f *testing.F) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if err := npy.Write(z, drawn(1, 10)); err != nil {
		f.Fatal(err)
	}
	if err := z.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(packed.Bytes(), int64(128+40))
	f.Add(packed.Bytes(), int64(100))
	f.Add(packed.Bytes()[:30], int64(168))
	f.Add(append(packed.Bytes(), packed.Bytes()...), int64(168))
	f.Add([]byte{}, int64(1))
	f.Fuzz(func(t *testing.T, data []byte, raw int64) {
		raw &= 1<<20 - 1
		n, err := runfile.Unpack(data, raw)
		if err == nil && int64(n) > raw {
			t.Fatalf("%d bytes of data out of %d", n, raw)
		}
	})
}
