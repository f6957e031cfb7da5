package matchers_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	. "github.com/modelparity/modelparity/matchers"
)

// soon is long enough for a poll to be made, and short enough for one that fails.
const soon = 30 * time.Millisecond

// contrary is a matcher of a user that holds where another does not.
type contrary struct{ *GoldenMatcher }

func (c contrary) Match(actual any) (bool, error) {
	ok, err := c.GoldenMatcher.Match(actual)
	return !ok, err
}

// TestUpdateInPlainTest follows In through a test that passes and one that fails.
func TestUpdateInPlainTest(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	t.Setenv("CI", "")
	t.Setenv("GOLDEN_UPDATE", "1")
	t.Cleanup(AnnounceTo(gbytes.NewBuffer()))
	path := filepath.FromSlash("testdata/golden/digits.json")

	failing := &plainTest{name: "TestFailing", failed: true}
	g.Expect(run(set("y", f32(1)))).To(And(BeFinite(), MatchGolden("digits").In(failing)))
	failing.end()
	g.Expect(path).NotTo(BeAnExistingFile())

	skipped := &plainTest{name: "TestSkipped", skipped: true}
	g.Expect(run(set("y", f32(1)))).To(MatchGolden("digits").In(skipped))
	skipped.end()
	g.Expect(path).NotTo(BeAnExistingFile())

	passing := &plainTest{name: "TestPassing"}
	g.Expect(run(set("y", f32(1)))).To(And(BeFinite(), MatchGolden("digits").In(passing)))
	g.Expect(path).NotTo(BeAnExistingFile())
	passing.end()
	g.Expect(path).To(BeAnExistingFile())

	ended := t
	t.Run("Ended", func(t *testing.T) { ended = t })
	_, err := MatchGolden("more").In(ended).Match(run(set("y", f32(1))))
	g.Expect(err).To(MatchError(ContainSubstring("more.json: the test TestUpdateInPlainTest/Ended " +
		"passed to In has ended, or is cleaning up: pass the t of the running test")))

	other := &plainTest{name: "TestOther"}
	g.Expect(run(set("y", f32(3)))).To(MatchGolden("digits").In(other))
	other.end()
	g.Expect(other.errors).To(HaveExactElements(ContainSubstring(
		`"TestPassing" and "TestOther" use the same golden file, but produce different outputs`)))
}

// plainTest is a test whose end is told by the test around it.
type plainTest struct {
	name            string
	failed, skipped bool
	cleanups        []func()
	errors          []string
}

func (p *plainTest) Name() string { return p.name }

func (p *plainTest) Failed() bool { return p.failed }

func (p *plainTest) Skipped() bool { return p.skipped }

func (p *plainTest) Cleanup(do func()) { p.cleanups = append(p.cleanups, do) }

func (p *plainTest) Errorf(format string, args ...any) {
	p.errors = append(p.errors, fmt.Sprintf(format, args...))
}

func (p *plainTest) end() {
	for _, do := range p.cleanups {
		do()
	}
}
