package engines

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/pip"
)

// Catalogue lists the engines that setup can fetch, in display order.
func Catalogue() []Engine { return slices.Clone(catalogue) }

// Names returns the names of the engines in the catalogue, in display order.
func Names() (names []string) {
	for _, e := range catalogue {
		names = append(names, e.Name)
	}
	return names
}

var catalogue = []Engine{ONNXRuntime, OpenVINO, Tract, GenAI, WebGPU}

// ONNXRuntime is the release that this version of modelparity was tested with.
var ONNXRuntime = onnxRuntimes[slices.IndexFunc(onnxRuntimes,
	func(e Engine) bool { return e.Version == "1.31.1" })]

// wheel describes a wheel from which setup keeps only a library and the notices. The fields are the
// base name and checksum of the library, and the file name and checksum of the wheel. The library
// is the same in the wheels for all Python versions, so one wheel per platform is enough.
type wheel struct{ library, librarySum, file, fileSum string }

// packages returns an engine's packages by platform. member is the wheel's folder that contains the
// library, with a slash at the end.
func packages(member string, wheels map[string]wheel, notices ...string) map[string]Package {
	all := map[string]Package{}
	for platform, w := range wheels {
		all[platform] = Package{Wheel: pip.Wheel{File: w.file, SHA256: w.fileSum}, Library: w.library,
			Files: []File{{Member: member + w.library, SHA256: w.librarySum}}, Notices: notices}
	}
	return all
}

// sums contains the checksums of a wheel and of its library.
type sums struct{ wheel, library string }

// onnxRuntime describes a release of ONNX Runtime. The file name of a wheel for Linux lists two
// versions of glibc: 2_28 and an older one, which is the parameter glibc. If there is no older one,
// glibc is 2_28.
func onnxRuntime(version, glibc string, platforms map[string]sums) Engine {
	wheels := map[string]wheel{}
	for platform, s := range platforms {
		library, tag := "libonnxruntime.so."+version, "manylinux_2_28_x86_64"
		switch platform {
		case "linux/arm64":
			tag = "manylinux_2_28_aarch64"
		case "darwin/arm64":
			library, tag = "libonnxruntime."+version+".dylib", "macosx_14_0_arm64"
		}
		if older := strings.Replace(tag, "2_28", glibc, 1); older != tag {
			tag = older + "." + tag
		}
		wheels[platform] = wheel{library, s.library,
			"onnxruntime-" + version + "-cp312-cp312-" + tag + ".whl", s.wheel}
	}
	return Engine{Name: "onnxruntime", Version: version, Title: "ONNX Runtime", Flag: "onnxrt",
		Variable: "ONNXRUNTIME_SHARED_LIBRARY_PATH", Packages: packages("onnxruntime/capi/", wheels,
			"onnxruntime/LICENSE", "onnxruntime/ThirdPartyNotices.txt")}
}

// Releases returns the releases of an engine that match any of the words, oldest first. A word may
// be a release ("1.24.4"), a release without a patch number, which means all its patches ("1.26"),
// a range that includes both ends ("1.24..1.31"), or a list of these, separated by commas. Without
// words, Releases returns all.
func Releases(name string, words ...string) ([]Engine, error) {
	known := slices.Clone(onnxRuntimes)
	if name != ONNXRuntime.Name {
		known = slices.DeleteFunc(Catalogue(), func(e Engine) bool { return e.Name != name })
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("unknown engine %q", name)
	}
	named := make([]bool, len(known))
	for _, word := range strings.Split(strings.Join(words, ","), ",") {
		from, to, _ := strings.Cut(word, "..")
		first, last := slices.IndexFunc(known, release(from)), -1
		for i, e := range known {
			if release(cmp.Or(to, from))(e) {
				last = i
			}
		}
		switch {
		case len(words) == 0:
			return known, nil
		case first < 0 || last < 0:
			return nil, fmt.Errorf("unknown release %s of %s; this version of modelparity knows %s to %s",
				names.Line(word), name, known[0].Version, known[len(known)-1].Version)
		case first > last:
			return nil, fmt.Errorf("the range %s ends before it begins; write %s..%s", word, to, from)
		}
		for i := first; i <= last; i++ {
			named[i] = true
		}
	}
	var list []Engine
	for i, e := range known {
		if named[i] {
			list = append(list, e)
		}
	}
	return list, nil
}

// release returns a function that reports whether an engine has the given version, or a more
// specific one, such as 1.26.1 for 1.26.
func release(version string) func(Engine) bool {
	return func(e Engine) bool {
		return e.Version == version || strings.HasPrefix(e.Version, version+".")
	}
}

// Release returns the given release of an engine.
func Release(name, version string) (Engine, error) {
	list, err := Releases(name, version)
	if err == nil && list[0].Version != version {
		err = fmt.Errorf("%s does not name a single release of %s; write a full version, such as %s",
			version, name, list[0].Version)
	}
	if err != nil {
		return Engine{}, err
	}
	return list[0], nil
}

