package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/regular"
)

// release contains the declarations in the headers of one release.
type release struct {
	major, minor int
	classes      map[string][]string // methods by slot; a destructor takes two
	enums        map[string][]enumerator
}

type enumerator struct {
	name   string
	number int
}

// The patterns for the names of the classes and enumerations in trtabi's tables.
var (
	interesting = regexp.MustCompile(`^(V(HostMemory|Runtime|Refitter|OptimizationProfile|` +
		`CudaEngine|ExecutionContext|EngineInspector|Tensor|Layer|NetworkDefinition|TimingCache|` +
		`BuilderConfig|Builder|Algorithm|AlgorithmContext|AlgorithmIOInfo|AlgorithmVariant|` +
		`Attention|AttentionBoundaryLayer|SerializationConfig)|IParser|IParserError|` +
		`IParserRefitter|IPluginRegistry|ILogger|IProgressMonitor|IOutputAllocator|` +
		`IDebugListener|IInt8Calibrator|IInt8LegacyCalibrator|IAlgorithmSelector)$`)
	enumerations = regexp.MustCompile(`^(BuilderFlag|NetworkDefinitionCreationFlag|TacticSource|` +
		`PreviewFeature|DataType|TensorFormat|TensorLocation|TensorIOMode|MemoryPoolType|` +
		`OptProfileSelector|ProfilingVerbosity|HardwareCompatibilityLevel|EngineCapability|` +
		`RuntimePlatform|TilingOptimizationLevel|ExecutionContextAllocationStrategy|` +
		`LayerInformationFormat|QuantizationFlag|CalibrationAlgoType|OnnxParserFlag|LayerType|` +
		`DeviceType|SerializationFlag|EngineStat)$`)
)

// read reads the declarations in the headers of a folder.
func read(folder string) (release, error) {
	r := release{classes: map[string][]string{}, enums: map[string][]enumerator{}}
	text, err := preprocess(folder)
	if err != nil {
		return r, err
	}
	for name, to := range map[string]*int{"MAJOR": &r.major, "MINOR": &r.minor} {
		found := regexp.MustCompile(`@` + name + `=(\d+)`).FindStringSubmatch(text)
		if found == nil {
			return r, fmt.Errorf("the headers define no NV_TENSORRT_%s", name)
		}
		if *to, err = strconv.Atoi(found[1]); err != nil {
			return r, err
		}
	}
	declared := declarations(text)
	for name := range declared {
		if interesting.MatchString(name) {
			r.classes[name] = table(declared, name)
		}
	}
	for name, body := range enumBodies(text) {
		r.enums[name] = enumerators(body)
	}
	if len(r.classes["VBuilder"]) == 0 || len(r.enums["BuilderFlag"]) == 0 {
		return r, errors.New("the headers do not declare a builder")
	}
	return r, nil
}

// preprocess resolves macros and conditions in the headers. The headers of the standard library and
// of CUDA do not affect the order of methods, so preprocess replaces them with empty files.
func preprocess(folder string) (string, error) {
	stand, err := os.MkdirTemp("", "headers-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(stand)
	headers, err := filepath.Glob(filepath.Join(folder, "*.h"))
	if err != nil {
		return "", err
	}
	include := regexp.MustCompile(`#\s*include\s*[<"]([^>"]+)[>"]`)
	for _, header := range headers {
		data, err := regular.Read(header)
		if err != nil {
			return "", err
		}
		for _, found := range include.FindAllSubmatch(data, -1) {
			name := string(found[1])
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				continue
			}
			path := filepath.Join(stand, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return "", err
			}
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				return "", err
			}
		}
	}
	source := "#include \"NvInfer.h\"\n"
	if _, err := os.Stat(filepath.Join(folder, "NvOnnxParser.h")); err == nil {
		source += "#include \"NvOnnxParser.h\"\n"
	}
	source += "@MAJOR=NV_TENSORRT_MAJOR\n@MINOR=NV_TENSORRT_MINOR\n"
	// -w hides a warning: one of NVIDIA's headers has a C++ digit separator, which C reads as a quote.
	command := exec.Command("cc", "-E", "-P", "-w", "-x", "c", "-nostdinc", "-D__cplusplus=201703L",
		"-I", folder, "-I", stand, "-")
	command.Stdin = strings.NewReader(source)
	command.Stderr = os.Stderr
	text, err := command.Output()
	return string(text), err
}
