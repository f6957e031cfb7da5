//go:build linux || darwin

package spill

import (
	"bytes"
	"errors"
	"io"
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
	var reads []Read
	for i, n := range sizes {
		reads = append(reads, k.Put(drawn(n, i)))
	}
	for range 2 {
		for i := len(reads) - 1; i >= 0; i-- {
			data := reads[i](0, sizes[i])
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
	first := read(0, 1<<20)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				if again := read(8, 16); &again[0] != &first[8] {
					t.Error("it was read again while it was in use")
					return
				}
				runtime.Gosched()
			}
		})
	}
	group.Wait()
	other := k.Put(drawn(fewest, 2))
	_ = other(0, fewest) // the last piece that was read is held
	runtime.GC()
	if again := read(8, 16); &again[0] != &first[8] {
		t.Error("it was read again while it was in use")
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

// A large piece is read in parts, which must not be mixed up.
func TestALargePieceIsReadInParts(t *testing.T) {
	var k Keeper
	k.Hold(Bound)
	want := drawn(mostWhole+100_003, 1)
	read := k.Put(want)
	at := func(from, to int) {
		t.Helper()
		if got := read(from, to); !bytes.Equal(got, want[from:to]) {
			t.Fatalf("bytes %d to %d are others", from, to)
		} else if from%8 == 0 && to > from && uintptr(unsafe.Pointer(&got[0]))%8 != 0 {
			t.Fatalf("byte %d does not start on a boundary of 8 bytes", from)
		}
	}
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for from := worker * 4096; from < len(want); from += 4 * 4096 {
				at(from, min(from+4096, len(want)))
			}
		})
	}
	group.Wait()
	for _, p := range [][2]int{{0, 0}, {0, 1}, {len(want) - 1, len(want)}, {chunkSize - 1, chunkSize},
		{chunkSize - 4, chunkSize + 4}, {chunkSize, 2 * chunkSize}, {5, 3 * chunkSize}, {0, len(want)},
		{slots * chunkSize, slots*chunkSize + 8}, {0, 8}, {len(want), len(want)}} {
		at(p[0], p[1])
	}
}

func TestWhatIsTakenIsReadAgain(t *testing.T) {
	var k Keeper
	none := func(int, []byte) error { return nil }
	if read, n, err := k.Take(bytes.NewReader(nil), Large, none); read != nil || n != 0 ||
		err != nil {
		t.Error("what fits into memory was taken")
	}
	k.Hold(Large)
	want, seen := drawn(7<<20, 1), 0
	look := func(at int, p []byte) error {
		if at != seen || !bytes.Equal(p, want[at:at+len(p)]) {
			t.Error("other data was shown")
		}
		seen += len(p)
		return nil
	}
	read, n, err := k.Take(bytes.NewReader(want), len(want), look)
	if err != nil || n != len(want) || seen != n || !bytes.Equal(read(0, len(want)), want) {
		t.Errorf("%d of %d bytes, or others: %v", n, len(want), err)
	}
	if _, n, err = k.Take(bytes.NewReader(want[:5<<20]), len(want), none); n != 5<<20 ||
		!errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d bytes of a short reader: %v", n, err)
	}
	refused := errors.New("refused")
	if _, _, err = k.Take(bytes.NewReader(want), len(want),
		func(int, []byte) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("unsound data: %v", err)
	}
	if again := k.Put(want); !bytes.Equal(again(0, len(want)), want) { // after what was given up
		t.Error("other data")
	}
}
