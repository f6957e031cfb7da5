package housetest_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```$")
	unused  = regexp.MustCompile(`[^\pL\pN _-]`) // what GitHub leaves out of an anchor
	page    = regexp.MustCompile(`\bdocs/(evidence/)?[\w-]+\.(md|txt|json|png)\b`)
)

// TestLinksLeadSomewhere follows every relative link in Markdown to its file and heading.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, name := range sources(t, ".md") {
		text := fence.ReplaceAllString(read(t, name), "")
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			to, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(to, ":") {
				continue
			}
			file := name
			if to != "" {
				file = path.Join(path.Dir(name), to)
			}
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				t.Errorf("%s: %s: no such file", name, match[1])
			} else if anchor != "" && !slices.Contains(anchors(read(t, file)), anchor) {
				t.Errorf("%s: %s: no such heading", name, match[1])
			}
		}
	}
}

// TestPagesThatAreNamedExist is for comments, messages and help texts, which name pages by path.
func TestPagesThatAreNamedExist(t *testing.T) {
	names := append(sources(t, ".go", ".md", ".txt", ".py", ".sh"), "Makefile")
	for _, name := range names {
		for _, named := range page.FindAllString(read(t, name), -1) {
			if _, err := os.Stat(filepath.Join(root, named)); err != nil {
				t.Errorf("%s names %s, which does not exist", name, named)
			}
		}
	}
}

// anchors are the targets that GitHub makes from a page's headings.
func anchors(text string) (all []string) {
	for _, match := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		words := unused.ReplaceAllString(strings.ToLower(match[1]), "")
		all = append(all, strings.ReplaceAll(words, " ", "-"))
	}
	return all
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
