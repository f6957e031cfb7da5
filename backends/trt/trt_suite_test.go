//go:build linux && cgo

package trt_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/skips"
)

var (
	_ = skips.Announce("trt is missing", "a GPU")
	_ = skips.AnnounceExceptions()
)

func TestTRT(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "trt")
}
