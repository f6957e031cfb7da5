//go:build linux && cgo

package trt_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestTRT(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "trt")
}
