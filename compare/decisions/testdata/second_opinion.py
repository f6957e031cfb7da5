"""Asks torchmetrics about the cases that reference.py wrote, and fails where it answers otherwise.

    python second_opinion.py FOLDER

The specs hold package decisions to the same cases, so torchmetrics and the package agree too. The
environment is backends/process/testdata/torch.txt with torchmetrics.txt beside this file.
"""

import json
import math
import pathlib
import sys

import numpy
import torch
from torchmetrics.detection import MeanAveragePrecision
from torchmetrics.functional import kendall_rank_corrcoef, pairwise_cosine_similarity
from torchmetrics.functional.classification import (multiclass_accuracy,
                                                    multiclass_confusion_matrix,
                                                    multiclass_jaccard_index)
from torchmetrics.functional.retrieval import retrieval_normalized_dcg
from torchmetrics.functional.text import edit_distance

NUMBERS = ["map", "map_50", "map_75", "map_small", "map_medium", "map_large", "mar_1", "mar_10",
           "mar_100", "mar_small", "mar_medium", "mar_large"]

def rows(values, image):
    return [v for v in values if v[0] == image]

# pycocotools' thresholds. torchmetrics' own are float32's: an IoU of exactly 0.6 lies below its
# 0.60000002, and a recall of exactly 0.1 below its 0.1000000015.
IOUS, RECALLS = numpy.linspace(0.5, 0.95, 10).tolist(), numpy.linspace(0, 1, 101).tolist()

def coco(c):
    metric = MeanAveragePrecision(box_format="xywh", iou_type="bbox", iou_thresholds=IOUS,
                                  rec_thresholds=RECALLS)
    found, truth = [], []
    for i in range(c["images"]):
        d, t = rows(c["found"], i), rows(c["truth"], i)
        found.append({"boxes": torch.tensor([v[1:5] for v in d], dtype=torch.float32).view(-1, 4),
                      "labels": torch.tensor([v[5] for v in d], dtype=torch.int64),
                      "scores": torch.tensor([v[6] for v in d], dtype=torch.float32)})
        truth.append({"boxes": torch.tensor([v[1:5] for v in t], dtype=torch.float32).view(-1, 4),
                      "labels": torch.tensor([v[5] for v in t], dtype=torch.int64),
                      "iscrowd": torch.tensor([v[6] for v in t], dtype=torch.int64)})
    metric.update(found, truth)
    got = metric.compute()
    return [(float(got[n]), s) for n, s in zip(NUMBERS, c["stats"])]

def rankings(c):
    x, y = (torch.tensor(c[k], dtype=torch.float64) for k in "xy")
    pairs = [(float(retrieval_normalized_dcg(x, y.long(), top_k=c["k"])), c["ndcg"])]
    if c["tau"] is not None:
        pairs.append((float(kendall_rank_corrcoef(x, y, variant="b")), c["tau"]))
    return pairs

def accuracies(c):
    scores, labels = torch.tensor(c["scores"], dtype=torch.float64), torch.tensor(c["labels"])
    classes = scores.shape[1]
    share = multiclass_accuracy(scores, labels, classes, average="micro", top_k=c["k"])
    table = multiclass_confusion_matrix(scores.argmax(1), labels, classes)
    return [(float(share), c["right"] / len(labels))] + [
        (float(a), b) for a, b in zip(table.flatten(), sum(c["confusion"], []))]

def masks(c):
    actual, expected = torch.tensor(c["actual"]), torch.tensor(c["expected"])
    classes = int(max(actual.max(), expected.max())) + 1
    return [(float(multiclass_accuracy(actual, expected, max(2, classes), average="micro")),
             c["equal"]),
            (float(multiclass_jaccard_index(actual, expected, max(2, classes), average="macro")),
             c["iou"])]

def edits(c):
    x, y = ("".join(chr(97 + v) for v in c[k]) for k in "xy")
    return [(float(edit_distance([x], [y], reduction="sum")), c["distance"])]

def embeddings(c):
    actual, expected = (torch.tensor(c[k], dtype=torch.float64) for k in ("actual", "expected"))
    own = pairwise_cosine_similarity(actual, expected).diagonal()
    return [(float(own.min()), c["least"]), (float(own.mean()), c["mean"])]

def main():
    folder, differ = pathlib.Path(sys.argv[1]), 0
    for ask in (coco, rankings, accuracies, masks, edits, embeddings):
        cases = json.loads((folder / (ask.__name__ + ".json")).read_text())
        wrong = []
        for i, case in enumerate(cases):
            for got, want in ask(case):
                if not math.isclose(got, want, rel_tol=1e-5, abs_tol=1e-6):
                    wrong.append((i, got, want))
        print(f"{ask.__name__}: {len(cases)} cases, {len(wrong)} answers differ", *wrong[:3])
        differ += len(wrong)
    sys.exit(differ > 0)

if __name__ == "__main__":
    main()
