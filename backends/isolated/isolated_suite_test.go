//go:build linux || darwin

package isolated_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// reachedMain is whether this process came so far, which an engine's may not.
var reachedMain bool

func TestMain(m *testing.M) {
	reachedMain = true
	if fault := os.Getenv(abandoned); fault != "" {
		abandon(fault)
	}
	os.Exit(m.Run())
}

func TestIsolated(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "backends/isolated")
}
