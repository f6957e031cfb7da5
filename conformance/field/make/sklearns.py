"""Models of scikit-learn by skl2onnx, with and without ZipMap."""

import numpy as np
from skl2onnx import to_onnx
from skl2onnx.common.data_types import StringTensorType

from common import Family, seed
import rewrite


def data():
    from sklearn.datasets import load_iris

    x, y = load_iris(return_X_y=True)
    return x.astype(np.float32), y


def write(family, variant, model, sample, **more):
    def make():
        onx = to_onnx(model, sample, **more)
        with open(family.path(variant), "wb") as f:
            f.write(onx.SerializeToString())

    family.attempt(variant, make)


def tabular(out, name, make):
    seed()
    x, y = data()
    family = Family(out, name)
    model = make().fit(x, y)
    probe = x[::10]
    noise = np.random.RandomState(3).uniform(-0.05, 0.05, probe.shape)
    probe = probe + noise.astype(np.float32)
    family.inputs(X=probe)
    off = {id(model): {"zipmap": False}}
    write(family, "zipmap", model, x[:1], target_opset=17)
    write(family, "tensor", model, x[:1], options=off, target_opset=17)
    write(family, "columns", model, x[:1], options={id(model): {"zipmap": "columns"}},
          target_opset=17)
    write(family, "tensor_12", model, x[:1], options=off,
          target_opset={"": 12, "ai.onnx.ml": 1})
    rewrite.all(family, {"X": probe}, "tensor", quantize=False)


def forest(out):
    from sklearn.ensemble import RandomForestClassifier

    tabular(out, "forest",
            lambda: RandomForestClassifier(n_estimators=6, max_depth=4, random_state=13))


def logistic(out):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    tabular(out, "logistic", lambda: make_pipeline(StandardScaler(), LogisticRegression()))


def boosting(out):
    from sklearn.ensemble import GradientBoostingClassifier

    tabular(out, "boosting",
            lambda: GradientBoostingClassifier(n_estimators=4, max_depth=3, random_state=13))


def perceptron(out):
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler

    tabular(out, "perceptron", lambda: make_pipeline(
        MinMaxScaler(), MLPClassifier((8, 6), max_iter=300, random_state=13)))


def text(out):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    seed()
    words = "loss weight tensor layer model wrong right slow fast graph node edge".split()
    random = np.random.RandomState(5)
    rows = [" ".join(random.choice(words, 6)) for _ in range(60)]
    y = [("wrong" in r) + 2 * ("slow" in r) for r in rows]
    family = Family(out, "text")
    model = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(rows, y)
    family.inputs(X=np.array(rows[:9]).reshape(-1, 1))
    kind = [("X", StringTensorType([None, 1]))]
    off = {id(model): {"zipmap": False}}
    write(family, "zipmap", model, None, initial_types=kind, target_opset=17)
    write(family, "tensor", model, None, initial_types=kind, options=off, target_opset=17)


makers = {f.__name__: f for f in (forest, logistic, boosting, perceptron, text)}
