package goldentree

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Folder is the folder of golden files, relative to the package's folder.
const Folder = wholefile.GoldenFolder

// Path returns the path of the golden file with the given name: testdata/golden/<name>.json,
// relative to the package's folder, in which go test runs. A name may contain folders
// ("fp16/digits"). It is an error if the path would lead outside testdata/golden, if the name is
// not valid on every system, or if a person or a file system could confuse the name with a
// different one.
func Path(name string) (string, error) {
	if problem := Unsuitable(name); problem != "" {
		return "", runfile.Protected("golden: the name %q %s", name, problem)
	}
	return filepath.Join(filepath.FromSlash(Folder), filepath.FromSlash(name)+".json"), nil
}

// Unsuitable says what is wrong with a name. It returns "" if the name is valid.
func Unsuitable(name string) string {
	switch {
	case name == "" || strings.HasSuffix(name, "/"):
		return "does not name a file"
	case strings.ContainsAny(name, "\\:*?\"<>|#"):
		return `contains a character that is not portable: one of \ : * ? " < > | #`
	case path.Clean(name) != name || path.IsAbs(name) || strings.HasPrefix(name, ".."):
		return "leads outside " + Folder
	case !utf8.ValidString(name):
		return "is not valid UTF-8"
	}
	for _, r := range name {
		if what := ambiguous(r); what != "" {
			return fmt.Sprintf("contains %U, %s: some file systems would change the name", r, what)
		}
	}
	for element := range strings.SplitSeq(name, "/") {
		switch {
		case reserved(element):
			return fmt.Sprintf("contains %q, which is a device on Windows", element)
		case strings.HasSuffix(element, ".") || strings.Trim(element, " ") != element:
			return fmt.Sprintf("contains %q, but Windows drops trailing dots and leading or trailing "+
				"spaces", element)
		case strings.HasPrefix(element, "."):
			return fmt.Sprintf("contains %q, which is a hidden file", element)
		case len(element)+len(".json") > 255:
			return "has a part of more than 255 bytes, including .json: file names cannot be longer"
		}
	}
	return ""
}

// ambiguous says why a character is not allowed in names, or returns "" for a character that is
// allowed. A name must identify the same file on every file system. macOS stores an accented letter
// as a letter and a combining mark, other systems as a single character. Therefore combining marks
// are rejected, and so are characters that macOS replaces with equivalent ones.
func ambiguous(r rune) string {
	switch {
	case unicode.Is(unicode.Cc, r):
		return "a control character"
	case unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co):
		return "an invisible character"
	case r != ' ' && unicode.IsSpace(r):
		return "an unusual space"
	case unicode.In(r, unicode.M):
		return "a combining mark without a letter"
	case r >= 0x1100 && r <= 0x11ff, r >= 0xf900 && r <= 0xfaff, r >= 0x2f800 && r <= 0x2fa1f,
		r == 0x2126, r == 0x212a, r == 0x212b, r == utf8.RuneError:
		return "a character that macOS may replace"
	}
	return ""
}

// reserved reports whether Windows treats the file name as a device, whatever its extension.
func reserved(element string) bool {
	base, _, _ := strings.Cut(strings.ToLower(element), ".")
	base = strings.TrimRight(base, " ")
	switch base {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	stem, _ := utf8.DecodeLastRuneInString(base)
	prefix := strings.TrimSuffix(base, string(stem))
	return (prefix == "com" || prefix == "lpt") && strings.ContainsRune("0123456789¹²³", stem)
}

// Confusable returns an error if a part of the path differs only in letter case from an existing
// file, since some file systems treat such paths as the same file.
func Confusable(path string) error {
	at := ""
	for element := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if filepath.IsAbs(path) && at == "" {
			at = string(filepath.Separator)
			continue
		}
		entries, err := os.ReadDir(cmp.Or(at, "."))
		if err != nil {
			return nil // it does not exist yet; if that matters, opening the file reports it
		}
		for _, entry := range entries {
			if name := entry.Name(); name != element && strings.EqualFold(name, element) {
				return runfile.Protected("%s exists, and some file systems treat it and %s as one file; "+
					"choose names that do not differ only in letter case", filepath.Join(at, name),
					filepath.Join(at, element))
			}
		}
		at = filepath.Join(at, element)
	}
	return nil
}

// Split splits path after its last testdata/golden: folder ends in testdata/golden, and inside is
// the rest, with slashes. If path is not in such a folder, folder is the folder that contains path,
// and inside is "".
func Split(path string) (folder, inside string) {
	slashed := filepath.ToSlash(path)
	if at := strings.LastIndex(slashed, "/"+Folder+"/"); at >= 0 {
		at += len(Folder) + 1
		return path[:at], slashed[at+1:]
	}
	return filepath.Dir(path), ""
}
