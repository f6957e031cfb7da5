package noise_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestNoise(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "noise")
}
