// Package pages writes one HTML file that shows any number of JSON reports: of Ginkgo suites, of
// `modelparity … --report`, and of merged shards.
//
//	err := pages.Write(ctx, w, paths...)
//
// The file is self-contained. It shows a grid of models and engines, every spec and comparison with
// its outputs and worst elements, the pictures that the reports list, failures, the origin of each
// report, the history of specs that occur in several reports, and times.
//
// Reports are untrusted: no text in them is interpreted as markup, and a content security policy
// restricts the page to its own script and style, by their hashes. If scripts are disabled, only
// the filters do not work.
package pages