// Tract is the release that this version of modelparity was tested with. The project publishes no
// wheel for Linux on arm64. The wheel's METADATA is kept as the notice, because it names the
// licences, Apache-2.0 or MIT.
var Tract = Engine{
	Name: "tract", Version: "0.23.9",
	Title: "tract", Flag: "tract", Variable: "MODELPARITY_TRACT_LIBRARY_PATH",
	Packages: packages("tract/", map[string]wheel{
		"linux/amd64": {"tract.cpython-312-x86_64-linux-gnu.so",
			"790edfda97f4820b4e43eb17452b221ea91dc1bc26bc6ea425991bcd75d66c4b",
			"tract-0.23.9-cp312-cp312-manylinux_2_28_x86_64.whl",
			"45a319bb19be6d2df3ba18bdfd99606a5e39405bca6d28314a3949da4d85ba1a"},
		"darwin/arm64": {"tract.cpython-312-darwin.so",
			"c2ecbc07756fdcd0f420c25c0968da3c4894d3b2b5f6382891c8cb2734f45ab3",
			"tract-0.23.9-cp312-cp312-macosx_11_0_arm64.whl",
			"12beb54d6f870e53edb97c9eb95f67445c5e36353ee5b0c0d4ad8784cdb28ce2"},
		"darwin/amd64": {"tract.cpython-312-darwin.so",
			"aed8011f35f2efaed2ab98d81d9b29491e3c3747a73ca2f8081acb0ef5d4b4b6",
			"tract-0.23.9-cp312-cp312-macosx_10_13_x86_64.whl",
			"45218ba6619d2c8526422f770ca46c3530055f42c8c330e57981989fc583caeb"},
	}, "tract-0.23.9.dist-info/METADATA"),
}

// GenAI is the release of ONNX Runtime GenAI that this version of modelparity was tested with. It
// needs one of the releases of ONNX Runtime in the catalogue.
var GenAI = Engine{
	Name: "onnxruntime_genai", Version: "0.18.0",
	Title: "ONNX Runtime GenAI", Flag: "genai", Variable: "MODELPARITY_GENAI_LIBRARY_PATH",
	Packages: packages("onnxruntime_genai/", map[string]wheel{
		"linux/amd64": {"libonnxruntime-genai.so",
			"467e67ecac16c5ea00d52a891a3dd1645f79f249fde8ed63d9b4b65f286d23bf",
			"onnxruntime_genai-0.18.0-cp312-cp312-manylinux_2_28_x86_64.whl",
			"6df22d9d74a86409cf06f6af0045b999524941426dab6eba4f937ef2aed513a7"},
		"linux/arm64": {"libonnxruntime-genai.so",
			"44031a31f3e31c0a88db1f17f887f447d80b4fc9bf84a4ba689d4afabb3c6a12",
			"onnxruntime_genai-0.18.0-cp312-cp312-manylinux_2_28_aarch64.whl",
			"8c5af57dac86f0d0d19dc205a21119d07b438d4389f75b793462a6d877a59adc"},
		"darwin/arm64": {"libonnxruntime-genai.dylib",
			"a52b6a9ebf85caddeeab74e8339681c4d43fe1aa2c16e0ab9d0182f15a2d1201",
			"onnxruntime_genai-0.18.0-cp312-cp312-macosx_12_0_arm64.whl",
			"6c151ca64e1cfcbbad65fb39dd698c0c3cb82b265129743ba82d6c1691411b49"},
	}, "onnxruntime_genai/LICENSE", "onnxruntime_genai/ThirdPartyNotices.txt"),
}

// WebGPU is the release of ONNX Runtime's plug-in execution provider that this version of
// modelparity was tested with. The provider computes on GPUs through Vulkan, or through Metal on
// macOS. It needs one of the releases of ONNX Runtime in the catalogue.
var WebGPU = Engine{
	Name: "onnxruntime_ep_webgpu", Version: "0.4.0",
	Title: "WebGPU plug-in", Flag: "webgpu",
	Variable: "MODELPARITY_WEBGPU_LIBRARY_PATH",
	Packages: packages("onnxruntime_ep_webgpu/", map[string]wheel{
		"linux/amd64": {"libonnxruntime_providers_webgpu.so",
			"9f76e3dc4459421958ad086a9da03bf7e5de9289e9a3a56e28bbb459773dec81",
			"onnxruntime_ep_webgpu-0.4.0-py3-none-manylinux_2_28_x86_64.whl",
			"5d8c961eda91a88961cad1fb7621f389f006b18497d6ea9ecf96f729f066cbfb"},
		"linux/arm64": {"libonnxruntime_providers_webgpu.so",
			"720e1288e7e465f924db44b88a98a9d1c543eba3fbb2ff801cf2545f5e7f0279",
			"onnxruntime_ep_webgpu-0.4.0-py3-none-manylinux_2_28_aarch64.whl",
			"17f660db53b1a509c63e721ac6784a2daa1c4e91a968523ee9986505ee5b0a55"},
		"darwin/arm64": {"libonnxruntime_providers_webgpu.dylib",
			"894aa43c308c97afe58f6485b8411962181a39b27170f5f210cc7503adb52850",
			"onnxruntime_ep_webgpu-0.4.0-py3-none-macosx_14_0_universal2.whl",
			"8d0a91d44b43d931c3068b9134aed9770f27803e353c2b58c93e1700bb68bcca"},
	}, "onnxruntime_ep_webgpu-0.4.0.dist-info/licenses/LICENSE",
		"onnxruntime_ep_webgpu-0.4.0.dist-info/licenses/ThirdPartyNotices.txt"),
}
