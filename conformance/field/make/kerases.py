"""Keras models by tf2onnx, in an environment with TensorFlow."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf
import tf2onnx

from common import Family, seed


def convolutional():
    from keras import layers

    x = inputs = keras.Input((32, 32, 3), name="image")
    x = layers.Conv2D(8, 3, strides=2, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    x = layers.ReLU(6.0)(x)
    x = layers.DepthwiseConv2D(3, padding="same")(x)
    x = layers.BatchNormalization()(x)
    x = layers.Activation("swish")(x)
    y = layers.Conv2D(8, 1)(x)
    x = layers.Add()([x, y])
    x = layers.MaxPooling2D()(x)
    x = layers.Conv2D(12, 3, activation="relu")(x)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dense(16, activation="elu")(x)
    x = layers.LayerNormalization()(x)
    return keras.Model(inputs, layers.Dense(5, activation="softmax", name="classes")(x))


def enliven(model):
    random = np.random.RandomState(7)
    for w in model.weights:
        if len(w.shape) == 1:
            positive = any(part in w.path for part in ("gamma", "moving_variance"))
            low, high = (0.5, 1.5) if positive else (-0.2, 0.2)
            noise = random.uniform(low, high, w.shape)
            w.assign(noise.astype(np.float32))


def keras_cnn(out):
    seed()
    keras.utils.set_random_seed(13)
    family = Family(out, "keras")
    model = convolutional()
    enliven(model)
    x = np.random.RandomState(3).uniform(-1, 1, (2, 32, 32, 3)).astype(np.float32)
    family.inputs(image=x)
    spec = (tf.TensorSpec((2, 32, 32, 3), tf.float32, name="image"),)

    def convert(variant, **more):
        @tf.function(input_signature=spec)
        def call(image):
            return {"classes": model(image, training=False)}

        tf2onnx.convert.from_function(
            call, input_signature=spec, output_path=family.path(variant), **more)

    family.attempt("tf2onnx", convert, "tf2onnx", opset=17)
    family.attempt("tf2onnx_13", convert, "tf2onnx_13", opset=13)


makers = {"keras": keras_cnn}
