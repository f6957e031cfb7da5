// Package shards splits a Ginkgo suite between several machines. Ginkgo has no sharding, and build
// servers that shard Go tests see a suite as a single test, which calls RunSpecs.
//
// One line in the suite file is enough:
//
//	var _ = shards.Take()
//
// The environment selects the share; see [Take]. Plain tests in the package run in every shard.
//
// A hash of a spec's full text, or the timings in an earlier report, assigns the spec to a shard.
// Ordered containers stay in one piece. Specs of other shards are skipped before any of their setup
// runs; the skip reason names their shard. `modelparity report merge` checks afterwards that every
// spec ran exactly once.
//
// Importing the package reads the variables and removes Bazel's, because the main function of
// rules_go would use them to filter tests before any test runs.
package shards
