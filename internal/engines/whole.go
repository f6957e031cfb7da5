package engines

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/modelparity/modelparity/internal/regular"
)

// Whole returns an error if a library file is damaged. Call it before opening the library: opening
// an irregular file may block forever, and opening a truncated library raises SIGBUS. If the file
// is missing or not a library, Whole returns nil, because the system's loader reports these errors.
func Whole(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil //nolint:nilerr // the loader reports the error, and resolves bare names
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	if ends := end(path); ends > uint64(info.Size()) {
		return fmt.Errorf("%s is damaged: it has %d bytes, but its segments end at %d", path, info.Size(),
			ends)
	}
	return nil
}

// end returns the file offset at which a library's last segment ends according to its header, or 0
// if there is no header. debug/elf cannot be used, because it does not open truncated files.
func end(path string) (last uint64) {
	file, err := regular.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close() //nolint:errcheck // only read
	var head elf.Header64
	if binary.Read(file, binary.LittleEndian, &head) != nil ||
		string(head.Ident[:elf.EI_DATA+1]) != elf.ELFMAG+"\x02\x01" { // 64 bits, little-endian
		return 0
	}
	last = head.Shoff + uint64(head.Shnum)*uint64(head.Shentsize)
	parts := io.NewSectionReader(file, int64(min(head.Phoff, 1<<62)), //nolint:gosec // bounded
		int64(head.Phnum)*int64(binary.Size(elf.Prog64{})))
	for {
		var part elf.Prog64
		if binary.Read(parts, binary.LittleEndian, &part) != nil {
			return last
		}
		last = max(last, part.Off+part.Filesz)
	}
}
