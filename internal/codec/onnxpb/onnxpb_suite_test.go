package onnxpb_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestOnnxpb(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "onnxpb")
}
