// Package pages writes one HTML file about any set of JSON reports: those of Ginkgo suites, those
// that `modelparity … --report` writes, and merged shards.
//
//	err := pages.Write(ctx, w, paths...)
//
// The file holds everything that it shows, and loads nothing. It has a grid of models and engines,
// every spec and comparison down to its outputs and worst elements, pictures that the reports name,
// failures, where each report comes from, the history over the reports, and times.
//
// Reports are other people's texts, so nothing in them becomes markup, and the page forbids its
// browser everything but its own script and style, by their hashes. It reads without scripts too:
// only the filters need them.
package pages
