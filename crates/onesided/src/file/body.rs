//! What scores, as a document and tensors.
//!
//! ```text
//! {"network": {…}}                      a network; its weights are tensors under their own names
//! {"classic": {…}}                      what a classic system learned, its long lists cut out as tensors
//! {"trees": {…}}                        boosted trees, a list per field of their nodes, cut out as tensors
//! {"linked": {…}, "link": {…}, "label_frequency": c}    the same, and the way from their scores to probabilities
//! {"ensemble": [{"weight": 0.5, "model": …}, …]}    any of these; names of tensors begin with the member's number
//! {"described": …, "by": "coarse"}      any of these, on the numbers that describe pictures
//! ```

use super::Placed;
use super::lists::{self, List};
use crate::Error;
use onesided_classic::ClassicModel;
use onesided_data::{Encoding, PictureShape};
use onesided_learn::{Fitted, LinkedTrees, Member};
use onesided_net::{Network, Tensor, Weights};
use onesided_trees::{Node, Tree, TreesModel};
use safetensors::tensor::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Ensembles in ensembles end here.
const DEEPEST: usize = 4;

/// The document of what scores; its tensors are placed under names that begin with `prefix`.
pub(super) fn write(fitted: &Fitted, prefix: &str, tensors: &mut Vec<Placed>) -> Result<Value, Error> {
    let broken = |cause: serde_json::Error| Error::ModelFile {
        file: "the model".to_string(),
        what: format!("cannot be written as JSON ({cause})"),
    };
    Ok(match fitted {
        Fitted::Network { network, weights } => {
            for Tensor { name, shape, data } in &weights.tensors {
                let bytes = data.iter().flat_map(|value| value.to_le_bytes()).collect();
                let (name, shape) = (format!("{prefix}{name}"), shape.clone());
                tensors.push(Placed { name, dtype: Dtype::F32, shape, bytes });
            }
            json!({ "network": network })
        }
        Fitted::Classic(model) => {
            json!({ "classic": cut(serde_json::to_value(model).map_err(broken)?, prefix, tensors) })
        }
        Fitted::Trees(model) => {
            let lists = serde_json::to_value(TreeLists::from(model)).map_err(broken)?;
            json!({ "trees": cut(lists, prefix, tensors) })
        }
        Fitted::LinkedTrees(LinkedTrees { trees, link, label_frequency }) => {
            let lists = serde_json::to_value(TreeLists::from(trees)).map_err(broken)?;
            let trees = cut(lists, prefix, tensors);
            json!({ "linked": trees, "link": link, "label_frequency": label_frequency })
        }
        Fitted::Ensemble(members) => {
            let mut written = Vec::with_capacity(members.len());
            for (number, Member { weight, fitted }) in members.iter().enumerate() {
                let model = write(fitted, &format!("{prefix}{number}/"), tensors)?;
                written.push(json!({ "weight": weight, "model": model }));
            }
            json!({ "ensemble": written })
        }
        Fitted::Described { by, model } => json!({ "described": write(model, prefix, tensors)?, "by": by }),
        Fitted::Own { name, .. } => return Err(Error::OwnScorer(name.clone())),
    })
}

fn cut(mut tree: Value, prefix: &str, tensors: &mut Vec<Placed>) -> Value {
    for (name, List { dtype, len, bytes }) in lists::cut(&mut tree) {
        tensors.push(Placed { name: format!("{prefix}{name}"), dtype, shape: vec![len], bytes });
    }
    tree
}

/// What scores, from its document and the tensors of the file; every tensor must be used.
pub(super) fn read(document: &str, file: &SafeTensors, names: Vec<String>) -> Result<Fitted, String> {
    let tree: Value =
        serde_json::from_str(document).map_err(|error| format!("what scores cannot be read: {error}"))?;
    // In the order of the file, which is that of a network's layers.
    let mut left = names;
    let fitted = read_part(tree, "", file, &mut left, 0)?;
    match left.first() {
        Some(name) => Err(format!("nothing refers to tensor '{name}'")),
        None => Ok(fitted),
    }
}

