package field_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// counts counts the scores.
type counts map[score]int

func (c counts) shown() int { return c[exact] + c[stretch] + c[nowhere] + c[wrong] + c[broken] }

// share is the share of visible faults that were named exactly.
func (c counts) share() float64 {
	if c.shown() == 0 {
		return 0
	}
	return float64(c[exact]) / float64(c.shown())
}

// tally counts outcomes by a key, without healthy pairs.
func tally(outcomes []outcome, key func(outcome) string) (map[string]counts, []string) {
	all, order := map[string]counts{}, []string{}
	for _, o := range outcomes {
		if o.kind == "" {
			continue
		}
		k := key(o)
		if all[k] == nil {
			all[k] = counts{}
			order = append(order, k)
		}
		all[k][o.score]++
	}
	return all, order
}

// makers describes the classes of pairs.
var makers = map[string]string{"one": "one exporter", "rewritten": "exporter and rewriter",
	"two": "two exporters", trained: "training"}

// page returns the table in Markdown.
func page(outcomes []outcome) string {
	var b strings.Builder
	head := func(first string) {
		fmt.Fprintf(&b, "\n| %s | show | exact | stretch | nowhere | **wrong** | exact of shown |\n"+
			"|---|---:|---:|---:|---:|---:|---:|\n", first)
	}
	row := func(name string, c counts) {
		share := "–"
		if c.shown() > 0 {
			share = fmt.Sprintf("%.0f %%", 100*c.share())
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %s |\n", name, c.shown(), c[exact],
			c[stretch], c[nowhere]+c[broken], c[wrong], share)
	}
	head("made by")
	all, order := tally(outcomes, func(o outcome) string { return makers[o.Makers] })
	for _, k := range order {
		row(k, all[k])
	}
	head("fault")
	all, order = tally(outcomes, func(o outcome) string { return o.kind })
	for _, k := range order {
		row(k, all[k])
	}
	head("pair")
	all, order = tally(outcomes, func(o outcome) string { return o.pair.String() })
	for _, k := range order {
		row(strings.ReplaceAll(k, "|", "against"), all[k])
	}
	quietPairs, pairs := 0, 0
	total := counts{}
	for _, o := range outcomes {
		total[o.score]++
		if o.kind == "" {
			pairs++
			if o.score == quiet {
				quietPairs++
			}
		}
	}
	fmt.Fprintf(&b, "\nHealthy pairs without a false alarm: %d of %d. Not counted: %d faults that do "+
		"not show, %d that the\nengine refuses, and %d times a model had no place for a fault.\n",
		quietPairs, pairs, total[hidden], total[refused], total[noSite])
	return b.String()
}

// tableVariable names the environment variable for the page that receives the tables, between two
// marker lines.
const tableVariable = "MODELPARITY_FIELD_TABLE"

const begin, end = "<!-- scores, written by the suite -->\n", "<!-- end of scores -->\n"

// publish writes the tables into the page.
func publish(tables string) error {
	path := os.Getenv(tableVariable)
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, opened := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		return fmt.Errorf("%s has no place for the scores: expected the lines %q and %q", path,
			begin, end)
	}
	return os.WriteFile(path, []byte(before+begin+tables+"\n"+end+after), 0o644)
}

// wrongVariable names the environment variable for a folder that receives a report and the models
// of every wrong case.
const wrongVariable = "MODELPARITY_FIELD_WRONG"

// keep saves a case for inspection.
func (b *bench) keep(o outcome) error {
	folder := os.Getenv(wrongVariable)
	if folder == "" {
		return nil
	}
	name := strings.NewReplacer(": ", ".", " | ", "-", " ", "").Replace(
		fmt.Sprintf("%v.%s%d", o.pair, o.kind, o.seed))
	at := filepath.Join(folder, name)
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	for file, data := range map[string][]byte{"a.onnx": o.data, "b.onnx": b.b} {
		if err := os.WriteFile(filepath.Join(at, file), data, 0o644); err != nil {
			return err
		}
	}
	said := fmt.Sprintf("# %s: %s\n\npair: %v (%s)\nfault: %s\n\nsaid: %[9]s\n\n"+
		"    modelparity locate %[6]s/a.onnx %[6]s/b.onnx --load-inputs %[7]s"+
		" --atol %.3[8]g --rtol %.3[8]g\n",
		name, o.score, o.pair, makers[o.Makers], o.what, at, abs(o.inputsFile()), b.shows(), o.said)
	return os.WriteFile(at+".md", []byte(said), 0o644)
}

func abs(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}
