// Package housetest holds the module to its own plan: which package imports which, who may know
// Ginkgo, how long a line is. It has no code of its own.
package housetest_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the prefix of every import that stays in the house, and root is where it lies.
const (
	module = "github.com/modelparity/modelparity/"
	root   = "../.."
)

// rooms says which rooms each room may import, from the ground up. A room's sub-packages count
// as the room itself, and internal/ is open to all, except for its packages that are listed here.
// Nothing flows back up: what is not listed is forbidden, and so is a room that is missing here.
var rooms = map[string][]string{
	"doc.go":   {}, // the module's own documentation
	"internal": {},
	"tensor":   {},
	"compare":  {"tensor", "internal/compound", "internal/sets", "internal/spill"},
	"loaders":  {"tensor", "internal/codec", "internal/onnxfile", "internal/sets"},
	"fixtures": {"tensor", "loaders", "internal/codec", "internal/setfile", "internal/sets",
		"internal/spill"},
	"backends": {"tensor", "loaders", "fixtures", "internal/codec", "internal/dlopen",
		"internal/genai", "internal/inputsum", "internal/message", "internal/onnxruntime",
		"internal/openvino", "internal/sets", "internal/spill", "internal/tract"},
	"runs": {"tensor", "compare", "loaders", "fixtures", "backends", "internal/codec",
		"internal/setfile", "internal/runfile"},
	"golden": {"tensor", "compare", "backends", "internal/codec", "internal/runfile",
		"internal/goldentree", "internal/sets"},
	// Noise is measured in ONNX Runtime.
	"noise": {"tensor", "compare", "loaders", "fixtures", "backends", "internal/bound",
		"internal/codec", "internal/onnxruntime", "internal/reorder", "internal/sets"},
	"decode": {"tensor", "compare", "loaders", "fixtures", "backends", "internal/rows",
		"internal/sets"},
	"precision": {"tensor", "compare", "loaders", "fixtures", "backends", "noise",
		"internal/describe", "internal/inputsum", "internal/sets", "internal/speccode"},
	"locate": {"tensor", "compare", "loaders", "fixtures", "backends", "noise", "internal/bound",
		"internal/describe", "internal/inputsum", "internal/rows", "internal/sets",
		"internal/speccode"},
	// A breach of a relation is located, and judged by noise. One relation is about decoders.
	"relations": {"tensor", "compare", "loaders", "fixtures", "backends", "noise", "decode",
		"locate", "internal/describe", "internal/reorder", "internal/rows", "internal/sets",
		"internal/speccode"},
	"matchers": {"tensor", "compare", "loaders", "fixtures", "backends", "runs", "golden", "noise",
		"decode", "precision", "locate", "relations", "internal/goldentree", "internal/observed",
		"internal/rows", "internal/sets"},
	// report shows what matchers found, and only suites import it.
	"report": {"tensor", "compare", "loaders", "fixtures", "backends", "runs", "golden", "noise",
		"precision", "locate", "relations", "matchers", "internal/reportfile", "internal/goldentree",
		"internal/observed"},
	"cmd": {"internal/cli"},
	// The command uses those packages of report that do without Ginkgo.
	"internal/cli": {"tensor", "compare", "loaders", "fixtures", "backends", "runs", "golden", "noise",
		"decode", "precision", "locate", "relations", "report", "internal/codec",
		"internal/compound", "internal/describe", "internal/onnxruntime", "internal/openvino",
		"internal/reportfile", "internal/goldentree", "internal/setfile", "internal/sets",
		"internal/speccode"},
	"example_test": {"tensor", "compare", "loaders", "fixtures", "backends", "runs", "golden", "noise",
		"precision", "locate", "relations", "report", "matchers"},
	// conformance runs ONNX's own data.
	"conformance": {"tensor", "internal/codec"},
	// Models as files, which loaders reads and loaders/edit changes.
	"internal/onnxfile": {"tensor", "internal/codec"},
	// Shared libraries, with the tensors in their memory.
	"internal/dlopen":      {"tensor"},
	"internal/genai":       {"tensor", "internal/dlopen"},
	"internal/onnxruntime": {"tensor", "internal/dlopen"},
	"internal/openvino":    {"tensor", "internal/dlopen"},
	"internal/tract":       {"tensor", "internal/dlopen"},

	"internal/compound": {"tensor"},  // sequences and maps
	"internal/rows":     {"tensor"},  // rows of tensors
	"internal/sets":     {"tensor"},  // sets made of sets
	"internal/observed": {"compare"}, // comparisons, for a suite's page
	"internal/spill":    {"tensor"},  // tensors outside memory
	"internal/describe": {"tensor", "loaders", "internal/onnxfile"},
	"internal/reorder":  {"tensor", "loaders", "internal/onnxfile"},
	"internal/bound":    {"tensor", "loaders", "internal/reorder"},
	// Formats of tensors, files of sets of them, and tensors on a channel between processes.
	"internal/codec":      {"tensor", "internal/spill"},
	"internal/reportfile": {"compare"}, // Ginkgo's reports and ours, parsed in one place
	"internal/speccode":   {"compare"}, // parts of generated specs
	"internal/setfile":    {"tensor", "internal/codec", "internal/spill"},
	"internal/message":    {"tensor", "internal/codec"},
	"internal/inputsum":   {"tensor"}, // the checksum of a run's inputs
	// The JSON that golden files and saved runs share.
	"internal/runfile": {"tensor", "compare", "backends", "internal/codec", "internal/inputsum",
		"internal/spill"},
	// Where golden files lie, and which specs used them.
	"internal/goldentree": {"tensor", "backends", "internal/runfile"},
}

