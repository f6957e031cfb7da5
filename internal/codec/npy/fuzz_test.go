package npy_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelparity/modelparity/internal/codec/npy"
)

// FuzzDecode holds that no file panics, and that what was read is read again from what is written.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/*.npy")
	if err != nil || len(files) == 0 {
		f.Fatal("no seed files", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := decode(bytes.Clone(data))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := npy.Write(&out, read); err != nil {
			t.Fatal(err)
		}
		again, err := decode(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if again.String() != read.String() || !bytes.Equal(again.Bytes(), read.Bytes()) {
			t.Fatalf("read %v, then %v", read, again)
		}
	})
}
