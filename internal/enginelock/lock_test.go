package enginelock

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/pip"
)

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// release is an engine of one library that holds the text.
func release(version, text string) engines.Engine {
	return engines.Engine{Name: "engine", Version: version, Title: "Engine",
		Variable: "ENGINE_LIBRARY", Packages: map[string]engines.Package{engines.Platform(): {
			Wheel: pip.Wheel{File: "engine-" + version + "-py3-none-any.whl",
				SHA256: sumOf("wheel")},
			Library: "libengine.so",
			Files:   []engines.File{{Member: "engine/libengine.so", SHA256: sumOf(text)}},
		}}}
}

// file writes a file with that text, and gives its path.
func file(t *testing.T, path, text string) string {
	t.Helper()
	NewWithT(t).Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
	NewWithT(t).Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
	return path
}

func TestALockIsReadAsItWasWritten(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), Name)
	var lock Lock
	for _, engine := range engines.Catalogue() {
		lock.Set(Entry{Engine: engine})
	}
	lock.Set(Entry{release("1.2", "code"),
		[]Accepted{{engines.Platform(), "libmine.so", sumOf("mine")}}})
	g.Expect(lock.Write(path)).Error().To(Succeed())
	first, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())

	again, err := Read(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again.Engines).To(HaveLen(len(engines.Catalogue()) + 1))
	entry, ok := again.Entry("engine")
	g.Expect(ok).To(BeTrue())
	g.Expect(entry.Packages).To(Equal(release("1.2", "code").Packages))
	g.Expect(entry.Accepted).To(HaveLen(1))

	before, err := os.Stat(path)
	g.Expect(err).NotTo(HaveOccurred())
	again.Set(entry)
	g.Expect(again.Write(path)).Error().To(Succeed())
	g.Expect(os.ReadFile(path)).To(Equal(first))
	after, err := os.Stat(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.SameFile(before, after)).To(BeTrue(), "a lock that stays the same is left alone")
}

func TestLocksThatAreNotValid(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), Name)
	lock := Lock{Engines: []Entry{{Engine: release("1.2", "code"),
		Accepted: []Accepted{{"linux/amd64", "x", sumOf("x")}}}}}
	g.Expect(lock.Write(path)).Error().To(Succeed())
	data, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	good := string(data)
	for reason, row := range map[string]struct{ text, expected string }{
		"empty":           {"", "invalid lock file: EOF"},
		"cut":             {good[:len(good)/2], "invalid lock file"},
		"null":            {"null", "the lock file has format 0"},
		"more":            {good + "{}", "trailing data"},
		"another format":  {strings.Replace(good, `: 1,`, `: 2,`, 1), "the lock file has format 2"},
		"an unknown word": {strings.Replace(good, `"library"`, `"librarian"`, 1), "unknown field"},
		"a path for a name": {strings.Replace(good, `"engine"`, `"../engine"`, 1),
			"is not an engine's name"},
		"a path for a version": {strings.Replace(good, `"version": "1.2"`, `"version": "../1.2"`, 1),
			"is not a version"},
		"a path for a member": {strings.Replace(good, "engine/libengine.so", "../libengine.so", 1),
			"is not a valid name for a file in a wheel"},
		"an accepted sum": {strings.Replace(good, sumOf("x"), "x", 1), `"x" is not a sha256`},
		"too large":       {good + strings.Repeat(" ", maxSize), "larger than 4 MiB"},
	} {
		file(t, path, row.text)
		_, err := Read(path)
		g.Expect(err).To(MatchError(And(HavePrefix(path+": "), ContainSubstring(row.expected))), reason)
	}
}

func TestTheLockIsNextToTheNearestGoMod(t *testing.T) {
	g := NewWithT(t)
	root := t.TempDir()
	inner := filepath.Join(root, "module", "pkg", "deep")
	g.Expect(os.MkdirAll(inner, 0o755)).To(Succeed())
	g.Expect(upwards(inner)).To(BeEmpty(), "there is no module")
	file(t, filepath.Join(root, "go.mod"), "module outer\n")
	g.Expect(upwards(inner)).To(Equal(filepath.Join(root, Name)))
	file(t, filepath.Join(root, Name), "{}")
	file(t, filepath.Join(root, "module", "go.mod"), "module inner\n")
	g.Expect(upwards(inner)).To(Equal(filepath.Join(root, "module", Name)),
		"the lock of another module is not this one's")
	file(t, filepath.Join(root, "module", "pkg", Name), "{}")
	g.Expect(upwards(inner)).To(Equal(filepath.Join(root, "module", "pkg", Name)))
}