fn read_part(
    tree: Value,
    prefix: &str,
    file: &SafeTensors,
    left: &mut Vec<String>,
    depth: usize,
) -> Result<Fitted, String> {
    let Value::Object(mut entries) = tree else { return Err("what scores is not an object".to_string()) };
    let unread = |error: serde_json::Error| format!("what scores cannot be read: {error}");
    if let Some(network) = entries.remove("network") {
        let network: Network = serde_json::from_value(network).map_err(unread)?;
        let own = taken(prefix, left);
        let weights = weights(file, own, prefix)?;
        return Ok(Fitted::Network { network, weights });
    }
    if let Some(mut tree) = entries.remove("classic") {
        restore(&mut tree, prefix, file, left)?;
        let model: ClassicModel = serde_json::from_value(tree).map_err(unread)?;
        model.check().map_err(|error| error.to_string())?;
        return Ok(Fitted::Classic(model));
    }
    if let Some(mut tree) = entries.remove("trees") {
        restore(&mut tree, prefix, file, left)?;
        let lists: TreeLists = serde_json::from_value(tree).map_err(unread)?;
        return lists.model().map(Fitted::Trees);
    }
    if let Some(mut tree) = entries.remove("linked") {
        restore(&mut tree, prefix, file, left)?;
        let lists: TreeLists = serde_json::from_value(tree).map_err(unread)?;
        let part = |name: &str| entries.get(name).cloned().unwrap_or_default();
        let linked = LinkedTrees {
            trees: lists.model()?,
            link: serde_json::from_value(part("link")).map_err(unread)?,
            label_frequency: serde_json::from_value(part("label_frequency")).map_err(unread)?,
        };
        return if linked.is_sound() {
            Ok(Fitted::LinkedTrees(linked))
        } else {
            Err("the link of its trees is out of range".to_string())
        };
    }
    if let Some(tree) = entries.remove("described") {
        if depth >= DEEPEST {
            return Err("too many models are in each other".to_string());
        }
        let by = serde_json::from_value(entries.remove("by").unwrap_or_default()).map_err(unread)?;
        let model = Box::new(read_part(tree, prefix, file, left, depth + 1)?);
        return Ok(Fitted::Described { by, model });
    }
    let Some(Value::Array(members)) = entries.remove("ensemble") else {
        return Err("what scores is of no known kind".to_string());
    };
    if depth >= DEEPEST || members.is_empty() {
        return Err("an ensemble has no members, or too many ensembles in it".to_string());
    }
    let mut read = Vec::with_capacity(members.len());
    for (number, mut member) in members.into_iter().enumerate() {
        let weight = member["weight"].as_f64().filter(|weight| weight.is_finite());
        let weight = weight.ok_or("a member of an ensemble has no weight")?;
        let model = member["model"].take();
        let fitted = read_part(model, &format!("{prefix}{number}/"), file, left, depth + 1)?;
        read.push(Member { weight, fitted });
    }
    Ok(Fitted::Ensemble(read))
}

/// Takes the tensors of one part: those that begin with its prefix and belong to no member below it.
fn taken(prefix: &str, left: &mut Vec<String>) -> Vec<String> {
    let is_own = |name: &String| name.strip_prefix(prefix).is_some_and(|rest| !rest.contains('/'));
    let (own, others) = left.drain(..).partition(is_own);
    *left = others;
    own
}

/// The tensors of a network, without the prefix.
pub(super) fn weights(file: &SafeTensors, names: Vec<String>, prefix: &str) -> Result<Weights, String> {
    let mut tensors = Vec::with_capacity(names.len());
    for name in names {
        let view = file.tensor(&name).map_err(|error| error.to_string())?;
        if view.dtype() != Dtype::F32 {
            return Err(format!("tensor '{name}' does not hold 32-bit floats"));
        }
        let floats = view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let data: Vec<f32> = floats.collect();
        if data.iter().any(|value| !value.is_finite()) {
            return Err(format!("tensor '{name}' holds a weight that is not finite"));
        }
        let name = name[prefix.len()..].to_string();
        tensors.push(Tensor { name, shape: view.shape().to_vec(), data });
    }
    Ok(Weights { tensors })
}

