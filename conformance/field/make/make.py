"""Makes the models of the field suite: python make.py OUT [NAME...].

One environment has PyTorch and scikit-learn (torch.txt), another TensorFlow
(tensorflow.txt): each makes what it can.
"""

import importlib
import importlib.util
import sys

kinds = {"torch": "torches", "sklearn": "sklearns", "tensorflow": "kerases"}


def main():
    out, names = sys.argv[1], sys.argv[2:]
    for library, module in kinds.items():
        if importlib.util.find_spec(library) is None:
            continue
        for name, make in importlib.import_module(module).makers.items():
            if not names or name in names:
                make(out)


if __name__ == "__main__":
    main()
