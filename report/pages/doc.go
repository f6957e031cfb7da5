// Package pages writes one HTML file about any set of JSON reports: Ginkgo suites, reports
// written by `modelparity … --report`, and merged shards.
//
//	err := pages.Write(ctx, w, paths...)
//
// The file is self-contained. It shows a grid of models and engines, every spec and comparison
// with its outputs and worst elements, the reports' pictures, failures, the origin of each
// report, the history over the reports, and times.
//
// Reports are untrusted: nothing in them becomes markup, and a content security policy
// restricts the page to its own script and style, by their hashes. Without scripts, only the
// filters do not work.
package pages
