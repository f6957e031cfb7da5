//go:build !race

package openvino_test

import "github.com/modelparity/modelparity/backends/backendtest"

var underRace []backendtest.Option
