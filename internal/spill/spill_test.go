//go:build linux || darwin

package spill

import (
	"bytes"
	"os"
	"runtime"
	"sync"
	"testing"
	"unsafe"
)

// drawn is n bytes that depend on seed.
func drawn(n, seed int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i*7 + seed*31 + i>>8)
	}
	return data
}

func TestWhatFitsStays(t *testing.T) {
	var k Keeper
	for i := range 4 {
		if k.Put(drawn(Bound/4, i)) != nil {
			t.Fatalf("piece %d went, and %d bytes fit", i, Bound)
		}
	}
	if k.file != nil {
		t.Error("a file was made for nothing")
	}
	if k.Put(drawn(fewest, 4)) == nil {
		t.Error("what does not fit stayed")
	}
	if k.Put(drawn(fewest-1, 4)) != nil {
		t.Error("a small piece went, which takes more to refer to")
	}
}

func TestDataHeldBeforeCounts(t *testing.T) {
	var k Keeper
	k.Hold(Bound)
	if k.Put(drawn(fewest, 0)) == nil {
		t.Error("it stayed")
	}
}

func TestPiecesAreReadAgain(t *testing.T) {
	var k Keeper
	k.Hold(Bound)
	sizes := []int{fewest, 1 << 20, fewest + 1, 100_003}
	var reads []func() []byte
	for i, n := range sizes {
		reads = append(reads, k.Put(drawn(n, i)))
	}
	for range 2 {
		for i := len(reads) - 1; i >= 0; i-- {
			data := reads[i]()
			if !bytes.Equal(data, drawn(sizes[i], i)) {
				t.Fatalf("piece %d is other data", i)
			}
			if uintptr(unsafe.Pointer(&data[0]))%8 != 0 {
				t.Errorf("piece %d does not start on a boundary of 8 bytes", i)
			}
		}
		runtime.GC()
	}
}

// What reads a piece in steps, from several goroutines, must not read all of it at each.
func TestAPieceInUseIsReadOnce(t *testing.T) {
	var k Keeper
	k.Hold(Bound)
	read := k.Put(drawn(1<<20, 1))
	first := read()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				if again := read(); &again[0] != &first[0] {
					t.Error("it was read again while somebody used it")
					return
				}
				runtime.Gosched()
			}
		})
	}
	group.Wait()
	other := k.Put(drawn(fewest, 2))
	_ = other() // the last piece that was read is held
	runtime.GC()
	if again := read(); &again[0] != &first[0] {
		t.Error("it was read again while somebody used it")
	}
	runtime.KeepAlive(first)
}

func TestTheFileHasNoName(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var k Keeper
	k.Hold(Bound)
	if k.Put(drawn(fewest, 0)) == nil {
		t.Fatal("it stayed")
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
}

func TestWithoutADiskEverythingStays(t *testing.T) {
	t.Setenv("TMPDIR", "/dev/null/nowhere")
	k := Keeper{}
	k.Hold(Bound)
	f, err := unnamed()
	if err == nil { // there is /var/tmp
		k.file = &file{f: f}
		f.Close()
	}
	if k.Put(drawn(fewest, 0)) != nil || !k.full {
		t.Error("it went where nothing can be written")
	}
	if k.Put(drawn(fewest, 0)) != nil {
		t.Error("it is tried again")
	}
}