/// Puts the lists of one part back into its document.
fn restore(tree: &mut Value, prefix: &str, file: &SafeTensors, left: &mut Vec<String>) -> Result<(), String> {
    let mut lists = lists_of(file, taken(prefix, left), prefix)?;
    lists::restore(tree, &mut lists)?;
    match lists.keys().next() {
        Some(name) => Err(format!("nothing refers to tensor '{prefix}{name}'")),
        None => Ok(()),
    }
}

/// The lists of one part, by their names without the prefix.
pub(super) fn lists_of(
    file: &SafeTensors,
    names: Vec<String>,
    prefix: &str,
) -> Result<BTreeMap<String, List>, String> {
    let mut lists = BTreeMap::new();
    for name in names {
        let view = file.tensor(&name).map_err(|error| error.to_string())?;
        let [len] = view.shape() else { return Err(format!("tensor '{name}' is not a list")) };
        let list = List { dtype: view.dtype(), len: *len, bytes: view.data().to_vec() };
        lists.insert(name[prefix.len()..].to_string(), list);
    }
    Ok(lists)
}

/// Whether a model takes rows of this width, and of this shape where they are pictures.
pub(super) fn check(fitted: &Fitted, encoding: &Encoding, shape: Option<PictureShape>) -> Result<(), String> {
    check_columns(fitted, encoding.width(), encoding.whole_width(), shape)
}

/// The same, by the number of encoded columns and of whole ones.
fn check_columns(
    fitted: &Fitted,
    width: usize,
    whole_width: usize,
    shape: Option<PictureShape>,
) -> Result<(), String> {
    let fits = match fitted {
        Fitted::Trees(trees) | Fitted::LinkedTrees(LinkedTrees { trees, .. }) => {
            [width, whole_width].contains(&trees.features())
        }
        Fitted::Ensemble(_) | Fitted::Described { .. } => true,
        other => other.width() == Some(width),
    };
    if !fits || width == 0 {
        let what = if fitted.network().is_some() { "network" } else { "model" };
        return Err(format!("its {what} does not take the {width} features it names"));
    }
    match fitted {
        Fitted::Network { network, weights } => {
            let input = network.input;
            let pictures = shape.map(|shape| (shape.channels, shape.height, shape.width));
            if pictures.is_some_and(|pictures| pictures != (input.channels, input.height, input.width)) {
                return Err("its network does not take pictures of the shape it names".to_string());
            }
            network.check(weights).map_err(|error| format!("its weights do not fit its network: {error}"))?;
            let variances = weights.tensors.iter().filter(|tensor| tensor.name.ends_with(".variance"));
            if let Some(tensor) = variances.into_iter().find(|tensor| tensor.data.iter().any(|&v| v < 0.0)) {
                return Err(format!("tensor '{}' holds a negative variance", tensor.name));
            }
            Ok(())
        }
        Fitted::Ensemble(members) => {
            members.iter().try_for_each(|member| check_columns(&member.fitted, width, whole_width, shape))
        }
        Fitted::Described { by, model } => match shape.filter(|&shape| by.suits(shape)) {
            Some(shape) => {
                let width = by.width(shape.channels);
                check_columns(model, width, width, None)
            }
            None => Err("it describes pictures, and takes none that it can describe".to_string()),
        },
        _ => Ok(()),
    }
}

/// Trees as one list per field of their nodes.
#[derive(Serialize, Deserialize)]
struct TreeLists {
    features: usize,
    start: f64,
    /// Nodes up to the end of each tree.
    ends: Vec<u32>,
    /// The feature of a split; one more than there are for a leaf.
    feature: Vec<u32>,
    /// The threshold of a split, the value of a leaf.
    number: Vec<f32>,
    /// Whether missing values go left, and 2 more where the split is one of categories, whose set is the number.
    missing_left: Vec<u32>,
    left: Vec<u32>,
    right: Vec<u32>,
    /// Sets of categories up to the end of each tree; nothing where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    set_ends: Vec<u32>,
    /// Words up to the end of each set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    word_ends: Vec<u32>,
    /// Bits of the sets, 32 to a word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    words: Vec<u32>,
    /// Rows that came to each node; nothing in older files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cover: Vec<u32>,
}

