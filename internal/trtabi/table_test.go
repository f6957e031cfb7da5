//go:build linux && cgo

package trtabi

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// facts reads a golden list that headers wrote: what stands in each line, by "class name".
func facts(t *testing.T, file string) (lines map[string][][2]int) {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines = map[string][][2]int{}
	for scanner := bufio.NewScanner(f); scanner.Scan(); {
		text := scanner.Text()
		if strings.HasPrefix(text, "#") {
			continue
		}
		var class, name string
		var number, since int
		format := "%s %d %s %d"
		to := []any{&class, &number, &name, &since}
		if strings.HasPrefix(file, "enums") {
			format = "%s %s %d %d"
			to = []any{&class, &name, &number, &since}
		}
		if _, err := fmt.Sscanf(text, format, to...); err != nil {
			t.Fatalf("%s: %q: %v", file, text, err)
		}
		lines[class+" "+name] = append(lines[class+" "+name], [2]int{number, since})
	}
	return lines
}

// headerName is how the headers spell what the table calls deleteSelf: a class outside apiv is
// deleted through its own table.
func headerName(m method) string {
	if m.name == "deleteSelf" {
		return m.class + " ~delete"
	}
	return m.class + " " + m.name
}

// checked tells whether the lists say since when a method exists: the parser's headers are only in
// some releases of NVIDIA's repository.
func checked(m method) bool { return !strings.HasPrefix(m.class, "IParser") }

func TestMethodsLieWhereTheHeadersSay(t *testing.T) {
	slots10, slots11 := facts(t, "slots-10.txt"), facts(t, "slots-11.txt")
	for _, m := range methods() {
		in10, in11 := slots10[headerName(m)], slots11[headerName(m)]
		if !slices.ContainsFunc(in10, func(f [2]int) bool {
			return f[0] == m.slot10 && (f[1] == m.since || !checked(m))
		}) {
			t.Errorf("%s.%s: slot %d in 10.x, since 10.%d; the headers say %v", m.class, m.name,
				m.slot10, m.since, in10)
		}
		if m.slot11 < 0 && len(in11) > 0 {
			t.Errorf("%s.%s is not gone from 11: the headers say %v", m.class, m.name, in11)
		}
		if m.slot11 >= 0 && !slices.ContainsFunc(in11, func(f [2]int) bool {
			return f[0] == m.slot11 && f[1] == 0
		}) {
			t.Errorf("%s.%s: slot %d in 11.x; the headers say %v", m.class, m.name, m.slot11, in11)
		}
	}
}

// Slots of the objects that TensorRT calls, as callback.c fills them.
func TestCallbacksLieWhereTheHeadersSay(t *testing.T) {
	for major, want := range map[int]map[string]int{
		10: {
			"ILogger log": 0, "IProgressMonitor phaseStart": 4, "IProgressMonitor stepComplete": 5,
			"IProgressMonitor phaseFinish": 6, "IOutputAllocator reallocateOutput": 4,
			"IOutputAllocator reallocateOutputAsync": 5, "IOutputAllocator notifyShape": 6,
			"IDebugListener processDebugTensor": 4, "IInt8Calibrator getBatchSize": 4,
			"IInt8Calibrator getBatch": 5, "IInt8Calibrator readCalibrationCache": 6,
			"IInt8Calibrator writeCalibrationCache": 7, "IInt8Calibrator getAlgorithm": 8,
			"IInt8LegacyCalibrator getQuantile": 9, "IInt8LegacyCalibrator getRegressionCutoff": 10,
			"IInt8LegacyCalibrator readHistogramCache":  11,
			"IInt8LegacyCalibrator writeHistogramCache": 12,
			"IAlgorithmSelector selectAlgorithms":       4,
			"IAlgorithmSelector reportAlgorithms":       5,
		},
		11: {
			"ILogger getInterfaceInfo": 1, "ILogger log": 4, "IProgressMonitor phaseStart": 4,
			"IProgressMonitor stepComplete": 5, "IProgressMonitor phaseFinish": 6,
			"IOutputAllocator reallocateOutput": 4, "IOutputAllocator reallocateOutputAsync": 5,
			"IOutputAllocator notifyShape": 6, "IDebugListener processDebugTensor": 4,
		},
	} {
		slots := facts(t, fmt.Sprintf("slots-%d.txt", major))
		for method, slot := range want {
			if got := slots[method]; len(got) == 0 || got[0][0] != slot {
				t.Errorf("%s of %d.x: slot %d; the headers say %v", method, major, slot, got)
			}
		}
	}
}

