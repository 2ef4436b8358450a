//! A sum of trees as the JSON of an XGBoost booster, which treelite, FIL and SHAP read too.
//!
//! XGBoost compares a raw number of 32 bits by `<`, ours a scaled one by `<=`. Scaling and rounding never fall, so there is a largest
//! number that goes left, and the one above it is XGBoost's threshold. Categories are their codes, an unseen one the code behind the
//! last, a missing one NaN; of a split those in the set go right there. A row in which everything is missing has the share of positives:
//! one more tree asks for it.

use crate::sides::{Sides, sides};
use crate::{ExportError, ExportInput, Exported, metadata};
use onesided::data::{FeatureKind, Features, Scaling};
use onesided::learn::{Fitted, Member};
use onesided::{Encoding, Model};
use onesided_trees::{Node, Tree, TreesModel};
use serde_json::{Value, json};

/// What a whole column is to XGBoost.
struct Column {
    name: String,
    /// The levels of a category.
    levels: Option<Vec<String>>,
    /// From a raw number to what trees see.
    mean: f64,
    scale: f64,
    /// Whether the cell of the table is missing where this is: of a vector the first place.
    tells: bool,
}

impl Column {
    fn seen(&self, x: f32) -> f32 {
        ((f64::from(x) - self.mean) / self.scale) as f32
    }

    /// The largest finite number that trees see as at most `threshold`.
    fn last_left(&self, threshold: f32) -> Option<f32> {
        // Numbers in their order, as whole ones.
        let at = |order: i64| {
            let bits = if order < 0 { (-order) as u32 | 1 << 31 } else { order as u32 };
            f32::from_bits(bits)
        };
        let most = i64::from(f32::MAX.to_bits());
        let (mut low, mut high) = (-most, most);
        if self.seen(at(low)) > threshold {
            return None;
        }
        while low < high {
            let middle = low + (high - low + 1).div_euclid(2);
            if self.seen(at(middle)) <= threshold { low = middle } else { high = middle - 1 }
        }
        Some(at(low))
    }
}

fn columns(features: &Features) -> Result<Vec<Column>, ExportError> {
    let mut all = Vec::new();
    let as_is = features.scaling() == Scaling::AsIs;
    let mut add = |name: String, levels, mean: f64, scale: f64, tells| {
        let (mean, scale) = if as_is { (0.0, 1.0) } else { (mean, scale) };
        all.push(Column { name, levels, mean, scale, tells });
    };
    for feature in features.columns() {
        let name = feature.name.clone();
        let refused = |what: &str| Err(ExportError::NotTrees(format!("column '{name}' {what}")));
        match &feature.kind {
            FeatureKind::Numeric { wide: true, .. } => {
                return refused("holds numbers that differ only behind their seventh digit");
            }
            FeatureKind::Numeric { mean, scale, .. } | FeatureKind::Boolean { mean, scale } => {
                add(name, None, *mean, *scale, true);
            }
            FeatureKind::Categorical { levels, .. } => add(name, Some(levels.clone()), 0.0, 1.0, true),
            FeatureKind::Vector { means, scales } => {
                for (place, (&mean, &scale)) in means.iter().zip(scales).enumerate() {
                    add(format!("{name}.{place}"), None, mean, scale, place == 0);
                }
            }
            FeatureKind::Time { .. } => return refused("holds dates"),
            FeatureKind::Text { .. } => return refused("holds texts"),
        }
    }
    // What XGBoost does not take in a name.
    match all.iter().find(|column| column.name.contains(['[', ']', '<'])) {
        Some(column) => {
            Err(ExportError::NotTrees(format!("column '{}' has [, ] or < in its name", column.name)))
        }
        None => Ok(all),
    }
}

/// The sums of trees in what scores, each with what its answers are multiplied by.
fn sums<'m>(
    fitted: &'m Fitted,
    factor: f64,
    into: &mut Vec<(f64, &'m TreesModel)>,
) -> Result<(), ExportError> {
    match fitted {
        Fitted::Trees(model) => into.push((factor, model)),
        Fitted::Ensemble(members) => {
            for Member { weight, fitted } in members {
                sums(fitted, factor * weight, into)?;
            }
        }
        Fitted::Own { name, .. } => return Err(ExportError::Own(name.clone())),
        _ => return Err(ExportError::NotTrees("the model is no sum of trees".to_string())),
    }
    Ok(())
}

/// The lists of a tree.
#[derive(Default)]
struct Lists {
    left: Vec<i64>,
    right: Vec<i64>,
    parents: Vec<i64>,
    features: Vec<u32>,
    conditions: Vec<f32>,
    missing_left: Vec<u8>,
    of_categories: Vec<u8>,
    categories: Vec<u32>,
    category_nodes: Vec<usize>,
    category_starts: Vec<usize>,
    category_sizes: Vec<usize>,
}

