// Package sample is a suite for testing package shards. It contains every kind of spec that
// sharding could lose, run twice or split.
package sample
