package gpuqueue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/filelock"
)

// queue is the folder of a GPU. It holds a file for each process that uses the GPU or waits for it,
// locked by that process. Whoever reads or changes the folder holds the lock on its mutex.
type queue struct{ folder string }

// ticket is the file of a process: its name is its number, and it holds the family, the memory
// and, once it is in, a mark.
type ticket struct {
	path   string
	file   *os.File
	family string
	need   int64
	in     bool
	waited bool
}

const mark = "in"

// openQueue is the queue of a GPU, for the processes of one user.
func openQueue(gpu string) (queue, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, gpu)
	q := queue{filepath.Join(cache, "modelparity", "gpu", name)}
	return q, os.MkdirAll(q.folder, 0o700)
}

// alone runs do while no other process looks into the folder.
func (q queue) alone(do func() error) error {
	return filelock.With(filepath.Join(q.folder, "mutex"), do)
}

// join makes a ticket at the end of the queue. One whose family is in already is in at once, and so
// is that of a process which holds another GPU.
func (q queue) join(need int64, elsewhere bool) (t *ticket, err error) {
	t = &ticket{family: os.Getenv(familyVariable), need: need, in: elsewhere}
	err = q.alone(func() error {
		others, err := q.others(nil)
		if err != nil {
			return err
		}
		number := 1
		for _, o := range others {
			n, _ := strconv.Atoi(filepath.Base(o.path)) // others reads no other names
			number = max(number, n+1)
			t.in = t.in || o.in && o.family == t.family && t.family != ""
		}
		t.path = filepath.Join(q.folder, fmt.Sprintf("%012d", number))
		if t.file, err = os.OpenFile(t.path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err != nil {
			return err
		}
		locked, err := filelock.Try(t.file)
		if err == nil && !locked {
			err = fmt.Errorf("%s is locked by another process", t.path)
		}
		if err == nil {
			err = t.write()
		}
		if err != nil {
			t.leave()
		}
		return err
	})
	return t, err
}

// write writes what others read.
func (t *ticket) write() error {
	state := "waiting"
	if t.in {
		state = mark
	}
	_, err := t.file.WriteAt([]byte(fmt.Sprintf("%s %d %s\n", t.family, t.need, state)), 0)
	return err
}

// admit lets the ticket in if it and all that came before it fit into the GPU's memory. Nobody
// overtakes, so a large process is not kept waiting by small ones. ahead is how many came before.
func (q queue) admit(t *ticket, total int64) (in bool, ahead int, err error) {
	err = q.alone(func() error {
		others, err := q.others(t)
		if err != nil || t.in {
			in = err == nil
			return err
		}
		families := map[string]int64{t.family: t.need}
		for _, o := range others {
			if !o.in && o.path > t.path {
				continue
			}
			ahead++
			key := o.family
			if key == "" {
				key = o.path
			}
			families[key] = max(families[key], o.need)
		}
		var sum int64
		for _, need := range families {
			sum += need
		}
		if sum > total {
			return nil
		}
		in, t.in = true, true
		return t.write()
	})
	return in, ahead, err
}

// others are the tickets of living processes beside this one, and removes those of dead ones.
func (q queue) others(own *ticket) (all []ticket, err error) {
	names, err := os.ReadDir(q.folder)
	if err != nil {
		return nil, err
	}
	for _, entry := range names {
		path := filepath.Join(q.folder, entry.Name())
		_, other := strconv.ParseUint(entry.Name(), 10, 63)
		if other != nil || own != nil && path == own.path {
			continue // the mutex, or itself
		}
		o, alive, err := read(path)
		if err != nil {
			return nil, err
		}
		if alive {
			all = append(all, o)
		}
	}
	return all, nil
}

// read reads the ticket of another process, or removes it if no process holds it.
func read(path string) (t ticket, alive bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return t, false, nil
	}
	if err != nil {
		return t, false, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	free, err := filelock.Try(f)
	if err != nil {
		return t, false, err
	}
	if free {
		return t, false, os.Remove(path)
	}
	t.path = path
	var state string
	line := make([]byte, 256)
	n, _ := f.ReadAt(line, 0) // shorter than that
	fields := strings.Split(strings.TrimSuffix(string(line[:n]), "\n"), " ")
	if len(fields) == 3 {
		t.family, state = fields[0], fields[2]
		t.need, err = strconv.ParseInt(fields[1], 10, 64)
	}
	if len(fields) != 3 || err != nil || t.need < 0 {
		return t, false, fmt.Errorf("%s: not a place in the queue of a GPU; remove it", path)
	}
	t.in = state == mark
	return t, true, nil
}

// leave gives the ticket back.
func (t *ticket) leave() {
	if t.file == nil {
		return
	}
	_ = os.Remove(t.path) // another process does it otherwise
	_ = t.file.Close()    // which unlocks it
}
