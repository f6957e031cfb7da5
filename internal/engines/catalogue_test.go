package engines_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/pip"
)

func TestTheCatalogueIsValid(t *testing.T) {
	g := NewWithT(t)
	names, flags := map[string]bool{}, map[string]bool{}
	for _, engine := range engines.Catalogue() {
		g.Expect(engine.Valid()).To(Succeed(), engine.Name)
		g.Expect(engine.Title).NotTo(BeEmpty(), engine.Name)
		g.Expect(engine.Variable).NotTo(BeEmpty(), engine.Name)
		g.Expect(engine.Flag).NotTo(BeEmpty(), engine.Name)
		g.Expect(names[engine.Name] || flags[engine.Flag]).To(BeFalse(), "%s is there twice", engine.Name)
		names[engine.Name], flags[engine.Flag] = true, true
		for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/arm64"} {
			if !unpublished[engine.Name+" "+platform] {
				g.Expect(engine.Packages).To(HaveKey(platform), engine.Name)
			}
		}
	}
	g.Expect(names).To(HaveKey("onnxruntime"))
}

func TestTheReleasesOfONNXRuntimeAreValid(t *testing.T) {
	g := NewWithT(t)
	all, err := engines.Releases("onnxruntime")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(all[0].Version).To(Equal("1.24.1"))
	g.Expect(all).To(ContainElement(engines.ONNXRuntime))
	for _, engine := range all {
		g.Expect(engine.Valid()).To(Succeed())
		g.Expect(engines.Release(engine.Name, engine.Version)).To(Equal(engine))
		for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/arm64"} {
			g.Expect(engine.Packages).To(HaveKey(platform))
		}
	}
}

func TestReleasesAreNamedByRangesAndLists(t *testing.T) {
	g := NewWithT(t)
	versions := func(words ...string) (list []string) {
		all, err := engines.Releases("onnxruntime", words...)
		g.Expect(err).NotTo(HaveOccurred())
		for _, e := range all {
			list = append(list, e.Version)
		}
		return list
	}
	g.Expect(versions("1.24.3..1.26")).To(
		Equal([]string{"1.24.3", "1.24.4", "1.25.0", "1.25.1", "1.26.0"}))
	g.Expect(versions("1.26.0,1.24.4")).To(Equal([]string{"1.24.4", "1.26.0"}), "the oldest first")
	g.Expect(versions("1.25", "1.25.1..1.26.0")).To(Equal([]string{"1.25.0", "1.25.1", "1.26.0"}))
	g.Expect(versions("1.24..1.31")).To(HaveLen(13))
	_, newest := versions()[0], versions()[len(versions())-1]
	for word, message := range map[string]string{
		"1.23..1.31": "unknown release 1.23..1.31 of onnxruntime; this version of modelparity knows " +
			"1.24.1 to " +
			newest,
		"1.24..1.99": "unknown release 1.24..1.99 of onnxruntime; this version of modelparity knows " +
			"1.24.1 to " +
			newest,
		"1.2": "unknown release 1.2 of onnxruntime; this version of modelparity knows 1.24.1 to " +
			newest,
		"": "unknown release  of onnxruntime; this version of modelparity knows 1.24.1 to " +
			newest,
		"1.31..1.24": "the range 1.31..1.24 ends before it begins; write 1.24..1.31",
	} {
		_, err := engines.Releases("onnxruntime", word)
		g.Expect(err).To(MatchError(message))
	}
	_, err := engines.Release("onnxruntime", "1.24")
	g.Expect(err).To(MatchError("1.24 does not name a single release of onnxruntime; write a full " +
		"version, such as 1.24.1"))
	_, err = engines.Release("tensorflow", "1.2.3")
	g.Expect(err).To(MatchError(`unknown engine "tensorflow"`))
}

// unpublished are the engines that their projects publish no wheel of for a platform.
var unpublished = map[string]bool{"tract linux/arm64": true}

func TestEntriesThatAreNotValid(t *testing.T) {
	good := pip.Wheel{File: "engine-1.2-py3-none-any.whl", SHA256: sumOf(nil)}
	file := engines.File{Member: "engine/a.so", SHA256: sumOf(nil)}
	for reason, row := range map[string]struct {
		version  string
		p        engines.Package
		expected string
	}{
		"a version that is a path": {"../1", engines.Package{Wheel: good}, "is not a version"},
		"a wheel's name that is a path": {"1.2", engines.Package{
			Wheel: pip.Wheel{File: "../" + good.File, SHA256: good.SHA256}},
			"is not a wheel's file name"},
		"a wheel's sum": {"1.2", engines.Package{
			Wheel: pip.Wheel{File: good.File, SHA256: "sha256:1"}}, "is not a sha256"},
		"a wheel of another release": {"1.3", engines.Package{Wheel: good}, "belongs to a different " +
			"release"},
		"a member that leaves": {"1.2", engines.Package{Wheel: good, Library: "a.so",
			Files: []engines.File{{Member: "engine/../../a.so", SHA256: sumOf(nil)}}},
			"is not a valid name for a file in a wheel"},
		"a notice that leaves": {"1.2", engines.Package{Wheel: good, Library: "a.so",
			Files: []engines.File{file}, Notices: []string{"/etc/passwd"}},
			"is not a valid name for a file in a wheel"},
		"a hidden member": {"1.2", engines.Package{Wheel: good, Library: "a.so",
			Files: []engines.File{file}, Notices: []string{"engine/.."}},
			"is not a valid name for a file in a wheel"},
		"a member's sum": {"1.2", engines.Package{Wheel: good, Library: "a.so",
			Files: []engines.File{{Member: "engine/a.so", SHA256: "0"}}}, "is not a sha256"},
		"no library": {"1.2", engines.Package{Wheel: good, Library: "b.so",
			Files: []engines.File{file}}, `the library "b.so" is not one of the package's files`},
		"two of one name": {"1.2", engines.Package{Wheel: good, Library: "a.so",
			Files: []engines.File{file, {Member: "other/a.so", SHA256: sumOf(nil)}}},
			"two files have the same name"},
	} {
		engine := engines.Engine{Name: "engine", Version: row.version,
			Packages: map[string]engines.Package{"linux/amd64": row.p}}
		NewWithT(t).Expect(engine.Valid()).To(MatchError(ContainSubstring(row.expected)), reason)
	}
}
