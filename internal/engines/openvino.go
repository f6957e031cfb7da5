package engines

import (
	"strings"

	"github.com/modelparity/modelparity/internal/pip"
)

// OpenVINO is the release that this version of modelparity was tested with. Its libraries are the
// same in the wheels for all Python versions. Of the wheel's 178 MB, setup keeps 103 MB: the CPU
// plugin, the plugins for virtual devices, and the frontends for ONNX, IR, TensorFlow, TensorFlow
// Lite and PaddlePaddle. Users with an Intel GPU or NPU install the whole wheel themselves.
var OpenVINO = Engine{
	Name: "openvino", Version: "2026.4.1",
	Title: "OpenVINO", Flag: "openvino", Variable: "MODELPARITY_OPENVINO_LIBRARY_PATH",
	Packages: map[string]Package{
		"linux/amd64": openvino("linux/amd64", "manylinux_2_28_x86_64.whl",
			"6b4375c17ddcac83a5180349e2e2bb811185c261066e2a920659892d58ef0e3b"),
		"linux/arm64": openvino("linux/arm64", "manylinux_2_35_aarch64.whl",
			"82efccb2f9f1bdc7e5a1996e05a3b719ebff9232dd54b44150d6d2e983a86b7d"),
		"darwin/arm64": openvino("darwin/arm64", "macosx_11_0_arm64.whl",
			"726ac547b8474a5e7b145bc1ae5a8bb6fbcbb60b79bd9a611c67eec2c74b7a5f"),
	},
}