/// What XGBoost calls the parent of a root.
const NO_PARENT: i64 = i32::MAX as i64;

impl Lists {
    fn leaf(&mut self, answer: f64) -> usize {
        self.node(0, answer as f32, false, false)
    }

    fn node(&mut self, feature: u32, condition: f32, missing_left: bool, of_categories: bool) -> usize {
        self.left.push(-1);
        self.right.push(-1);
        self.parents.push(NO_PARENT);
        self.features.push(feature);
        self.conditions.push(condition);
        self.missing_left.push(missing_left.into());
        self.of_categories.push(of_categories.into());
        self.left.len() - 1
    }

    /// A split of categories; `right` go right.
    fn set(&mut self, feature: u32, right: impl Iterator<Item = u32>, missing_left: bool) -> usize {
        let at = self.node(feature, 0.0, missing_left, true);
        let start = self.categories.len();
        self.categories.extend(right);
        self.category_nodes.push(at);
        self.category_starts.push(start);
        self.category_sizes.push(self.categories.len() - start);
        at
    }

    fn children(&mut self, at: usize, left: usize, right: usize) {
        (self.left[at], self.right[at]) = (left as i64, right as i64);
        self.parents[left] = at as i64;
        self.parents[right] = at as i64;
    }

    /// A tree of ours; every answer is multiplied.
    fn of(tree: &Tree, columns: &[Column], factor: f64) -> Self {
        let mut lists = Self::default();
        let mut swapped = vec![false; tree.nodes.len()];
        let sides =
            sides(tree, |feature| columns[feature as usize].levels.as_ref().map_or(0, Vec::len) as u32);
        for (at, node) in tree.nodes.iter().enumerate() {
            match *node {
                Node::Leaf { value } => {
                    lists.leaf(factor * f64::from(value));
                }
                Node::Split { feature, threshold, missing_left, .. } => {
                    let last = columns[feature as usize].last_left(threshold);
                    // Where all go left, nothing is below the least number, and the sides change.
                    swapped[at] = last == Some(f32::MAX);
                    let condition = last.filter(|_| !swapped[at]).map_or(-f32::MAX, f32::next_up);
                    lists.node(feature, condition, missing_left != swapped[at], false);
                }
                Node::Categories { feature, missing_left, .. } => {
                    let Sides { left, right } = &sides[at];
                    // The shorter side that is not empty is named; where that is the left one, the sides change.
                    swapped[at] = right.is_empty() || (!left.is_empty() && left.len() < right.len());
                    let named = if swapped[at] { left } else { right };
                    // Where none can come, a set may not be empty all the same.
                    let some = if named.is_empty() { &[0][..] } else { &named[..] };
                    lists.set(feature, some.iter().copied(), missing_left != swapped[at]);
                }
            }
        }
        for (at, node) in tree.nodes.iter().enumerate() {
            if let Node::Split { left, right, .. } | Node::Categories { left, right, .. } = *node {
                let (left, right) = (left as usize, right as usize);
                if swapped[at] { lists.children(at, right, left) } else { lists.children(at, left, right) }
            }
        }
        lists
    }

    /// Nothing, but `answer` where everything is missing.
    fn blank(columns: &[Column], answer: f64) -> Self {
        let mut lists = Self::default();
        let mut open = None;
        for (feature, column) in columns.iter().enumerate().filter(|(_, column)| column.tells) {
            let at = match &column.levels {
                Some(levels) => lists.set(feature as u32, 0..=levels.len() as u32, true),
                None => lists.node(feature as u32, -f32::MAX, true, false),
            };
            let there = lists.leaf(0.0);
            if let Some((before, there)) = open.replace((at, there)) {
                lists.children(before, at, there);
            }
        }
        let last = lists.leaf(answer);
        if let Some((before, there)) = open {
            lists.children(before, last, there);
        }
        lists
    }

    /// The same tree with the right child behind the left one, where XGBoost looks for it.
    fn side_by_side(&self) -> Self {
        let mut order = vec![0];
        let mut at = 0;
        while at < order.len() {
            let node: usize = order[at];
            if self.left[node] >= 0 {
                order.extend([self.left[node] as usize, self.right[node] as usize]);
            }
            at += 1;
        }
        let mut lists = Self::default();
        for &node in &order {
            let (feature, missing_left) = (self.features[node], self.missing_left[node] == 1);
            match self.category_nodes.binary_search(&node) {
                Ok(set) => {
                    let start = self.category_starts[set];
                    let right = &self.categories[start..start + self.category_sizes[set]];
                    lists.set(feature, right.iter().copied(), missing_left);
                }
                Err(_) => {
                    lists.node(feature, self.conditions[node], missing_left, false);
                }
            }
        }
        let mut next = 1;
        for (at, &node) in order.iter().enumerate() {
            if self.left[node] >= 0 {
                lists.children(at, next, next + 1);
                next += 2;
            }
        }
        lists
    }