impl From<&TreesModel> for TreeLists {
    fn from(model: &TreesModel) -> Self {
        let mut lists = Self {
            features: model.features(),
            start: model.start(),
            ends: Vec::new(),
            feature: Vec::new(),
            number: Vec::new(),
            missing_left: Vec::new(),
            left: Vec::new(),
            right: Vec::new(),
            set_ends: Vec::new(),
            word_ends: Vec::new(),
            words: Vec::new(),
            cover: Vec::new(),
        };
        let covered = model.trees().iter().all(|tree| tree.cover.len() == tree.nodes.len());
        let categories = model.trees().iter().any(|tree| !tree.sets.is_empty());
        for tree in model.trees() {
            for node in &tree.nodes {
                let (feature, number, missing, left, right) = match *node {
                    Node::Split { feature, threshold, missing_left, left, right } => {
                        (feature, threshold, u32::from(missing_left), left, right)
                    }
                    Node::Categories { feature, set, missing_left, left, right } => {
                        (feature, set as f32, 2 + u32::from(missing_left), left, right)
                    }
                    Node::Leaf { value } => (model.features() as u32, value, 0, 0, 0),
                };
                lists.feature.push(feature);
                lists.number.push(number);
                lists.missing_left.push(missing);
                lists.left.push(left);
                lists.right.push(right);
            }
            lists.ends.push(lists.feature.len() as u32);
            if covered {
                lists.cover.extend(&tree.cover);
            }
            for set in &tree.sets {
                lists.words.extend(set);
                lists.word_ends.push(lists.words.len() as u32);
            }
            if categories {
                lists.set_ends.push(lists.word_ends.len() as u32);
            }
        }
        lists
    }
}

impl TreeLists {
    fn model(self) -> Result<TreesModel, String> {
        let nodes = self.feature.len();
        let lengths = [self.number.len(), self.missing_left.len(), self.left.len(), self.right.len()];
        let whole = self.ends.last().map_or(0, |&end| end as usize) == nodes && self.ends.is_sorted();
        let covered = [0, nodes].contains(&self.cover.len());
        if lengths.iter().any(|&length| length != nodes) || !whole || !covered {
            return Err("the lists of its trees do not fit together".to_string());
        }
        let node = |at: usize| {
            let (feature, left, right) = (self.feature[at], self.left[at], self.right[at]);
            let missing_left = self.missing_left[at] & 1 != 0;
            let by_categories = self.missing_left[at] & 2 != 0;
            if feature as usize == self.features {
                Node::Leaf { value: self.number[at] }
            } else if by_categories {
                Node::Categories { feature, set: self.number[at] as u32, missing_left, left, right }
            } else {
                Node::Split { feature, threshold: self.number[at], missing_left, left, right }
            }
        };
        let sets = self.sets()?;
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let trees = starts.zip(&self.ends).zip(sets).map(|((start, &end), sets)| Tree {
            nodes: (start as usize..end as usize).map(node).collect(),
            sets,
            cover: self.cover.get(start as usize..end as usize).map_or_else(Vec::new, <[u32]>::to_vec),
        });
        let trees = trees.collect();
        TreesModel::from_parts(self.features, self.start, trees).map_err(|error| error.to_string())
    }

    /// The sets of each tree.
    fn sets(&self) -> Result<Vec<Vec<Vec<u32>>>, String> {
        if self.set_ends.is_empty() {
            return Ok(vec![Vec::new(); self.ends.len()]);
        }
        let ends_at =
            |ends: &[u32], len: usize| ends.is_sorted() && ends.last().map_or(0, |&end| end as usize) == len;
        let fit = self.set_ends.len() == self.ends.len()
            && ends_at(&self.set_ends, self.word_ends.len())
            && ends_at(&self.word_ends, self.words.len());
        if !fit {
            return Err("the sets of its trees do not fit together".to_string());
        }
        let pieces = |ends: &[u32], from: usize| -> Vec<std::ops::Range<usize>> {
            let starts = std::iter::once(from).chain(ends.iter().map(|&end| end as usize));
            starts.zip(ends).map(|(start, &end)| start..end as usize).collect()
        };
        let words = pieces(&self.word_ends, 0);
        let of_tree = |range: std::ops::Range<usize>| -> Vec<Vec<u32>> {
            words[range].iter().map(|set| self.words[set.clone()].to_vec()).collect()
        };
        Ok(pieces(&self.set_ends, 0).into_iter().map(of_tree).collect())
    }
}
