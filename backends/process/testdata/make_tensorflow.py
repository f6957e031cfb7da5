"""Makes one small network as every kind of file that the TensorFlow runner runs."""

import sys

import tensorflow as tf

folder = sys.argv[1]
tf.keras.utils.set_random_seed(1)
image = tf.keras.Input((8, 8, 3), name="image")
x = tf.keras.layers.Conv2D(4, 3, activation="relu")(image)
x = tf.keras.layers.BatchNormalization()(x)
x = tf.keras.layers.Dropout(0.5)(x)
x = tf.keras.layers.Flatten()(x)
model = tf.keras.Model(image, tf.keras.layers.Dense(5, name="logits")(x))
model.save(f"{folder}/net.keras")
model.export(f"{folder}/saved", verbose=False)

weights = [w.numpy() for w in model.weights]
with tf.Graph().as_default() as graph:
    fed = tf.compat.v1.placeholder(tf.float32, (None, 3), name="fed")
    held = tf.compat.v1.get_variable("w", initializer=weights[0].reshape(-1, 3).T[:, :5],
                                     use_resource=False)
    tf.identity(tf.nn.relu(tf.matmul(fed, held)), name="out")
    saver = tf.compat.v1.train.Saver()
    with tf.compat.v1.Session(graph=graph) as session:
        session.run(tf.compat.v1.global_variables_initializer())
        saver.save(session, f"{folder}/ckpt/model")
        constant = tf.compat.v1.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(), ["out"])
with open(f"{folder}/frozen.pb", "wb") as file:
    file.write(constant.SerializeToString())
