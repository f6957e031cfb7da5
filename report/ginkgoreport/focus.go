package ginkgoreport

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/onsi/ginkgo/v2/types"
)

// choosing returns the flags that select one spec by its text. -ginkgo.focus matches the suite's
// text followed by the spec's text, but in parallel runs only the first process knows the suite's
// text; other processes pass "" for suite. Without the suite's text, the pattern could also match a
// different spec whose text ends in the same way, so the flags include the spec's line.
func choosing(suite, text string, at types.CodeLocation) []string {
	if suite != "" {
		return []string{"-ginkgo.focus=^" + regexp.QuoteMeta(suite+" "+text) + "$"}
	}
	flags := []string{"-ginkgo.focus= " + regexp.QuoteMeta(text) + "$"}
	name := filepath.Base(at.FileName)
	if at.FileName == "" || strings.Contains(name, ":") { // the user set a location that is not a file
		return flags
	}
	return append(flags, `-ginkgo.focus-file=[/\\]`+regexp.QuoteMeta(name)+"$:"+
		strconv.Itoa(at.LineNumber))
}
