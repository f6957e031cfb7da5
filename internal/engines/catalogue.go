package engines

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/pip"
)

// Catalogue lists the engines that setup can fetch, in display order.
func Catalogue() []Engine { return slices.Clone(catalogue) }

var catalogue = []Engine{ONNXRuntime, OpenVINO, Tract, GenAI, WebGPU}

// ONNXRuntime is the release that this version of modelparity was tested with. Its library is the
// same in the wheels for all Python versions, so one wheel per platform is enough.
var ONNXRuntime = Engine{
	Name: "onnxruntime", Version: "1.31.1",
	Title: "ONNX Runtime", Flag: "onnxrt", Variable: "ONNXRUNTIME_SHARED_LIBRARY_PATH",
	Packages: map[string]Package{
		"linux/amd64": onnxruntime("libonnxruntime.so.1.31.1",
			"fc44112fbe06d7d689c57e11d3862031f64711007e4ee020f8eed5185fd2c1d3",
			"onnxruntime-1.31.1-cp312-cp312-manylinux_2_28_x86_64.whl",
			"1f3dea47f2f0e5117c2404cea7d21fd253ae7836a3bf167a501cdfbb2600d536"),
		"linux/arm64": onnxruntime("libonnxruntime.so.1.31.1",
			"8aa3b76b28c778a2b1dd660d34161adb1d508c9ccd04ff9dc80e26eca5df8467",
			"onnxruntime-1.31.1-cp312-cp312-manylinux_2_28_aarch64.whl",
			"0b9a492176886992e0e875f06bc0367e333f5fff11711a2d642e18b02f3009cc"),
		"darwin/arm64": onnxruntime("libonnxruntime.1.31.1.dylib",
			"d586cbe89effc085a09d3341b3cfbd5c322517f9d397aeb20814af21433f2b36",
			"onnxruntime-1.31.1-cp312-cp312-macosx_14_0_arm64.whl",
			"96dd2564b10ea7153ad9c207e7cd8e5917cb3ba521e0e0a62ac03486fdc8d56c"),
	},
}

// Earlier lists older releases that setup can fetch by name. Golden files made with them show what
// an upgrade changes.
func Earlier() []Engine { return slices.Clone(earlier) }

// earlier holds the oldest release of ONNX Runtime that this version of modelparity supports.
var earlier = []Engine{{
	Name: "onnxruntime", Version: "1.24.4",
	Title: "ONNX Runtime", Flag: "onnxrt", Variable: "ONNXRUNTIME_SHARED_LIBRARY_PATH",
	Packages: map[string]Package{
		"linux/amd64": onnxruntime("libonnxruntime.so.1.24.4",
			"2d518e11c7767f9fdc4413bdbeb45acf30db504ff76a82fc19d9238a3f9f6c24",
			"onnxruntime-1.24.4-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
			"0d640eb9f3782689b55cfa715094474cd5662f2f137be6a6f847a594b6e9705c"),
		"linux/arm64": onnxruntime("libonnxruntime.so.1.24.4",
			"f373ae5fd4d878ed17ebea26e5480bd3d0a15e3bd6bc94b878e6c1b73998d22a",
			"onnxruntime-1.24.4-cp312-cp312-manylinux_2_27_aarch64.manylinux_2_28_aarch64.whl",
			"1a5c5a544b22f90859c88617ecb30e161ee3349fcc73878854f43d77f00558b5"),
		"darwin/arm64": onnxruntime("libonnxruntime.1.24.4.dylib",
			"f958c8c8f50a787f64cd13aa5f07710b97075d9869c6983dc0001d2452100eaa",
			"onnxruntime-1.24.4-cp312-cp312-macosx_14_0_arm64.whl",
			"cad1c2b3f455c55678ab2a8caa51fb420c25e6e3cf10f4c23653cdabedc8de78"),
	},
}}

// Release returns the given release of an engine, from the catalogue or from [Earlier].
func Release(name, version string) (Engine, error) {
	var known []string
	for _, e := range append(Catalogue(), earlier...) {
		if e.Name != name {
			continue
		}
		if e.Version == version {
			return e, nil
		}
		known = append(known, e.Version)
	}
	if known == nil {
		return Engine{}, fmt.Errorf("unknown engine %q", name)
	}
	return Engine{}, fmt.Errorf("unknown release %s of %s; this modelparity supports %s", version,
		name, strings.Join(known, ", "))
}

