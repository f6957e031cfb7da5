package npy_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestNpy(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "npy")
}
