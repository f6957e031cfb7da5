package onnxfile_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestOnnxfile(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "onnxfile")
}