// openvinoFiles lists the libraries in OpenVINO's wheels: their names on Linux and on macOS, and
// their checksums by platform; "" means that the wheel lacks the library.
var openvinoFiles = []struct{ linux, darwin, linuxAMD64, linuxARM64, darwinARM64 string }{
	{"libhwloc.so.15", "libhwloc.dylib",
		"e91be9f5bc1c87aadb08f2e19ebcb742979adda0a5434f72650a154e317e7fb1",
		"1a676211ff976f372092cc7946f7283fd3cdf68a35710b841dfec07b2d1dbf1a",
		"a0ad981b16ffc476471b0d91ccaaf38fc06119098c1a7ceee1763f408cd4b5b8"},
	{"libopenvino.so.2641", "libopenvino.2641.dylib",
		"9b9a80ac1f18e07b13ed54459d9a865bcfe9dc170dbf8fe740c2974b85ecedc1",
		"4a4ce9bb19ab78288b36ff39cbfebf1307c6b1ffda953b0c2b32129a8e89f04a",
		"319dad5cce5990d31151e57af87d41f0f099bfd24b87b2409180f0da47aee910"},
	{"libopenvino_arm_cpu_plugin.so", "libopenvino_arm_cpu_plugin.so",
		"",
		"839cb0653151d0962e13a129b7b1ad2ffc700b5a1472e847cdcb83e523cf424e",
		"9492edf670e0b7828f7bd2438258350c7b83f696b9cded0d8098acc46c1c1f04"},
	{"libopenvino_auto_batch_plugin.so", "libopenvino_auto_batch_plugin.so",
		"1e7102276dd42ef917078a09be4f1838c41c3611ca2e10c34fb7ea31f1fef561",
		"53545e72014ab268a3a02a50dd2c9d7d978fa55e712e05aa651512634fbc3fd0",
		"19f2901463d2fff717ac90da7e09bd822a14924b8a5f1b92553a7a68d2a9e6b9"},
	{"libopenvino_auto_plugin.so", "libopenvino_auto_plugin.so",
		"3971fe197490e31479727aa761e8abc972f7967f67eaa39cac75859f1e19e017",
		"eac9638b51bf4f9fe9652504de4179126b85f73a0ac0493487a8de6f910b7228",
		"02f0961b8e97e731a8155c9b9f5caab297bb58b5bbbf33af0d2242f229cfc840"},
	{"libopenvino_c.so.2641", "libopenvino_c.2641.dylib",
		"d2d0836d422b21fc5da2739af0d6035df3fc6dd5e4756402eb848974edecf8a5",
		"dfb34063847add4fe0689583633e74b69d7844e9e5a4b085476b0861c0b28f51",
		"91bbdc63cf27cffb40a049b14d2f66208253b7d36612d9654c72e972aaea8179"},
	{"libopenvino_hetero_plugin.so", "libopenvino_hetero_plugin.so",
		"387eec6f2341230ceb13e1cca0476fcee87ca0e9e2386e2a9db00e6cea8378a9",
		"256a5db47e8a2a0dd9625532fb38c38d89f31dc8896299d8e6e17f6c4fdf3142",
		"f7ff7f610c5b4f23e74bd25b1df769512d291c6afefacd1097532b344d80dca3"},
	{"libopenvino_intel_cpu_plugin.so", "libopenvino_intel_cpu_plugin.so",
		"6599e3dd300d047b5ed72f8e48101c5f312c25321f35f57f803641ff8372900b",
		"",
		""},
	{"libopenvino_ir_frontend.so.2641", "libopenvino_ir_frontend.2641.dylib",
		"554e9fd3d4a0fbc587c14379464b2324e24b8ea736cfb749ad2cd9e74dfc09e0",
		"0c1e737e93e78b5ffaf854d830140d2d84046847e19cd5226a1aff1c56be4431",
		"27b8d985caf6165594f6323781cb7ae181779f12d374ef9db23f8597b2248858"},
	{"libopenvino_onnx_frontend.so.2641", "libopenvino_onnx_frontend.2641.dylib",
		"82d499f5b5e8514def7aaa1ecd5a9f570542d33ae9d00a0077f707cccd0e0192",
		"2ea8eb7270401e9a1ccf4de9f5fc4bcb3177d00f431a8e9bfa24dfe19b7a4578",
		"af2f8809719351a0a497e476e067da0e81e84747d7ac918001d815b592770f2c"},
	{"libopenvino_paddle_frontend.so.2641", "libopenvino_paddle_frontend.2641.dylib",
		"ab5ec31375add963e9ec7dc34793061c5c8851c5f97a9c0e78b487d99b27e148",
		"38245152a3d804f4c0bd95ec06ecb53ecc070b0ab7555801e3bb03a89eab31c2",
		"8308411114ba1863dc664a8cf1765976821b7305b8058afe92fc53e562c7c7c6"},
	{"libopenvino_tensorflow_frontend.so.2641", "libopenvino_tensorflow_frontend.2641.dylib",
		"4f1d789e3bfad9270ad726c8edf3764113415df3b3531a132cafb6527bea1796",
		"d9e7c0ad53e96664f9927cc4183aeab11d977a9f952c6fc7bac9a432a9ee34db",
		"5f2c12f117f43e42cf2b445b3f1dae38c73f10fd49f9b12ec7a4f09b2b9177b1"},
	{"libopenvino_tensorflow_lite_frontend.so.2641", "libopenvino_tensorflow_lite_frontend.2641.dylib",
		"37c15a95dad43623cbefa23fc23370bdc20e5c757ba35a04f846e8ac227a0ed6",
		"ab826dc46c822a2af5922cd09dab50583ee412d63de3b935a987015f8bd29fda",
		"72ba90777b03ed3dcee7f76795c03e155c406e3e27ff7eff5dd71d4860478c6f"},
	{"libtbb.so.12", "libtbb.12.dylib",
		"ac9518497a4f2cb6729792730f145ee58367316031511923fef263c9ac81ca61",
		"07ad125a3e19dbc40cf74ea6d4bd4c67ad7df5aaff9611178eea99592bc7a921",
		"683e0ffc1ea6ee8a5b8549c3dad02451cb5de32864971a206dc8c8373e0255c1"},
	{"libtbbbind_2_5.so.3", "libtbbbind_2_5.3.dylib",
		"179ebd1223abd20a461dc978f24090d7ef7c1308b8dff14e4adfe4a21d75543f",
		"f9da5eebe1266d410886c5786a24aaa1bfc6359fffa74902b76466d6ea1f1138",
		"52645687806d82214a97d5f4493ea85be79b633acab7a8d2157ce8e981181b9a"},
	{"libtbbmalloc.so.2", "libtbbmalloc.2.dylib",
		"0cccbdb4783bf190da19b34540fb7f749b0955ec1982d7ac8e5f398365399895",
		"bca9902d8052b83cf3c23bed67504dfabe7880c6560a7d3de79b81bdb88ba17f",
		"146b292ab8a96b875b026abce06bf4d61a693cdaa661f86b3cb60c7747f788ba"},
}

// openvino returns the package for one platform. tag is the end of the wheel's file name.
func openvino(platform, tag, wheelSum string) Package {
	p := Package{Wheel: pip.Wheel{File: "openvino-2026.4.1-22982-cp312-cp312-" + tag,
		SHA256: wheelSum}}
	for _, file := range openvinoFiles {
		name, sum := file.linux, file.linuxAMD64
		switch platform {
		case "linux/arm64":
			sum = file.linuxARM64
		case "darwin/arm64":
			name, sum = file.darwin, file.darwinARM64
		}
		if strings.HasPrefix(name, "libopenvino_c.") {
			p.Library = name
		}
		if sum != "" {
			p.Files = append(p.Files, File{Member: "openvino/libs/" + name, SHA256: sum})
		}
	}
	for _, notice := range []string{"LICENSE", "licensing/onednn_third-party-programs.txt",
		"licensing/onetbb_third-party-programs.txt", "licensing/runtime-third-party-programs.txt"} {
		p.Notices = append(p.Notices, "openvino-2026.4.1.dist-info/licenses/"+notice)
	}
	return p
}
