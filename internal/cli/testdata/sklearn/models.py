"""Writes two random forests for irises, as skl2onnx exports them, and the irises, beside itself.

Made with scikit-learn==1.9.1, skl2onnx==1.20.0, onnx==1.22.0 and numpy==2.4.6:  python models.py
forest.onnx and other.onnx have ZipMap, and so output_probability is a sequence of 150 maps;
flat_forest.onnx and flat_other.onnx are the same forests without it.
"""
from pathlib import Path

import numpy as np
import onnx
from skl2onnx import to_onnx
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

HERE = Path(__file__).parent
X, y = load_iris(return_X_y=True)
X = X.astype(np.float32)
names = np.array(["setosa", "versicolor", "virginica"])[y]
for name, seed in ("forest", 0), ("other", 1):
    forest = RandomForestClassifier(n_estimators=10, random_state=seed).fit(X, names)
    for prefix, options in ("", None), ("flat_", {id(forest): {"zipmap": False}}):
        model = to_onnx(forest, X[:1], options=options, target_opset=18)
        onnx.save(model, HERE / f"{prefix}{name}.onnx")
np.savez(HERE / "irises.npz", X=X)
