package ginkgoreport

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/onsi/ginkgo/v2/types"
)

// choosing are the flags that choose one spec of a suite by its text. Only the first process of a
// parallel run knows the suite's own text, with which every spec's begins for -ginkgo.focus; the
// others give "". Then the text alone could be the end of a longer one, and the spec's line tells
// the two apart.
func choosing(suite, text string, at types.CodeLocation) []string {
	if suite != "" {
		return []string{"-ginkgo.focus=^" + regexp.QuoteMeta(suite+" "+text) + "$"}
	}
	flags := []string{"-ginkgo.focus= " + regexp.QuoteMeta(text) + "$"}
	name := filepath.Base(at.FileName)
	if at.FileName == "" || strings.Contains(name, ":") { // a place that the user made up
		return flags
	}
	return append(flags, `-ginkgo.focus-file=[/\\]`+regexp.QuoteMeta(name)+"$:"+
		strconv.Itoa(at.LineNumber))
}
