import numpy as np


def load_data():
    for i in range(2):
        yield {"X": np.full((2, 3), i, dtype=np.float32)}
