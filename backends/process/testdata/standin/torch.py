"""What runners use of PyTorch, over NumPy, for specs that run without it."""


def set_grad_enabled(_):
    pass


def from_numpy(array):
    return array