func TestTheVariableNamesALock(t *testing.T) {
	g := NewWithT(t)
	t.Setenv(Variable, "off")
	g.Expect(Place()).To(BeEmpty())
	absent := filepath.Join(t.TempDir(), Name)
	t.Setenv(Variable, absent)
	g.Expect(Place()).To(Equal(absent))
	_, _, err := Here()
	g.Expect(err).To(MatchError(ContainSubstring(Variable + ": open " + absent)))
	lock := Lock{Engines: []Entry{{Engine: release("1.2", "code")}}}
	g.Expect(lock.Write(absent)).Error().To(Succeed())
	choice, err := Choose(release("1.3", "new"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(choice.Version).To(Equal("1.2"))
	g.Expect(choice.Lock).To(Equal(absent))
}

func TestTheLockDecidesWhichReleaseRuns(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	lock := Lock{Engines: []Entry{{release("1.2", "code"),
		[]Accepted{{engines.Platform(), "libmine.so", sumOf("mine")},
			{"plan9/mips", "libodd.so", sumOf("odd")}}}}}
	choice, err := lock.Choose(release("1.3", "new"), "the.lock")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(choice.Version).To(Equal("1.2"))
	g.Expect(choice.Title).To(Equal("Engine"))
	g.Expect(choice.Variable).To(Equal("ENGINE_LIBRARY"))

	folder := t.TempDir()
	g.Expect(choice.Admit(file(t, filepath.Join(folder, "a.so"), "code"))).To(Succeed())
	g.Expect(choice.Admit(file(t, filepath.Join(folder, "b.so"), "mine"))).To(Succeed())
	for _, text := range []string{"new", "odd", ""} {
		path := file(t, filepath.Join(folder, "c.so"), text)
		g.Expect(choice.Admit(path)).To(MatchError(path + " (sha256 " + sumOf(text)[:12] +
			") is not the Engine 1.2 that the.lock lists; run `" + engines.Command() +
			" setup` to fetch that release, or `" + engines.Command() + " setup --accept engine=" + path +
			"` to allow this library too"))
	}
	g.Expect(choice.Admit("libengine.so")).To(MatchError(
		ContainSubstring("pass the library's full path")))
	g.Expect(choice.Matches("1.2")).To(Succeed())
	g.Expect(choice.Matches("1.3")).To(MatchError(
		"other code in this process loaded Engine 1.3, but the.lock lists 1.2"))
}

func TestWithoutALockAnyLibraryMayRun(t *testing.T) {
	g := NewWithT(t)
	choice, err := Lock{}.Choose(release("1.3", "new"), "the.lock")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(choice.Version).To(Equal("1.3"))
	g.Expect(choice.Lock).To(BeEmpty())
	g.Expect(choice.Admit("/nowhere/at/all.so")).To(Succeed())
	g.Expect(choice.Admit("libengine.so")).To(Succeed())
	g.Expect(choice.Matches("0.1")).To(Succeed())
}

func TestALockDoesNotChangeWhatWasPublished(t *testing.T) {
	g := NewWithT(t)
	lock := Lock{Engines: []Entry{{Engine: release("1.2", "evil")}}}
	_, err := lock.Choose(release("1.2", "code"), "the.lock")
	g.Expect(err).To(MatchError(And(HavePrefix("the.lock: lists engine/libengine.so "+
		"(engine 1.2) with sha256 "+sumOf("evil")), ContainSubstring(sumOf("code")))))
}

func FuzzLock(f *testing.F) {
	var whole bytes.Buffer
	lock := Lock{Format: format, Engines: []Entry{{Engine: release("1.2", "code")}}}
	if err := json.NewEncoder(&whole).Encode(lock); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		lock, err := decode(data)
		if err != nil {
			return
		}
		for _, entry := range lock.Engines {
			if err := entry.check(); err != nil {
				t.Fatal(err)
			}
			for _, p := range entry.Packages {
				for _, member := range p.Files {
					if !filepath.IsLocal(filepath.FromSlash(member.Member)) {
						t.Fatalf("%q leaves the folder", member.Member)
					}
				}
			}
		}
	})
}