// inside says which packages of its own room, besides the room's main package, a package may
// import: engines know nothing of each other. That one imports another only where it says so.
var inside = map[string][]string{
	// It runs in the ONNX Runtime that package ort finds.
	"backends/genai":          {"backends/ort", "backends/internal/sharedlib"},
	"backends":                {"backends/internal/inputcheck"},
	"backends/internal/apart": {"backends/internal/native"},
	"backends/isolated":       {"backends/internal/apart"},
	"backends/process":        {"backends/internal/native"},
	"backends/remote":         {"backends/internal/apart", "backends/isolated"},
	"backends/openvino": {"backends/internal/native", "backends/internal/prepared",
		"backends/internal/refusals", "backends/internal/sharedlib"},
	"backends/ort": {"backends/internal/inputcheck", "backends/internal/native",
		"backends/internal/refusals", "backends/internal/sharedlib"},
	"backends/served/grpc": {"backends/served/internal/oip"},
	"backends/served":      {"backends/served/internal/oip"},
	"backends/tract": {"backends/internal/native", "backends/internal/prepared",
		"backends/internal/refusals", "backends/internal/sharedlib"},
	"internal/codec/polygraphy": {"internal/codec/npy"},
	"locate":                    {"locate/internal/pairing"},
	"report/ginkgoreport":       {"report/pages", "report/internal/kept"},
	"report/pages":              {"report/internal/kept"},
}

// free names the rooms whose packages belong together only by their folder.
var free = []string{"internal", "internal/cli", "conformance", "example_test"}

// light names the rooms that everybody's test binary links, with all they may import from outside
// the standard library.
var light = map[string][]string{
	"tensor": {"github.com/x448/float16"},
	"internal/codec": {"github.com/x448/float16", "google.golang.org/protobuf/encoding/protowire",
		"github.com/segmentio/asm/base64"},
	"compare":  {"golang.org/x/sys/cpu", "gonum.org/v1/gonum/mathext"},
	"matchers": {"github.com/onsi/gomega/format", "github.com/onsi/gomega/types"},
	"golden":   {},
	"runs":     {},
	"fixtures": {"github.com/x448/float16", "gonum.org/v1/gonum/mathext/prng"},
	"loaders":  {"google.golang.org/protobuf/encoding/protowire"},
}

// apart names the packages of light rooms that are packages of their own just because they need
// more: only who imports them carries it.
var apart = []string{"fixtures/images"}

func TestRoomsImportOnlyRoomsBelow(t *testing.T) {
	for _, file := range goFiles(t) {
		// Our own rigs stand above every room: only tests may import them.
		if file.test || strings.HasPrefix(file.path, "internal/testing/") {
			continue
		}
		allowed, known := rooms[file.room]
		if !known {
			t.Errorf("%s: the house plan has no room %q", file.path, file.room)
			continue
		}
		for _, imported := range file.imports {
			inside, ours := strings.CutPrefix(imported, module)
			to := roomOf(inside)
			if !ours || to == file.room || to == "internal" || slices.Contains(allowed, to) {
				continue
			}
			t.Errorf("%s: %s may not import %s, which is not below it", file.path, file.room, inside)
		}
	}
}

