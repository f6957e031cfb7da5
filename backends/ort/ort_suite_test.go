package ort_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestORT(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "backends/ort")
}
