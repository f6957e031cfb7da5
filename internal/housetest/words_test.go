package housetest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// phrases make a native reader stumble. Plain alternatives: repeat the noun, or write next to,
// instead of, again, no one, must match, by chance, from zero, so far.
var phrases = []string{"that of", "those of", "the one that", "beside", "in place of", "anew",
	"nobody", "somebody", "held to", "by luck", "from nought", "since ever", "is asked of",
	"may be meant", "is no error", "equals no", "has not the", "is answered with"}

// TestProseIsPlain counts phrases in comments, messages, help and docs. Each may occur once
// in 10,000 lines. -v says where they are.
func TestProseIsPlain(t *testing.T) {
	const most = 1
	margin := regexp.MustCompile(`\s*\n\s*(//|#|\*)?\s*`) // a phrase may go on in the next line
	lines := 0
	where := make(map[string][]string)
	for _, name := range sources(t, ".go", ".s", ".md", ".txt", ".sh") {
		if name == "internal/housetest/words_test.go" {
			continue
		}
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(source), "\n")
		prose := strings.ToLower(margin.ReplaceAllString(string(source), " "))
		for _, phrase := range phrases {
			for range len(regexp.MustCompile(`\b`+phrase+`\b`).FindAllString(prose, -1)) {
				where[phrase] = append(where[phrase], name)
			}
		}
	}
	for _, phrase := range phrases {
		n := len(where[phrase])
		t.Logf("%q: %d in %d lines: %s", phrase, n, lines, strings.Join(where[phrase], " "))
		if n*10_000 > most*lines {
			t.Errorf("%q is written %d times in %d lines, more than %d in 10,000", phrase, n, lines,
				most)
		}
	}
}