    fn json(&self, id: usize, features: usize) -> Value {
        let many = self.left.len();
        // The shortest digits that are the number in 32 bits.
        let shortest = |x: &f32| format!("{x:?}").parse::<f64>().unwrap_or(0.0);
        let conditions: Vec<f64> = self.conditions.iter().map(shortest).collect();
        json!({
            "base_weights": vec![0.0; many],
            "categories": self.categories,
            "categories_nodes": self.category_nodes,
            "categories_segments": self.category_starts,
            "categories_sizes": self.category_sizes,
            "default_left": self.missing_left,
            "id": id,
            "left_children": self.left,
            "loss_changes": vec![0.0; many],
            "parents": self.parents,
            "right_children": self.right,
            "split_conditions": conditions,
            "split_indices": self.features,
            "split_type": self.of_categories,
            "sum_hessian": vec![0.0; many],
            "tree_param": {
                "num_deleted": "0",
                "num_feature": features.to_string(),
                "num_nodes": many.to_string(),
                "size_leaf_vector": "1",
            },
        })
    }
}

/// Where a tree leads a row in which everything is missing.
fn of_missing(tree: &Tree) -> f64 {
    let mut at = 0;
    loop {
        match tree.nodes[at] {
            Node::Leaf { value } => return f64::from(value),
            Node::Split { missing_left, left, right, .. }
            | Node::Categories { missing_left, left, right, .. } => {
                at = if missing_left { left } else { right } as usize;
            }
        }
    }
}

/// The file.
pub fn write(model: &Model) -> Result<Exported, ExportError> {
    let about = model.about();
    let mut found = Vec::new();
    sums(model.fitted(), about.calibration.slope, &mut found)?;
    let Encoding::Table(features) = model.encoding().as_ref() else {
        return Err(ExportError::NotTrees(format!("the model is of {}", model.encoding().takes())));
    };
    let columns = columns(features)?;
    if found.iter().any(|(_, trees)| trees.features() != columns.len()) {
        return Err(ExportError::NotTrees(
            "the model was made by a version that split categories apart".into(),
        ));
    }
    let mut start = about.calibration.offset + about.shift;
    start += found.iter().map(|(factor, trees)| factor * trees.start()).sum::<f64>();
    let all =
        || found.iter().flat_map(|(factor, trees)| trees.trees().iter().map(move |tree| (*factor, tree)));
    let missing: f64 = start + all().map(|(factor, tree)| factor * of_missing(tree)).sum::<f64>();
    let mut lists = Vec::new();
    let mut constant = Lists::default();
    constant.leaf(start);
    lists.push(constant);
    lists.push(Lists::blank(&columns, f64::from(about.logit_of_nothing()) - missing));
    lists.extend(all().map(|(factor, tree)| Lists::of(tree, &columns, factor)));
    let trees: Vec<Value> = lists
        .into_iter()
        .enumerate()
        .map(|(id, lists)| lists.side_by_side().json(id, columns.len()))
        .collect();
    let input = |column: &Column| ExportInput {
        name: column.name.clone(),
        kind: if column.levels.is_some() { "category" } else { "float" },
        holds: if column.levels.is_some() { "place of the level" } else { "number" },
        width: 1,
        levels: column.levels.clone().unwrap_or_default(),
    };
    let inputs: Vec<ExportInput> = columns.iter().map(input).collect();
    let levels: serde_json::Map<String, Value> = columns
        .iter()
        .filter_map(|column| Some((column.name.clone(), json!(column.levels.as_ref()?))))
        .collect();
    let mut attributes: serde_json::Map<String, Value> =
        metadata(model).into_iter().map(|(key, value)| (key.to_string(), json!(value))).collect();
    attributes.insert("onesided.levels".to_string(), json!(Value::Object(levels).to_string()));
    let many = trees.len();
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let types: Vec<&str> =
        columns.iter().map(|column| if column.levels.is_some() { "c" } else { "float" }).collect();
    let document = json!({
        "learner": {
            "attributes": attributes,
            "feature_names": names,
            "feature_types": types,
            "gradient_booster": {
                "model": {
                    "gbtree_model_param": { "num_parallel_tree": "1", "num_trees": many.to_string() },
                    "iteration_indptr": (0..=many).collect::<Vec<usize>>(),
                    "tree_info": vec![0; many],
                    "trees": trees,
                },
                "name": "gbtree",
            },
            "learner_model_param": {
                "base_score": "5E-1",
                "boost_from_average": "0",
                "num_class": "0",
                "num_feature": columns.len().to_string(),
                "num_target": "1",
            },
            "objective": { "name": "binary:logistic", "reg_loss_param": { "scale_pos_weight": "1" } },
        },
        "version": [2, 1, 0],
    });
    Ok(Exported { bytes: document.to_string().into_bytes(), inputs })
}
