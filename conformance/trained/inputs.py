"""Inputs that make sense to the networks: a voice, a page, text; the same on every call.

Where a network reads another one's output, ONNX Runtime makes it.
"""

import functools
import io

import numpy as np

# A glyph has seven rows of five bits.
GLYPHS = {
    "A": (14, 17, 17, 31, 17, 17, 17), "D": (30, 17, 17, 17, 17, 17, 30),
    "E": (31, 16, 16, 30, 16, 16, 31), "U": (17, 17, 17, 17, 17, 17, 14),
    "I": (14, 4, 4, 4, 4, 4, 14), "L": (16, 16, 16, 16, 16, 16, 31),
    "M": (17, 27, 21, 21, 17, 17, 17), "N": (17, 25, 21, 19, 17, 17, 17),
    "O": (14, 17, 17, 17, 17, 17, 14), "P": (30, 17, 17, 30, 16, 16, 16),
    "R": (30, 17, 17, 30, 20, 18, 17), "S": (15, 16, 16, 14, 1, 1, 30),
    "T": (31, 4, 4, 4, 4, 4, 4), "Y": (17, 17, 10, 4, 4, 4, 4),
    "0": (14, 17, 19, 21, 25, 17, 14), "2": (14, 17, 1, 6, 8, 16, 31),
    "4": (2, 6, 10, 18, 31, 2, 2), "8": (14, 17, 17, 14, 17, 17, 14), " ": (0,) * 7,
}
SOURCE = b"""package main

import "fmt"

// primes returns the primes below n, by the sieve of Eratosthenes.
func primes(n int) (found []int) {
\tcrossed := make([]bool, n)
\tfor i := 2; i < n; i++ {
\t\tif crossed[i] {
\t\t\tcontinue
\t\t}
\t\tfound = append(found, i)
\t\tfor j := i * i; j < n; j += i {
\t\t\tcrossed[j] = true
\t\t}
\t}
\treturn found
}

func main() { fmt.Println(primes(1000)) }
"""
# "The boy went to school and read the new book in the library." in the three vocabularies.
ARABIC = [33, 50, 25, 1, 24, 47, 51, 47, 32, 1, 22, 47, 52, 1, 24, 47, 48, 32, 34, 36, 26, 1, 51,
          45, 34, 20, 1, 24, 47, 46, 27, 24, 25, 1, 24, 47, 29, 32, 53, 32, 1, 44, 53, 1, 24, 47,
          48, 46, 27, 25, 26, 8]
RAWI = [159, 177, 151, 3, 150, 174, 178, 174, 158, 3, 150, 174, 179, 3, 150, 174, 175, 158, 160,
        162, 152, 3, 178, 172, 160, 150, 3, 150, 174, 173, 153, 150, 151, 3, 150, 174, 155, 158,
        180, 158, 3, 171, 180, 3, 150, 174, 175, 173, 153, 151, 152, 17]
# "The boy read a book.", as nakdimon counts the letters.
HEBREW = [20, 27, 23, 18, 4, 38, 37, 16, 4, 34, 36, 37, 12]
# "Summarize: fix the failing test of the parser, …" and "Fix the failing parser test".
ENGLISH = [12198, 1635, 1737, 10, 2210, 8, 12385, 794, 13, 8, 260, 7, 49, 6, 258, 2270, 8, 483,
           4303, 11, 1576, 1]
TITLE = [0, 14269, 8, 12385, 260, 7, 49, 794]


def voice(seconds, rate=16000):
    """A voice that says vowels in syllables, between -1 and 1: harmonics under formants."""
    t = np.arange(int(seconds * rate)) / rate
    pitch = 2 * np.pi * np.cumsum(130 + 20 * np.sin(2 * np.pi * 1.3 * t)) / rate
    vowels = ((730, 1090, 2440), (270, 2290, 3010), (570, 840, 2410), (530, 1840, 2480))
    which = (t * 4).astype(int) % len(vowels)
    sound = np.zeros_like(t)
    for harmonic in range(1, 28):
        gain = sum(1 / (1 + ((harmonic * 130 - np.array([v[k] for v in vowels])) / 120) ** 2)
                   / (k + 1) for k in range(3))
        sound += gain[which] * np.sin(harmonic * pitch)
    sound *= np.sin(np.pi * (t * 4 % 1)) ** 0.5
    sound += 0.01 * np.random.RandomState(1).standard_normal(len(t))
    return (0.6 * sound / np.abs(sound).max()).astype(np.float32)


