// Package sample is a suite to be sharded: a spec of every kind that sharding could lose, run
// twice, or tear apart. The specs of package shards run it.
package sample
