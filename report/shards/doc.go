// Package shards splits a Ginkgo suite between several machines. Ginkgo cannot do this, and build
// servers that distribute Go tests see a suite as a single test, which calls RunSpecs.
//
// One line in the suite file is enough:
//
//	var _ = shards.Take()
//
// The environment selects the shard; see [Take]. Plain tests in the package run in every shard.
//
// Each spec is assigned to a shard by a hash of its full text or, if an earlier report is given, by
// the timings in that report. Ordered containers are not split. The specs of other shards are
// skipped before any of their setup runs; the skip reason names their shard. Afterwards,
// `modelparity report merge` checks that every spec ran exactly once.
//
// When a program that imports this package starts, the package reads the environment variables that
// select the shard. It then removes the variables of Bazel from the environment, because the main
// function of rules_go would otherwise use those variables to filter tests.
package shards
