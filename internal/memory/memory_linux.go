package memory

import (
	"math"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
)

// machine returns the size of the machine's memory and swap space in bytes, and the words that
// introduce this number in the error of [Allows].
func machine() (uint64, string) {
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return math.MaxUint64, ""
	}
	total := uint64(info.Totalram) + uint64(info.Totalswap) //nolint:unconvert // uint32 on 32 bits
	return total * uint64(info.Unit), "the machine has"
}

// Resident returns how many bytes of the machine's memory this process uses. ok is false if the
// system does not report it.
func Resident() (bytes uint64, ok bool) {
	kib, ok := Statistic("/proc/self/status", "VmRSS:")
	return kib << 10, ok
}

// group returns how many more bytes the process may allocate under the limits of its cgroup and of
// all cgroups that contain it. The string introduces this number in the error of [Allows].
func group() (uint64, string) {
	least := uint64(math.MaxUint64)
	lists, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return least, ""
	}
	for line := range strings.Lines(string(lists)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		root, limit, used, cache := "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
		if fields[1] != "" { // version 1 has a hierarchy for each resource
			if !strings.Contains(","+fields[1]+",", ",memory,") {
				continue
			}
			root, limit, used = "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
			cache = "total_inactive_file"
		}
		for at := fields[2]; ; at = path.Dir(at) {
			folder := path.Join(root, at)
			most, ok := number(path.Join(folder, limit))
			if now, known := number(path.Join(folder, used)); ok && known {
				// The system reclaims inactive file pages when memory is short.
				reclaimable, _ := Statistic(path.Join(folder, "memory.stat"), cache)
				now -= min(now, reclaimable)
				least = min(least, most-min(most, now))
			}
			if at == "/" || at == "." {
				break
			}
		}
	}
	return least, "the memory limit of this process's cgroup leaves"
}

// number reads a file that contains a number. If the file contains "max", there is no limit, and ok
// is false.
func number(file string) (uint64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// slack is the additional memory, in bytes, that Go's allocator may need, because it allocates
// whole arenas.
const slack = 128 << 20

// addressable reports whether n bytes of address space are left within the process's limits. It
// reserves the space for a moment as a test. The reservation takes no memory, because nothing is
// written to it.
func addressable(n uint64) bool {
	if n > math.MaxInt-slack {
		return false
	}
	space, err := syscall.Mmap(-1, 0, int(n+slack), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		return false
	}
	return syscall.Munmap(space) == nil
}
