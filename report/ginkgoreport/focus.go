package ginkgoreport

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/onsi/ginkgo/v2/types"
)

// choosing returns the flags that select one spec by its text. In parallel runs only the first
// process knows the suite's own text, which starts every spec's text for -ginkgo.focus; other
// processes pass "" for suite. Then the text could also be the end of a longer one, so the flags
// include the spec's line.
func choosing(suite, text string, at types.CodeLocation) []string {
	if suite != "" {
		return []string{"-ginkgo.focus=^" + regexp.QuoteMeta(suite+" "+text) + "$"}
	}
	flags := []string{"-ginkgo.focus= " + regexp.QuoteMeta(text) + "$"}
	name := filepath.Base(at.FileName)
	if at.FileName == "" || strings.Contains(name, ":") { // the user made the location up
		return flags
	}
	return append(flags, `-ginkgo.focus-file=[/\\]`+regexp.QuoteMeta(name)+"$:"+
		strconv.Itoa(at.LineNumber))
}