// onnxruntime describes a wheel from which setup keeps only the library and the notices.
func onnxruntime(library, librarySum, wheel, wheelSum string) Package {
	return Package{
		Wheel:   pip.Wheel{File: wheel, SHA256: wheelSum},
		Library: library,
		Files:   []File{{Member: "onnxruntime/capi/" + library, SHA256: librarySum}},
		Notices: []string{"onnxruntime/LICENSE", "onnxruntime/ThirdPartyNotices.txt"},
	}
}

// Tract is the release that this version of modelparity was tested with. Its library is the same in
// the wheels for all Python versions on a platform. The project publishes no wheel for Linux on
// arm64.
var Tract = Engine{
	Name: "tract", Version: "0.23.9",
	Title: "tract", Flag: "tract", Variable: "MODELPARITY_TRACT_LIBRARY_PATH",
	Packages: map[string]Package{
		"linux/amd64": tract("tract.cpython-312-x86_64-linux-gnu.so",
			"790edfda97f4820b4e43eb17452b221ea91dc1bc26bc6ea425991bcd75d66c4b",
			"tract-0.23.9-cp312-cp312-manylinux_2_28_x86_64.whl",
			"45a319bb19be6d2df3ba18bdfd99606a5e39405bca6d28314a3949da4d85ba1a"),
		"darwin/arm64": tract("tract.cpython-312-darwin.so",
			"c2ecbc07756fdcd0f420c25c0968da3c4894d3b2b5f6382891c8cb2734f45ab3",
			"tract-0.23.9-cp312-cp312-macosx_11_0_arm64.whl",
			"12beb54d6f870e53edb97c9eb95f67445c5e36353ee5b0c0d4ad8784cdb28ce2"),
		"darwin/amd64": tract("tract.cpython-312-darwin.so",
			"aed8011f35f2efaed2ab98d81d9b29491e3c3747a73ca2f8081acb0ef5d4b4b6",
			"tract-0.23.9-cp312-cp312-macosx_10_13_x86_64.whl",
			"45218ba6619d2c8526422f770ca46c3530055f42c8c330e57981989fc583caeb"),
	},
}

// tract describes a wheel from which setup keeps only the library and the metadata. The metadata
// names the licences, Apache-2.0 or MIT.
func tract(library, librarySum, wheel, wheelSum string) Package {
	return Package{
		Wheel:   pip.Wheel{File: wheel, SHA256: wheelSum},
		Library: library,
		Files:   []File{{Member: "tract/" + library, SHA256: librarySum}},
		Notices: []string{"tract-0.23.9.dist-info/METADATA"},
	}
}

// GenAI is the release of ONNX Runtime GenAI that this version of modelparity was tested with. Its
// library is the same in the wheels for all Python versions. It needs one of the releases of ONNX
// Runtime above.
var GenAI = Engine{
	Name: "onnxruntime_genai", Version: "0.18.0",
	Title: "ONNX Runtime GenAI", Flag: "genai", Variable: "MODELPARITY_GENAI_LIBRARY_PATH",
	Packages: map[string]Package{
		"linux/amd64": genai("libonnxruntime-genai.so",
			"467e67ecac16c5ea00d52a891a3dd1645f79f249fde8ed63d9b4b65f286d23bf",
			"onnxruntime_genai-0.18.0-cp312-cp312-manylinux_2_28_x86_64.whl",
			"6df22d9d74a86409cf06f6af0045b999524941426dab6eba4f937ef2aed513a7"),
		"linux/arm64": genai("libonnxruntime-genai.so",
			"44031a31f3e31c0a88db1f17f887f447d80b4fc9bf84a4ba689d4afabb3c6a12",
			"onnxruntime_genai-0.18.0-cp312-cp312-manylinux_2_28_aarch64.whl",
			"8c5af57dac86f0d0d19dc205a21119d07b438d4389f75b793462a6d877a59adc"),
		"darwin/arm64": genai("libonnxruntime-genai.dylib",
			"a52b6a9ebf85caddeeab74e8339681c4d43fe1aa2c16e0ab9d0182f15a2d1201",
			"onnxruntime_genai-0.18.0-cp312-cp312-macosx_12_0_arm64.whl",
			"6c151ca64e1cfcbbad65fb39dd698c0c3cb82b265129743ba82d6c1691411b49"),
	},
}

// genai describes a wheel from which setup keeps only the library and the notices.
func genai(library, librarySum, wheel, wheelSum string) Package {
	return Package{
		Wheel:   pip.Wheel{File: wheel, SHA256: wheelSum},
		Library: library,
		Files:   []File{{Member: "onnxruntime_genai/" + library, SHA256: librarySum}},
		Notices: []string{"onnxruntime_genai/LICENSE", "onnxruntime_genai/ThirdPartyNotices.txt"},
	}
}
