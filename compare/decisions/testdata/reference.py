"""Writes the cases that package decisions is held to, from the reference implementations.

    python reference.py FOLDER [--share 1] [--seed 20261121]

--share multiplies the number of cases: testdata holds a tenth of those that `make decisions` checks.
The environment is requirements.txt beside this file.
"""

import argparse
import contextlib
import io
import json
import pathlib

import numpy as np
from pycocotools import mask as boxes
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from rapidfuzz.distance import Levenshtein
from scipy.ndimage import distance_transform_cdt
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import binomtest, kendalltau, norm
from sklearn.metrics import (accuracy_score, confusion_matrix, jaccard_score, ndcg_score,
                             top_k_accuracy_score)
from sklearn.metrics.pairwise import cosine_similarity

def number(v):
    return None if np.isnan(v) else float(v)

def coco_of(images, truths, found):
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = {"images": images, "annotations": truths,
                        "categories": [{"id": i} for i in range(3)]}
        coco.createIndex()
        return COCOeval(coco, coco.loadRes(found), "bbox")

def coco_case(rng):
    images, truths, found = [], [], []
    for image in range(int(rng.integers(1, 4))):
        images.append({"id": image})
        for _ in range(int(rng.integers(0, 7))):
            x, y = rng.integers(0, 200, 2)
            w, h = rng.choice([rng.integers(2, 30), rng.integers(20, 90), rng.integers(80, 200)], 2)
            box = [int(x), int(y), int(w), int(h)]
            cls, crowd = int(rng.integers(0, 3)), int(rng.random() < 0.1)
            truths.append({"id": len(truths) + 1, "image_id": image, "category_id": cls,
                           "bbox": box, "area": box[2] * box[3], "iscrowd": crowd})
            for _ in range(int(rng.choice([0, 1, 1, 1, 2]))):
                moved = [int(v) for v in np.array(box) + rng.integers(-6, 7, 4)]
                moved[2], moved[3] = max(1, moved[2]), max(1, moved[3])
                kind = cls if rng.random() < 0.85 else int(rng.integers(0, 3))
                found.append({"image_id": image, "category_id": kind, "bbox": moved,
                              "score": float(rng.integers(1, 21)) / 20})
        for _ in range(int(rng.integers(0, 3))):
            x, y, w, h = (int(v) for v in rng.integers(1, 150, 4))
            found.append({"image_id": image, "category_id": int(rng.integers(0, 3)),
                          "bbox": [x, y, w, h], "score": float(rng.integers(1, 21)) / 20})
    if not found or not truths:
        return None
    e = coco_of(images, truths, found)
    with contextlib.redirect_stdout(io.StringIO()):
        e.evaluate()
        e.accumulate()
        e.summarize()
    return {
        "images": len(images),
        "truth": [[t["image_id"], *t["bbox"], t["category_id"], t["iscrowd"]] for t in truths],
        "found": [[d["image_id"], *d["bbox"], d["category_id"], d["score"]] for d in found],
        "stats": [float(v) for v in e.stats],
    }

def match_case(rng):
    """One image: which expected box each actual one takes, at each threshold, and each IoU."""
    expected, actual = [], []
    for _ in range(int(rng.integers(1, 6))):
        box = [float(v) for v in np.round(rng.uniform(1, 60, 4), 2)]
        cls = int(rng.integers(0, 2))
        copies = 1 + int(rng.random() < 0.3)
        for _ in range(copies):  # equal boxes: ties of the IoU
            expected.append([*box, cls])
        for _ in range(int(rng.choice([0, 1, 2, 3]))):
            moved = np.round(np.array(box) * rng.uniform(0.8, 1.25, 4), 2)
            kind = cls if rng.random() < 0.9 else 1 - cls
            actual.append([*(float(v) for v in moved), kind, float(rng.integers(1, 6)) / 5])
    if not actual:
        return None
    most = int(rng.choice([1, 2, 100]))
    truths = [{"id": i + 1, "image_id": 0, "category_id": t[4], "bbox": t[:4], "iscrowd": 0,
               "area": t[2] * t[3]} for i, t in enumerate(expected)]
    found = [{"image_id": 0, "category_id": d[4], "bbox": d[:4], "score": d[5]} for d in actual]
    e = coco_of([{"id": 0}], truths, found)
    e.params.areaRng, e.params.areaRngLbl, e.params.maxDets = [[0, 1e10]], ["all"], [most]
    with contextlib.redirect_stdout(io.StringIO()):
        e.evaluate()
    matches = [[-1] * len(actual) for _ in e.params.iouThrs]
    for image in filter(None, e.evalImgs):
        for t, row in enumerate(image["dtMatches"]):
            for k, truth in enumerate(row):
                if truth > 0:  # ids of loadRes and of the truth both count from 1
                    matches[t][image["dtIds"][k] - 1] = int(truth) - 1
    iou = boxes.iou([d[:4] for d in actual], [t[:4] for t in expected], [0] * len(expected))
    return {"expected": expected, "actual": actual, "most": most, "matches": matches,
            "iou": iou.tolist()}

def ranking_case(rng):
    n = int(rng.integers(3, 12))
    x = rng.integers(0, int(rng.choice([3, 30])), n).astype(float)
    y = rng.integers(0, int(rng.choice([3, 30])), n).astype(float)
    k = int(rng.integers(1, n))
    return {"x": x.tolist(), "y": y.tolist(), "k": k, "tau": number(kendalltau(x, y).statistic),
            "ndcg": float(ndcg_score([y], [x], k=k))}

