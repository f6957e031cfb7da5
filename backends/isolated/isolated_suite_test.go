//go:build linux || darwin

package isolated_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	faultyengine "github.com/modelparity/modelparity/internal/testing/faulty"
)

func TestMain(m *testing.M) {
	faultyengine.ReachedMain = true
	if fault := os.Getenv(abandoned); fault != "" {
		abandon(fault)
	}
	os.Exit(m.Run())
}

func TestIsolated(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "backends/isolated")
}
