package engines

import "github.com/modelparity/modelparity/internal/pip"

// WebGPU is the release of ONNX Runtime's plug-in execution provider that this version of
// modelparity was tested with. It computes on GPUs by Vulkan, or by Metal on macOS. It needs one of
// the releases of ONNX Runtime in the catalogue.
var WebGPU = Engine{
	Name: "onnxruntime_ep_webgpu", Version: "0.4.0",
	Title: "WebGPU plug-in", Flag: "webgpu",
	Variable: "MODELPARITY_WEBGPU_LIBRARY_PATH",
	Packages: map[string]Package{
		"linux/amd64": webgpu("libonnxruntime_providers_webgpu.so",
			"9f76e3dc4459421958ad086a9da03bf7e5de9289e9a3a56e28bbb459773dec81",
			"onnxruntime_ep_webgpu-0.4.0-py3-none-manylinux_2_28_x86_64.whl",
			"5d8c961eda91a88961cad1fb7621f389f006b18497d6ea9ecf96f729f066cbfb"),
		"linux/arm64": webgpu("libonnxruntime_providers_webgpu.so",
			"720e1288e7e465f924db44b88a98a9d1c543eba3fbb2ff801cf2545f5e7f0279",
			"onnxruntime_ep_webgpu-0.4.0-py3-none-manylinux_2_28_aarch64.whl",
			"17f660db53b1a509c63e721ac6784a2daa1c4e91a968523ee9986505ee5b0a55"),
		"darwin/arm64": webgpu("libonnxruntime_providers_webgpu.dylib",
			"894aa43c308c97afe58f6485b8411962181a39b27170f5f210cc7503adb52850",
			"onnxruntime_ep_webgpu-0.4.0-py3-none-macosx_14_0_universal2.whl",
			"8d0a91d44b43d931c3068b9134aed9770f27803e353c2b58c93e1700bb68bcca"),
	},
}

// webgpu describes a wheel from which setup keeps only the library and the notices.
func webgpu(library, librarySum, wheel, wheelSum string) Package {
	const notices = "onnxruntime_ep_webgpu-0.4.0.dist-info/licenses/"
	return Package{
		Wheel:   pip.Wheel{File: wheel, SHA256: wheelSum},
		Library: library,
		Files:   []File{{Member: "onnxruntime_ep_webgpu/" + library, SHA256: librarySum}},
		Notices: []string{notices + "LICENSE", notices + "ThirdPartyNotices.txt"},
	}
}