func TestEnumeratorsAreWhatTheHeadersSay(t *testing.T) {
	enums10, enums11 := facts(t, "enums-10.txt"), facts(t, "enums-11.txt")
	for enumeration, table := range map[string]map[string]Enumerator{
		"BuilderFlag": BuilderFlags, "NetworkDefinitionCreationFlag": NetworkFlags,
		"TacticSource": TacticSources, "PreviewFeature": PreviewFeatures,
	} {
		for name, e := range table {
			key := enumeration + " " + name
			if got := enums10[key]; len(got) == 0 || got[0] != [2]int{e.V10, e.Since} {
				t.Errorf("%s is %d since 10.%d; the headers say %v", key, e.V10, e.Since, got)
			}
			switch got := enums11[key]; {
			case e.V11 == Gone && len(got) > 0:
				t.Errorf("%s is not gone from 11: the headers say %v", key, got)
			case e.V11 != Gone && (len(got) == 0 || got[0][0] != e.V11):
				t.Errorf("%s is %d in 11; the headers say %v", key, e.V11, got)
			}
		}
	}
	for enumeration, names := range map[string][]string{
		"MemoryPoolType": MemoryPools, "TensorFormat": TensorFormats,
		"ProfilingVerbosity": Verbosities, "HardwareCompatibilityLevel": HardwareLevels,
		"EngineCapability": Capabilities, "RuntimePlatform": Platforms,
		"TilingOptimizationLevel":            TilingLevels,
		"ExecutionContextAllocationStrategy": Strategies, "OnnxParserFlag": ParserFlags,
		"LayerType": LayerTypes, "QuantizationFlag": QuantizationFlags, "DataType": DataTypes,
		"OptProfileSelector": {"MIN", "OPT", "MAX"}, "TensorLocation": {"DEVICE", "HOST"},
		"TensorIOMode": {"NONE", "INPUT", "OUTPUT"},
		"CalibrationAlgoType": {"LEGACY_CALIBRATION", "ENTROPY_CALIBRATION",
			"ENTROPY_CALIBRATION_2", "MINMAX_CALIBRATION"},
		"DeviceType": {"GPU", "DLA"}, "LayerInformationFormat": {"ONELINE", "JSON"},
		"SerializationFlag": {"EXCLUDE_WEIGHTS"},
	} {
		for number, name := range names {
			key := enumeration + " " + name
			found := false
			for _, lists := range []map[string][][2]int{enums10, enums11} {
				for _, got := range lists[key] {
					found = true
					if got[0] != number {
						t.Errorf("%s is %d; the headers say %v", key, number, got)
					}
				}
			}
			if !found {
				t.Errorf("the headers have no %s", key)
			}
		}
	}
}

// Every row that is not in all releases is a VARIES row: an ALWAYS row is called without asking.
func TestOnlyTheRestVaries(t *testing.T) {
	always := strings.Count(string(readTable(t)), "\nALWAYS(")
	n := 0
	for _, m := range methods() {
		if m.since == 0 && m.slot11 >= 0 {
			n++
		}
	}
	if n != always {
		t.Errorf("%d methods are in every release, and %d rows say ALWAYS", n, always)
	}
}

func readTable(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("methods.h")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Every row is called, because an unused row cannot be trusted.
func TestEveryMethodIsCalled(t *testing.T) {
	calls := map[string]bool{}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") {
			continue
		}
		data, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range methods() {
			if strings.Contains(string(data), "C."+m.class+"_"+m.name+"(") {
				calls[m.class+"."+m.name] = true
			}
		}
	}
	for _, m := range methods() {
		if !calls[m.class+"."+m.name] {
			t.Errorf("%s.%s is in the table and nowhere called", m.class, m.name)
		}
	}
	if len(calls) == 0 {
		t.Error(slices.Collect(maps.Keys(calls)))
	}
}