func TestPackagesOfARoomImportOnlyWhatTheyMay(t *testing.T) {
	used := map[string]bool{}
	for _, file := range goFiles(t) {
		from := path.Dir(file.path)
		if file.test || slices.Contains(free, file.room) {
			continue
		}
		for _, imported := range file.imports {
			to, ours := strings.CutPrefix(imported, module)
			if !ours || roomOf(to) != file.room || to == file.room {
				continue
			}
			used[from+" "+to] = true
			if !slices.Contains(inside[from], to) {
				t.Errorf("%s: %s may not import %s of its own room", file.path, from, to)
			}
		}
	}
	for from, all := range inside {
		for _, to := range all {
			if !used[from+" "+to] {
				t.Errorf("%s no longer imports %s, so take it out of the plan", from, to)
			}
		}
	}
}

func TestOnlyTestsAndTheirHelpersImportHelpers(t *testing.T) {
	seen := false
	for _, file := range goFiles(t) {
		for _, imported := range file.imports {
			to, _ := strings.CutPrefix(imported, module)
			if !isHelper(to) {
				continue
			}
			seen = true
			if !file.test && !isHelper(path.Dir(file.path)) {
				t.Errorf("%s imports %s, which is for tests alone", file.path, to)
			}
		}
	}
	if !seen {
		t.Error("no file imports a helper of tests, so this test looks at the wrong files")
	}
}

// isHelper says whether a package serves nothing but tests and what shows them.
func isHelper(name string) bool {
	return strings.HasPrefix(name, "internal/testing/") || slices.Contains(helpers, name)
}

// helpers are the ones outside internal/testing/: the first tests any engine, also from outside
// this module, the second is what `make demo` shows. internal/ may not import what they import.
var helpers = []string{"backends/backendtest", "internal/demo"}

func TestGinkgoStaysInSpecsExamplesAndReport(t *testing.T) {
	seen := false
	for _, file := range goFiles(t) {
		for _, imported := range file.imports {
			if !strings.HasPrefix(imported, "github.com/onsi/ginkgo/") {
				continue
			}
			seen = true
			if !file.test && file.room != "report" && file.room != "example_test" &&
				!isHelper(path.Dir(file.path)) {
				t.Errorf("%s imports Ginkgo, which also serves plain testing", file.path)
			}
		}
	}
	if !seen {
		t.Error("no file imports Ginkgo, so this test looks at the wrong files")
	}
}

func TestTheCoreStaysLight(t *testing.T) {
	for _, file := range goFiles(t) {
		allowed, watched := light[file.room]
		if file.test || file.program || !watched || slices.Contains(apart, path.Dir(file.path)) {
			continue
		}
		for _, imported := range file.imports {
			host, _, _ := strings.Cut(imported, "/")
			standard := !strings.Contains(host, ".") // as the go command tells them apart
			if standard || strings.HasPrefix(imported, module) || slices.Contains(allowed, imported) {
				continue
			}
			t.Errorf("%s imports %s: every user of %s would carry it", file.path, imported, file.room)
		}
	}
}

// goFile is one Go file of the module.
type goFile struct {
	path    string
	room    string
	test    bool
	program bool // of package main, which cannot be imported
	imports []string
}

// goFiles reads the imports of every Go file that the module's own packages hold.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	for _, name := range sources(t, ".go") {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil,
			parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		file := goFile{path: name, room: roomOf(name), test: strings.HasSuffix(name, "_test.go"),
			program: parsed.Name.Name == "main"}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			file.imports = append(file.imports, imported)
		}
		files = append(files, file)
	}
	return files
}

// roomOf is the room of a path inside the module: its first two elements if rooms has them, such
// as internal/cli, else its first one.
func roomOf(name string) string {
	first, rest, _ := strings.Cut(name, "/")
	second, _, _ := strings.Cut(rest, "/")
	if _, found := rooms[first+"/"+second]; found {
		return first + "/" + second
	}
	return first
}

// sources lists the files of the module with one of the extensions, by their slash-separated
// paths from its root: what the go command would not build (testdata, names with a leading dot or
// underscore) is left out, and so is what `make field` leaves in artifacts.
func sources(t *testing.T, extensions ...string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		hidden := strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), "_")
		switch {
		case entry.IsDir() && name != "." &&
			(hidden || entry.Name() == "testdata" || name == "artifacts"):
			return filepath.SkipDir
		case !entry.IsDir() && !hidden && slices.Contains(extensions, path.Ext(name)):
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Fatalf("no file ends in one of %q under %s", extensions, root)
	}
	return names
}