def accuracy_case(rng):
    n, classes = int(rng.integers(2, 30)), int(rng.integers(3, 6))
    scores = np.stack([rng.permutation(classes) for _ in range(n)]).astype(float)  # no ties
    labels = rng.integers(0, classes, n)
    k = int(rng.integers(1, classes))
    share = top_k_accuracy_score(labels, scores, k=k, labels=range(classes))
    right = int(round(share * n))
    ci = binomtest(right, n).proportion_ci(0.95, method="wilson")
    table = confusion_matrix(labels, scores.argmax(1), labels=range(classes))
    return {"scores": scores.tolist(), "labels": labels.tolist(), "k": k, "right": right,
            "least": float(ci.low), "most": float(ci.high), "confusion": table.tolist()}

def mask_case(rng):
    h, w, classes = int(rng.integers(2, 9)), int(rng.integers(2, 9)), int(rng.integers(2, 5))
    expected = rng.integers(0, classes, (max(1, h // 2), max(1, w // 2)))
    expected = np.kron(expected, np.ones((3, 3), int))[:h, :w]
    expected = np.pad(expected, [(0, h - expected.shape[0]), (0, w - expected.shape[1])], "edge")
    actual = np.where(rng.random((h, w)) < 0.3, rng.integers(0, classes, (h, w)), expected)
    if len(np.unique(expected)) < 2:
        return None
    reach = int(rng.integers(0, 4))
    distance = np.zeros((h, w), int)
    for c in np.unique(expected):
        own = expected == c
        distance[own] = distance_transform_cdt(own, metric="chessboard")[own]
    differs = actual != expected
    return {"actual": actual.tolist(), "expected": expected.tolist(), "boundary": reach,
            "equal": float(accuracy_score(expected.ravel(), actual.ravel())),
            "excused": int((differs & (distance <= reach)).sum()),
            "iou": float(jaccard_score(expected.ravel(), actual.ravel(), average="macro"))}

def edit_case(rng):
    x, y = (rng.integers(0, int(rng.integers(2, 6)), int(rng.integers(0, 14))).tolist()
            for _ in range(2))
    return {"x": x, "y": y, "distance": Levenshtein.distance(x, y)}

def embedding_case(rng):
    n, width = int(rng.integers(4, 9)), int(rng.integers(2, 6))
    expected = rng.normal(size=(n, width)).round(3)
    actual = (expected + rng.normal(size=(n, width)) * rng.choice([0.01, 0.1, 1])).round(3)
    k = int(rng.integers(1, n - 1))
    if not (expected.any(1).all() and actual.any(1).all()):
        return None

    def nearest(rows):
        s = cosine_similarity(rows)
        np.fill_diagonal(s, -np.inf)
        return [set(np.argsort(-row, kind="stable")[:k].tolist()) for row in s]

    rows = np.diag(cosine_similarity(actual, expected))
    stay = sum(len(a & e) for a, e in zip(nearest(actual), nearest(expected)))
    return {"actual": actual.tolist(), "expected": expected.tolist(), "k": k,
            "least": float(rows.min()), "mean": float(rows.mean()), "stay": stay / (n * k)}

def loss_case(rng):
    """Tango's bound by its definition: maximise the likelihood for each loss, and solve."""
    n = int(rng.integers(5, 400))
    lost = int(rng.integers(0, max(2, n // int(rng.choice([2, 10, 50])))))
    won = int(rng.integers(0, max(2, (n - lost) // int(rng.choice([2, 10, 50])))))
    if lost + won > n or lost == n:
        return None
    z = norm.ppf(0.95)

    def statistic(loss):
        low, high = max(0.0, -loss), min(1.0, (1 - loss) / 2)

        def unlikely(q):
            likelihood = 0.0
            for count, p in ((lost, q + loss), (won, q), (n - lost - won, 1 - 2 * q - loss)):
                if count:
                    likelihood += count * np.log(max(p, 1e-300))
            return -likelihood

        q = minimize_scalar(unlikely, bounds=(low, high), method="bounded",
                            options={"xatol": 1e-14}).x
        q = min([q, low, high], key=unlikely)
        return (lost - won - n * loss) / np.sqrt(n * max(2 * q + loss - loss * loss, 1e-300)) + z

    point = (lost - won) / n
    try:
        bound = brentq(statistic, point + 1e-9, 1 - 1e-9, xtol=1e-12)
    except ValueError:
        return None
    return {"rows": n, "lost": lost, "won": won, "bound": float(bound)}

CASES = {"coco": (coco_case, 1500), "matches": (match_case, 2500), "rankings": (ranking_case, 5000),
         "accuracies": (accuracy_case, 1000), "masks": (mask_case, 2000), "edits": (edit_case, 5000),
         "embeddings": (embedding_case, 1500), "losses": (loss_case, 2000)}

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--share", type=float, default=1)
    parser.add_argument("--seed", type=int, default=20261121)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    for i, (name, (case, count)) in enumerate(CASES.items()):
        rng = np.random.default_rng([asked.seed, i])
        cases = [c for c in (case(rng) for _ in range(int(count * asked.share))) if c]
        text = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
        (asked.folder / (name + ".json")).write_text("[\n" + text + "\n]\n")

if __name__ == "__main__":
    main()
