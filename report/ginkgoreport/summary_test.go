package ginkgoreport

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/internal/tally"
	"github.com/modelparity/modelparity/internal/testing/hostile"
)

var _ = Describe("the summary", func() {
	spec := func(text string, state types.SpecState, message string) SpecReport {
		return SpecReport{LeafNodeText: text, State: state,
			Failure: types.Failure{Message: message}}
	}
	const missing = "ort is missing: no library; run make setup"
	accepted := spec("is accepted", types.SpecStatePassed, "")
	accepted.ReportEntries = types.ReportEntries{{Name: WrittenEntry,
		Value: types.WrapEntryValue(written{Golden: "a.json",
			Text: "golden rewritten: a.json, y unchanged"})}}
	suite := Report{SuiteDescription: "digits", SpecReports: types.SpecReports{
		spec("runs", types.SpecStatePassed, ""),
		spec("needs the engine", types.SpecStateSkipped, missing),
		spec("was filtered out", types.SpecStateSkipped, ""),
		spec("needs a card", types.SpecStateSkipped, "no GPU"),
		spec("needs the engine too", types.SpecStateSkipped, missing),
		accepted,
		spec("differs", types.SpecStateFailed, "Expected\n```\nto match"),
	}}

	It("counts the skipped specs by reason and lists the written files", func() {
		s, err := summarise(suite)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.String()).To(Equal(
			"skipped 2 specs: ort is missing: no library; run make setup\n" +
				"skipped 1 spec: no GPU\n" +
				"golden rewritten: a.json, y unchanged\n" +
				"no engine ran a model"))
	})

	It("escapes names in all that it prints", func() {
		for _, name := range hostile.Names {
			reason := strings.ReplaceAll(name, "\n", "") // a reason may have lines of its own
			pair := compare.Pair{Actual: name, Expected: name, Report: compare.Report{Reason: reason}}
			change := golden.Change{Path: name, Kind: golden.Rewritten, By: name, Tolerance: name,
				Reason: name, Moved: []golden.Move{{Output: name, Reason: name, Fails: name}},
				Was: &backends.Provenance{Model: name},
				Is:  &backends.Provenance{Backend: name, Options: map[string]string{name: name}}}
			s := summary{Skipped: []skipped{{Reason: reason, Specs: 1}},
				Written: []written{entryOf(change)}, Unused: []string{name},
				Ran: []*cell{{Run: tally.Run{Model: name, Engine: name}}}, NoEngine: true}
			var commands strings.Builder
			annotate(&commands, Report{SpecReports: types.SpecReports{
				spec("a", types.SpecStateFailed, "Expected\n"+reason)}}, s, "")
			written, err := json.Marshal(golden.Markdown([]golden.Change{change}))
			Expect(err).NotTo(HaveOccurred())
			entry, err := json.Marshal(entryOf(change)) // Ginkgo copies entries into JUnit reports
			Expect(err).NotTo(HaveOccurred())
			Attach(pair)
			entries := CurrentSpecReport().ReportEntries
			attached, err := json.Marshal(entries[len(entries)-1].Value.GetRawValue())
			Expect(err).NotTo(HaveOccurred())
			for _, text := range []string{line(pair), entryOf(change).String(), change.Text(), s.String(),
				strings.NewReplacer("::error file", "", "::warning title", "").Replace(commands.String()),
				string(written), string(entry), string(attached),
				s.markdown(Report{SpecReports: types.SpecReports{
					spec("a", types.SpecStateFailed, "Expected "+reason)}})} {
				Expect(hostile.Found(text)).To(BeEmpty(), "%q", text)
			}
		}
	})

	It("reads entries of other processes, which arrive as decoded JSON", func() {
		far := suite
		decoded := accepted
		decoded.ReportEntries = types.ReportEntries{{Name: WrittenEntry,
			Value: types.WrapEntryValue(map[string]any{
				"golden": "a.json", "text": "golden rewritten: a.json, y unchanged"})}}
		far.SpecReports = types.SpecReports{decoded}
		s, err := summarise(far)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.String()).To(Equal("golden rewritten: a.json, y unchanged"))
	})

	It("reports unreadable entries as errors", func() {
		odd := accepted
		odd.ReportEntries = types.ReportEntries{{Name: WrittenEntry,
			Value: types.WrapEntryValue(7)}}
		_, err := summarise(Report{SpecReports: types.SpecReports{odd}})
		Expect(err).To(HaveOccurred())
	})

	It("lists unused golden files", func() {
		s := summary{Unused: []string{"testdata/golden/old.json"}}
		Expect(s.String()).NotTo(BeEmpty())
		const said = "golden unused: testdata/golden/old.json"
		Expect(s.String()).To(Equal(said))
		Expect(s.markdown(Report{SuiteDescription: "digits"})).To(Equal("### digits\n\n- " +
			said + "\n\n"))
	})

	It("counts the specs of other shards together", func() {
		share := reportfile.Share{Index: 2, Total: 8}
		other := reportfile.Share{Index: 5, Total: 8}
		s, err := summarise(Report{SpecReports: types.SpecReports{
			spec("a", types.SpecStateSkipped, share.Elsewhere()),
			spec("b", types.SpecStateSkipped, other.Elsewhere())}})
		Expect(err).NotTo(HaveOccurred())
		Expect(s.String()).To(Equal("skipped 2 specs: other shards run them"))
	})

	It("is empty if nothing was skipped or written", func() {
		quiet := Report{SpecReports: types.SpecReports{spec("runs", types.SpecStatePassed, "")}}
		s, err := summarise(quiet)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.String()).To(BeEmpty())
		Expect(s.markdown(quiet)).To(BeEmpty())
	})

	It("is Markdown for a job's page, with safely fenced failures", func() {
		s, err := summarise(suite)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.markdown(suite)).To(Equal("### digits\n\n" +
			"#### failed: differs\n\n````text\nExpected\n```\nto match\n````\n\n" +
			"- skipped 2 specs: ort is missing: no library; run make setup\n" +
			"- skipped 1 spec: no GPU\n" +
			"- golden rewritten: a.json, y unchanged\n\n**no engine ran a model**\n\n"))
	})
})