def chord(samples, rate=22050):
    t = np.arange(samples) / rate
    sound = sum(np.sin(2 * np.pi * f * h * t) / h ** 1.5
                for f in (220, 277.18, 329.63) for h in range(1, 8))
    sound *= np.exp(-3 * (t % 0.5))
    return (0.5 * sound / np.abs(sound).max()).astype(np.float32)


def mels(sound, bands, fft, window, hop, frames, rate=16000, top=8000):
    """The natural logarithm of mel energies, frame by frame."""
    mel = np.linspace(0, 2595 * np.log10(1 + top / 700), bands + 2)
    edges, bins = 700 * (10 ** (mel / 2595) - 1), np.linspace(0, rate / 2, fft // 2 + 1)
    rising = (bins - edges[:-2, None]) / np.diff(edges)[:-1, None]
    falling = (edges[2:, None] - bins) / np.diff(edges)[1:, None]
    filters = np.clip(np.minimum(rising, falling), 0, None)
    pieces = np.stack([sound[i * hop:i * hop + window] for i in range(frames)])
    power = np.abs(np.fft.rfft(pieces * np.hanning(window), fft)) ** 2
    return np.log(np.maximum(power @ filters.T, 1e-6)).astype(np.float32)


def landscape(height, width):
    """Sky, a sun, hills and grain; red, green and blue from 0 to 255."""
    y, x = np.mgrid[:height, :width] / np.array([height, width])[:, None, None]
    picture = np.stack([90 + 80 * y, 140 + 60 * y, 230 - 40 * y])
    sun = (x - 0.7) ** 2 + (y - 0.25) ** 2 < 0.01
    picture[:, sun] = np.array([250, 230, 120])[:, None]
    for level, colour in ((0.55, (70, 110, 60)), (0.75, (40, 80, 40))):
        hill = y > level + 0.08 * np.sin(9 * x * level + 4 * level)
        picture[:, hill] = np.array(colour)[:, None] * (0.7 + 0.3 * np.sin(40 * x[hill]) ** 2)
    return np.clip(picture + np.random.RandomState(2).standard_normal(picture.shape) * 4, 0, 255)


def line(text, height, width):
    """Dark text on light paper: red, green and blue from 0 to 255."""
    scale = max(1, height // 11)
    bits = [[GLYPHS[g][row] >> 4 - b & 1 if b < 5 else 0 for g in text for b in range(6)]
            for row in range(7)]
    ink = np.kron(bits, np.ones((scale, scale)))[:height, :width - 2 * scale]
    paper = np.full((height, width), 235.0)
    top = (height - ink.shape[0]) // 2
    paper[top:top + ink.shape[0], scale:scale + ink.shape[1]] -= 200 * ink
    paper += np.random.RandomState(3).standard_normal(paper.shape) * 3
    return np.clip(np.stack([paper] * 3), 0, 255)


def page(height, width):
    """Lines of text, and a picture at the bottom."""
    sheet, step = np.full((3, height, width), 235.0), max(height // 12, 14)
    for k, top in enumerate(range(step, height * 2 // 3 - step, 2 * step)):
        text = ("PARITY 2048 NOISE", "ONE MODEL TESTS", "SAME INPUTS")[k % 3]
        sheet[:, top:top + step] = line(text, step, width)
    corner = height * 2 // 3, width // 4
    sheet[:, corner[0]:height - step, corner[1]:-corner[1]] = landscape(
        height - step - corner[0], width - 2 * corner[1])
    return sheet


def centred(picture):
    """From -1 to 1, as a batch of one."""
    return ((picture / 255 - 0.5) / 0.5).astype(np.float32)[None]


def imagenet(picture):
    mean, spread = np.array([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]])[:, :, None, None]
    return ((picture / 255 - mean) / spread).astype(np.float32)[None]


def ids(values):
    return np.array([values], np.int64)


@functools.cache
def session(path):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def silero(folder, name):
    """The eleventh frame of a voice, behind 64 samples of the tenth, and the state before it."""
    teacher = {"silero4": "silero4", "silero5": "silero5", "silero-half": "silero5"}.get(
        name, "silero6")
    run = session(folder / f"{teacher}.onnx").run
    rate, behind = np.array(16000), 0 if teacher == "silero4" else 64
    state = ({"h": np.zeros((2, 1, 64), np.float32), "c": np.zeros((2, 1, 64), np.float32)}
             if teacher == "silero4" else {"state": np.zeros((2, 1, 128), np.float32)})
    for k in range(1, 11):
        frame = voice(1)[None, k * 512 - behind:(k + 1) * 512]
        feeds = {"input": frame, "sr": rate, **state}
        state = dict(zip(state, run(None, feeds)[1:], strict=True))
    if name == "silero6-sequence":  # it has its state in two
        before = feeds["state"]
        return {"input": frame, "h": before[:1], "c": before[1:]}
    if name in ("silero-half", "silero6-openvino"):
        del feeds["sr"]
    return feeds


def denoiser(folder, name):
    """The eleventh frame of a voice, and the states before it."""
    sound, hop = voice(1), 256 if name == "gtcrn" else 128
    run = session(folder / f"{name}.onnx").run
    states = {i.name: np.zeros(i.shape, np.float32)
              for i in session(folder / f"{name}.onnx").get_inputs()}
    frame = next(iter(states))
    for k in range(11):
        block = sound[k * hop:k * hop + 512]
        if name == "gtcrn":
            spectrum = np.fft.rfft(block * np.hanning(512) ** 0.5)
            heard = np.stack([spectrum.real, spectrum.imag], -1)[None, :, None]
        else:
            heard = abs(np.fft.rfft(block))[None, None] if name == "dtln-1" else block[None, None]
        feeds = {**states, frame: heard.astype(np.float32)}
        states = {frame: None} | dict(zip(list(states)[1:], run(None, feeds)[1:], strict=True))
    return feeds


def rxnmap():
    """CH3COOH + C2H5OH → CH3COOC2H5 + H2O: elements, neighbours, distances, sides."""
    molecules = [(2, "CCOO", [(0, 1), (1, 2), (1, 3)]), (2, "CCO", [(0, 1), (1, 2)]),
                 (3, "CCOOCC", [(0, 1), (1, 2), (1, 3), (3, 4), (4, 5)]), (3, "O", [])]
    number = {"C": 6, "O": 8}
    size = 1 + sum(len(atoms) for _, atoms, _ in molecules)
    atoms, near, roles = [1], [1], [1]
    distances = np.ones((size, size), np.int64)
    for side, letters, bonds in molecules:
        first, n = len(atoms), len(letters)
        apart = np.full((n, n), 99)
        np.fill_diagonal(apart, 0)
        for a, b in bonds:
            apart[a, b] = apart[b, a] = 1
        for k in range(n):
            apart = np.minimum(apart, apart[:, k:k + 1] + apart[k])
        distances[first:first + n, first:first + n] = np.minimum(apart, 10) + 2
        for k, letter in enumerate(letters):
            atoms.append(number[letter] + 2)
            near.append(2 + sum(k in bond for bond in bonds) + (3 if letter == "C" else 1))
            roles.append(side)
    return {"atoms": ids(atoms), "neighbors": ids(near), "distances": distances[None],
            "roles": ids(roles)}


def bytes_of(size, times, dtype):
    """The first and the last bytes of a file, as magika takes them."""
    text = np.frombuffer(SOURCE, np.uint8)
    pieces = [np.full(size, 256) for _ in range(times)]
    pieces[0][:len(text[:size])] = text[:size]
    pieces[-1][-len(text[-size:]):] = text[-size:]
    if times == 3:
        middle = text[max(0, (len(text) - size) // 2):][:size]
        start = (size - len(middle)) // 2
        pieces[1][start:start + len(middle)] = middle
    return np.concatenate(pieces).astype(dtype)[None]


def whisper(sound):
    logs = np.maximum(mels(sound, 80, 400, 400, 160, 800).T / np.log(10), -10)
    return ((np.maximum(logs, logs.max() - 8) + 4) / 4).astype(np.float32)


def isnet():
    return ((landscape(1024, 1024) - 128) / 256).astype(np.float32)[None]


def made(folder, name):
    """A network's inputs by name."""
    def output(of):
        return session(folder / f"{of}.onnx").run(None, made(folder, of))[0]

    def spoken():  # as openWakeWord scales it, in windows of 76 frames
        mel = output("wake-mel").squeeze() / 10 + 2
        frames = np.stack([mel[i:i + 76] for i in range(0, len(mel) - 75, 8)])
        return session(folder / "wake-embedding.onnx").run(
            None, {"input_1": frames[..., None].astype(np.float32)})[0].reshape(1, -1, 96)

    if name.startswith("silero"):
        return silero(folder, name)
    if name in ("gtcrn", "dtln-1", "dtln-2"):
        return denoiser(folder, name)
    if name.startswith("wake-") and name not in ("wake-mel", "wake-embedding"):
        network = session(folder / f"{name}.onnx").get_inputs()[0]
        return {network.name: np.ascontiguousarray(spoken()[:, -network.shape[1]:])}
    if name.startswith("ppocr"):
        kind = name.split("-")[1]
        if kind == "det":
            return {"x": imagenet(page(192, 256))}
        height, width = {"rec": (48, 320), "cls": (48, 192)}[kind]
        if name == "ppocr5-cls":
            return {"x": imagenet(line("PARITY 2048", 80, 160))}
        return {"x": centred(line("PARITY 2048 NOISE", height, width))}
    return {
        "wake-mel": lambda: {"input": np.round(32767 * voice(4))[None].astype(np.float32)},
        "wake-embedding": lambda: {
            "input_1": (output("wake-mel").reshape(-1, 32)[-76:] / 10 + 2)[None, :, :, None]},
        "basic-pitch": lambda: {"serving_default_input_2:0": chord(43844)[None, :, None]},
        "magika-3": lambda: {"bytes": bytes_of(1024, 2, np.int32)},
        "magika-1": lambda: {"bytes": bytes_of(512, 3, np.float32)},
        "tashkeel-bilstm": lambda: {"input_ids": ids([min(i, 53) for i in ARABIC])},
        "rawi": lambda: {"input": ids(RAWI)},
        # Its vocabulary has one character less before the letters.
        "rawi-2": lambda: {"input": ids([i - (i > 100) for i in RAWI])},
        "rawi-3": lambda: {"input": ids([i - (i > 100) for i in RAWI])},
        "rawi-ensemble": lambda: {"input": ids([i - (i > 100) for i in RAWI])},
        "libtashkeel": lambda: {"char_inputs": ids(ARABIC), "diac_inputs": ids([1] * len(ARABIC)),
                                "input_lengths": np.array([len(ARABIC)])},
        "nakdimon": lambda: {"input_1": ids(HEBREW).astype(np.float32)},
        "voice-embedder": lambda: {"mel_window": mels(voice(1), 40, 512, 400, 160, 80)[None]},
        "voice-filter": lambda: {
            "stacked_logmel": mels(voice(1), 128, 1200, 640, 160, 80).reshape(1, 20, 512),
            "dvec": np.cos(np.arange(256, dtype=np.float32))[None] / np.float32(128 ** 0.5),
            "h0": np.zeros((3, 1, 512), np.float32), "c0": np.zeros((3, 1, 512), np.float32)},
        "smart-turn": lambda: {"input_features": whisper(voice(8.1))[None]},
        "layout": lambda: {"image": imagenet(page(800, 608))},
        "nudenet": lambda: {"images": (landscape(320, 320) / 255).astype(np.float32)[None]},
        "ddddocr": lambda: {"input1": centred(line("PARITY", 64, 200))[:, :1]},
        "ddddocr-old": lambda: {"input1": centred(line("PARITY", 64, 200))[:, :1]},
        "ddddocr-det": lambda: {"images": page(416, 416).astype(np.float32)[None]},
        "rxnmap": rxnmap,
        "title-encoder": lambda: {"input_ids": ids(ENGLISH),
                                  "attention_mask": ids([1] * len(ENGLISH))},
        "title-decoder": lambda: {"input_ids": ids(TITLE),
                                  "encoder_hidden_states": output("title-encoder"),
                                  "encoder_attention_mask": ids([1] * len(ENGLISH))},
        "isnet-quint8": lambda: {"input": isnet()},
        "isnet-fp16": lambda: {"input": isnet()},
    }[name]()


def packed(folder, name):
    """The inputs as the bytes of an .npz file."""
    file = io.BytesIO()
    np.savez(file, **made(folder, name))
    return file.getvalue()
