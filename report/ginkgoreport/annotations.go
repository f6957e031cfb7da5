package ginkgoreport

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/modelparity/modelparity/internal/names"
)

// annotate writes GitHub's annotation commands: an error for each failed spec, at its location, and
// a warning if no engine ran. Paths are relative to the checkout.
func annotate(to io.Writer, r ginkgo.Report, s summary, workspace string) {
	for _, spec := range r.SpecReports.WithState(types.SpecStateFailureStates) {
		at := spec.Failure.Location
		if at.FileName == "" {
			at = spec.LeafNodeLocation
		}
		fmt.Fprintf(to, "::error file=%s,line=%d,title=%s::%s\n", property(within(workspace,
			at.FileName)), at.LineNumber, property(spec.FullText()), message(spec.Failure.Message))
	}
	if s.NoEngine {
		fmt.Fprintf(to, "::warning title=%s::%s\n", property(r.SuiteDescription), message(noEngine))
	}
}

// within returns path relative to the folder if it is inside the folder, otherwise unchanged.
func within(folder, path string) string {
	inside, err := filepath.Rel(folder, path)
	if folder == "" || err != nil || !filepath.IsLocal(inside) {
		return path
	}
	return filepath.ToSlash(inside)
}

// message escapes the text of a GitHub workflow command.
func message(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(names.Escape(text))
}

// property escapes a property of a GitHub workflow command. A property must not contain : or ,
// because they separate properties.
func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(message(text))
}
