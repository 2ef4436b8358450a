"""Writes explained.json: three models of trees, some rows, and what the `shap` package says each feature added.

    python explained.py

Made with shap 0.51, scikit-learn 1.9 and lightgbm 4.7, by `shap.TreeExplainer` with tree_path_dependent. The trees are written
in the form of `TreesModel`; cells and thresholds are multiples of 1/64, so that 32-bit floats hold them exactly.
"""

import json
from pathlib import Path

import lightgbm
import numpy as np
import shap
from sklearn.ensemble import RandomForestRegressor

rng = np.random.default_rng(11)
rows, asked = 800, 20
x = np.round(rng.standard_normal((rows, 6)) * 8) / 8
x[:, 4] = rng.integers(0, 12, rows)
x[:, 5] = rng.integers(0, 4, rows)
logit = x[:, 0] * x[:, 1] - x[:, 2] + 1.5 * np.isin(x[:, 4], [1, 4, 6, 11]) * (1 + x[:, 5]) - 1
y = (rng.random(rows) < 1 / (1 + np.exp(-logit))).astype(int)
holes = x.copy()
holes[rng.random(rows) < np.where(y == 1, 0.3, 0.1), 1] = np.nan
holes[rng.random(rows) < 0.2, 4] = np.nan


def forest():
    model = RandomForestRegressor(n_estimators=7, max_depth=7, min_samples_leaf=3, random_state=0).fit(x, y)
    trees = []
    for one in model.estimators_:
        tree, nodes, cover = one.tree_, [], []
        order = preorder(lambda n: None if tree.children_left[n] < 0 else (tree.children_left[n], tree.children_right[n]))
        places = {node: at for at, node in enumerate(order)}
        for node in order:
            cover.append(int(tree.weighted_n_node_samples[node]))
            if tree.children_left[node] < 0:
                nodes.append({"leaf": {"value": tree.value[node].item() / len(model.estimators_)}})
                continue
            children = {"left": places[tree.children_left[node]], "right": places[tree.children_right[node]]}
            split = {"feature": int(tree.feature[node]), "threshold": float(tree.threshold[node]), "missing_left": False}
            nodes.append({"split": split | children})
        trees.append({"nodes": nodes, "cover": cover})
    return model, trees, x


def boosted(categorical):
    settings = {"objective": "binary", "num_leaves": 12, "learning_rate": 0.2, "verbose": -1, "num_threads": 1}
    # Categories of few rows count, and none is smoothed away.
    settings |= {"min_data_per_group": 5, "cat_smooth": 1, "max_cat_to_onehot": 1, "min_data_in_leaf": 10}
    table = holes if not categorical else np.where(np.isnan(holes), np.nan, holes)
    data = lightgbm.Dataset(table, y, categorical_feature=[4, 5] if categorical else "auto")
    model = lightgbm.train(settings, data, num_boost_round=10)
    trees = []
    for info in model.dump_model()["tree_info"]:
        nodes, cover, sets = [], [], []

        def put(node):
            at = len(nodes)
            nodes.append(None)
            if "leaf_value" in node:
                cover.append(node.get("leaf_count", rows))
                nodes[at] = {"leaf": {"value": node["leaf_value"]}}
                return at
            cover.append(node["internal_count"])
            split = {"feature": node["split_feature"]}
            if node["decision_type"] == "==":
                words = [0]
                for code in map(int, node["threshold"].split("||")):
                    words[0] |= 1 << code
                sets.append(words)
                split |= {"set": len(sets) - 1, "missing_left": False}
            else:
                # What was never missing in training goes where 0 goes; no cell that is asked about is.
                missing = node["default_left"] if node["missing_type"] == "NaN" else 0 <= node["threshold"]
                split |= {"threshold": node["threshold"], "missing_left": bool(missing)}
            split["left"] = put(node["left_child"])
            split["right"] = put(node["right_child"])
            nodes[at] = {"categories" if node["decision_type"] == "==" else "split": split}
            return at

        put(info["tree_structure"])
        trees.append({"nodes": nodes, "sets": sets, "cover": cover})
    return model, trees, table


def preorder(children):
    order, open_ = [], [0]
    while open_:
        node = open_.pop()
        order.append(node)
        below = children(node)
        if below is not None:
            open_ += [below[1], below[0]]
    return order


def case(name, model, trees, table):
    explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
    parts = np.asarray(explainer.shap_values(table[:asked]))
    base = float(np.ravel(explainer.expected_value)[-1])
    cells = [[None if np.isnan(cell) else float(cell) for cell in row] for row in table[:asked]]
    model = {"features": 6, "start": 0.0, "trees": trees}
    return {"name": name, "model": model, "rows": cells, "base": base, "parts": parts.tolist()}


cases = [
    case("forest", *forest()),
    case("boosted, missing cells", *boosted(False)),
    case("boosted, categories", *boosted(True)),
]
Path(__file__).with_name("explained.json").write_text(json.dumps(cases) + "\n")
