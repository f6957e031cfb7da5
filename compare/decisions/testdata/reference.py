"""Writes the cases that the package is held to, from the reference implementations.

    pip install numpy==2.4.6 pycocotools==2.0.11 scikit-learn==1.9.1 scipy==1.17.1
    python reference.py        # writes coco.json, rankings.json and accuracies.json beside itself
"""

import contextlib
import io
import json
import pathlib

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from scipy.stats import binomtest, kendalltau
from sklearn.metrics import confusion_matrix, ndcg_score, top_k_accuracy_score

HERE = pathlib.Path(__file__).parent


def write(name, cases):
    text = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    (HERE / name).write_text("[\n" + text + "\n]\n")


def number(v):
    return None if np.isnan(v) else float(v)


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
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = {"images": images, "annotations": truths,
                        "categories": [{"id": i} for i in range(3)]}
        coco.createIndex()
        e = COCOeval(coco, coco.loadRes(found), "bbox")
        e.evaluate()
        e.accumulate()
        e.summarize()
    return {
        "images": len(images),
        "truth": [[t["image_id"], *t["bbox"], t["category_id"], t["iscrowd"]] for t in truths],
        "found": [[d["image_id"], *d["bbox"], d["category_id"], d["score"]] for d in found],
        "stats": [float(v) for v in e.stats],
    }


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


def main():
    rng = np.random.default_rng(20261121)
    write("coco.json", [c for c in (coco_case(rng) for _ in range(400)) if c])
    write("rankings.json", [ranking_case(rng) for _ in range(3000)])
    write("accuracies.json", [accuracy_case(rng) for _ in range(300)])


if __name__ == "__main__":
    main()
