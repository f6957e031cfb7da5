"""Writes logits.json: the statistics that llama.cpp's llama-perplexity --kl-divergence prints.

    python logits.py FOLDER [TIMES]

It follows the definitions of tools/perplexity/perplexity.cpp (ggml-org/llama.cpp, 050fc7f): standard
errors, covariance, quantiles, and the digits that are printed. Each case has logits of two sides and
the tokens that follow, and is computed twice: "exact" in float64 from the logits themselves, and
"file" as the tool does it, in float32 from a file of 16-bit log-probabilities that ends at -16.
TIMES repeats the cases with other numbers. It needs numpy 2.4.6 alone.
"""

import base64
import json
import math
import pathlib
import sys

import numpy as np


def mean_and_error(values):
    n = len(values)
    mean = math.fsum(values) / n
    variance = math.fsum(v * v for v in values) / n - mean * mean
    return mean, math.sqrt(variance / (n - 1)) if variance > 0 and n > 10 else 0.0


def covariance(x, y):
    n = len(x)
    if n < 10:
        return 0.0
    both = math.fsum(a * b for a, b in zip(x, y)) / n
    return (both - math.fsum(x) / n * (math.fsum(y) / n)) / (n - 1)


def quantile(values, share):
    values = sorted(values)
    if share <= 0:
        return values[0]
    if share >= 1:
        return values[-1]
    at = share * (len(values) - 1)
    low = int(at)
    rest = at - low
    return (1 - rest) * values[low] + rest * values[min(low + 1, len(values) - 1)]


def median(values):
    values = sorted(values)
    n = len(values)
    return values[n // 2] if n % 2 else 0.5 * (values[n // 2] + values[n // 2 - 1])


def log_softmax(row):
    top = max(row)
    return [v - top - math.log(math.fsum(math.exp(w - top) for w in row)) for v in row]


def exact(actual, expected, following, tail):
    """One position: surprise of both sides, divergence, Δp, whether the same token leads."""
    q, p = log_softmax(actual), log_softmax(expected)
    divergence = math.fsum(
        math.exp(e) * (e - a) for a, e in zip(q, p) if not tail or e > -tail)
    return (-q[following], -p[following], divergence,
            math.exp(q[following]) - math.exp(p[following]),
            int(np.argmax(actual)) == int(np.argmax(expected)))


def file(actual, expected, following, _):
    """The same in float32, the expected side by way of 16 bits."""
    f = np.float32
    actual, expected = actual.astype(f), expected.astype(f)
    top = expected.max()
    least = max(expected.min(), top - f(16))
    total = f(math.log(float(np.exp(expected - top).astype(f).sum(dtype=np.float64))))
    scale, lowest = (top - least) / f(65535), least - top - total
    kept = np.rint((expected - least) / scale).clip(0, 65535).astype(np.uint16)
    p = scale * kept.astype(f) + lowest
    greatest = actual.max()
    norm = f(math.log(float(np.exp(actual - greatest).sum(dtype=np.float64))))
    surprise, base = greatest + norm - actual[following], -p[following]
    counts = p > f(-16)
    divergence = float(
        (np.exp(p[counts]) * (p[counts] - actual[counts] + greatest + norm)).sum(dtype=np.float64))
    return (float(surprise), float(base), divergence, float(np.exp(-surprise) - np.exp(-base)),
            int(np.argmax(actual)) == int(np.argmax(p)))


def table(position, actual, expected, following, tail):
    rows = [position(a, e, t, tail) for a, e, t in zip(actual, expected, following)]
    q, p, klds, changes, same = (list(column) for column in zip(*rows))
    log_q, log_p = mean_and_error(q), mean_and_error(p)
    cov = covariance(q, p)
    ratio = log_q[0] - log_p[0]
    ratio_error = math.sqrt(max(log_q[1] ** 2 + log_p[1] ** 2 - 2 * cov, 0))
    ppl_q = math.exp(log_q[0]), math.exp(log_q[0]) * log_q[1]
    ppl_p = math.exp(log_p[0]), math.exp(log_p[0]) * log_p[1]
    square = mean_and_error([c * c for c in changes])
    rms = math.sqrt(square[0])
    share = sum(same) / len(same)

    def numbers(decimals, *values):
        return [f"{v:.{decimals}f}" for v in values]

    out = {
        "perplexity": numbers(6, *ppl_q), "expected perplexity": numbers(6, *ppl_p),
        "perplexity correlation": numbers(2, 100 * cov / (log_q[1] * log_p[1])),
        "perplexity ratio": numbers(6, math.exp(ratio), math.exp(ratio) * ratio_error),
        "mean KLD": numbers(6, *mean_and_error(klds)),
        "maximum KLD": numbers(6, max(klds)), "median KLD": numbers(6, median(klds)),
        "mean Δp": numbers(3, *(100 * v for v in mean_and_error(changes))),
        "RMS Δp": numbers(3, 100 * rms, 100 * 0.5 / rms * square[1]),
        "same top token": numbers(
            3, 100 * share, 100 * math.sqrt(share * (1 - share) / (len(same) - 1))),
    }
    for s in (0.999, 0.99, 0.95, 0.9, 0.1, 0.05, 0.01, 0.001, 0):
        out[f"KLD at {100 * s:g} %"] = numbers(6, quantile(klds, s))
    for s in (1, 0.999, 0.99, 0.95, 0.9, 0.75, 0.5, 0.25, 0.1, 0.05, 0.01, 0.001, 0):
        value = median(changes) if s == 0.5 else quantile(changes, s)
        out[f"Δp at {100 * s:g} %"] = numbers(3, 100 * value)
    return out


def cases(times):
    rng = np.random.default_rng(20261122)
    for positions, words, spread, noise, tail in (
            (130, 48, 3, 0.05, 0), (101, 64, 3, 0.5, 0), (120, 48, 9, 0.3, 0),
            (120, 48, 9, 0.3, 16), (140, 17, 1, 2.0, 0)) * times:
        expected = (rng.normal(0, spread, (positions, words))).astype(np.float16)
        actual = (expected + rng.normal(0, noise, expected.shape)).astype(np.float16)
        following = [int(rng.choice(words, p=np.exp(log_softmax(row.astype(np.float64)))))
                     for row in expected]
        wide = actual.astype(np.float64), expected.astype(np.float64)
        yield {"positions": positions, "words": words, "tail": tail,
               "actual": base64.b64encode(actual.tobytes()).decode(),
               "expected": base64.b64encode(expected.tobytes()).decode(), "following": following,
               "exact": table(exact, *wide, following, tail),
               "file": table(file, *wide, following, tail)}


if __name__ == "__main__":
    text = ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases(int(sys.argv[2]) if len(sys.argv) > 2 else 1))
    (pathlib.Path(sys.argv[1]) / "logits.json").write_text("[\n" + text + "\n]\n")
