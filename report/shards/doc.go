// Package shards runs a share of a Ginkgo suite on each of several machines. Ginkgo itself has no
// sharding, and build servers that shard Go tests know a suite as the one test that calls RunSpecs.
//
// One line in the suite file is enough:
//
//	var _ = shards.Take()
//
// Which share it is comes from the environment: see [Take]. Plain tests beside the suite run in
// every shard.
//
// A spec belongs to a shard by a hash of its full text, or by the timings of an earlier report, and
// an Ordered container is kept whole. Specs of other shards are skipped, with the shard that runs
// them as the reason, before any of their setup runs. `modelparity report merge` proves afterwards
// that every spec ran once.
//
// Importing the package takes the variables, since rules_go's main filters tests by them before
// any test runs.
package shards
