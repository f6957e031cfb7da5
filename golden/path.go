package golden

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelparity/modelparity/internal/runfile"
)

// Folder is where golden files live, beside the specs that use them.
const Folder = "testdata/golden"

// Path is where the golden file of that name is: testdata/golden/<name>.json, relative to the
// package's folder, in which go test runs. A name may have folders in it ("fp16/digits"). A name is
// an error if it would leave the folder, be no file name on some system, or look like another name
// to a person or a file system.
func Path(name string) (string, error) {
	if problem := unsuitable(name); problem != "" {
		return "", runfile.Elsewhere("golden: the name %q %s", name, problem)
	}
	return filepath.Join(filepath.FromSlash(Folder), filepath.FromSlash(name)+".json"), nil
}

// unsuitable says what is wrong with a name, "" if nothing is.
func unsuitable(name string) string {
	switch {
	case name == "" || strings.HasSuffix(name, "/"):
		return "does not name a file"
	case strings.ContainsAny(name, "\\:*?\"<>|#"):
		return `holds a character that files should not have: one of \ : * ? " < > | #`
	case path.Clean(name) != name || path.IsAbs(name) || strings.HasPrefix(name, ".."):
		return "leaves " + Folder
	case !utf8.ValidString(name):
		return "is not valid UTF-8"
	}
	for _, r := range name {
		if what := ambiguous(r); what != "" {
			return fmt.Sprintf("holds %U, %s: some file systems would take it for another name", r, what)
		}
	}
	for element := range strings.SplitSeq(name, "/") {
		switch {
		case reserved(element):
			return fmt.Sprintf("holds %q, which is a device on Windows", element)
		case strings.HasSuffix(element, ".") || strings.Trim(element, " ") != element:
			return fmt.Sprintf("holds %q, whose dots or spaces at the end Windows leaves out", element)
		case strings.HasPrefix(element, "."):
			return fmt.Sprintf("holds %q, which is a hidden file", element)
		case len(element)+len(".json") > 255:
			return "has a part longer than a file's name may be, 255 bytes with its extension"
		}
	}
	return ""
}

// ambiguous says why a character is refused in a name that must mean one file on every file
// system, or "". macOS writes an accented letter as a letter and a mark, others as one character,
// so marks on their own are refused, and so are letters that macOS replaces by their twin.
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
		return "a character with a twin"
	}
	return ""
}

// reserved reports whether Windows takes a name for a device, with any extension.
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

// confusable is an error where a part of the path differs from what lies there only by the case of
// its letters: on some file systems these are one file.
func confusable(path string) error {
	at := ""
	for element := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		folder := at
		if folder == "" {
			folder = "."
		}
		if filepath.IsAbs(path) && at == "" {
			at = string(filepath.Separator)
			continue
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil // not there yet; if it matters, opening the file says so
		}
		for _, entry := range entries {
			if name := entry.Name(); name != element && strings.EqualFold(name, element) {
				return &runfile.ForeignError{Text: fmt.Sprintf("%s lies beside %s, and some file systems "+
					"take these for one; choose names that differ by more than capital letters",
					filepath.Join(at, name), filepath.Join(at, element))}
			}
		}
		at = filepath.Join(at, element)
	}
	return nil
}

// splitGolden is the folder testdata/golden that a path lies in, and the path from there, with
// slashes; for a path in none it is the path's own folder, and "".
func splitGolden(path string) (folder, inside string) {
	slashed := filepath.ToSlash(path)
	if at := strings.LastIndex(slashed, "/"+Folder+"/"); at >= 0 {
		at += len(Folder) + 1
		return path[:at], slashed[at+1:]
	}
	return filepath.Dir(path), ""
}

// escaped is a path for a pattern that it is part of.
func escaped(path string) string {
	if filepath.Separator == '\\' {
		return path // where patterns have no escapes
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
