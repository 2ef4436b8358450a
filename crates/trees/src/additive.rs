//! Naive Bayes on bins: a tree for each feature, whose leaves are log ratios.
//!
//! With coarse bins g of a feature, counts p_g of positives and u_g of the others, and a smoothing of m rows,
//!
//! ```text
//! base_g = (u_g + 1) / (Σ u + G),   answer_g = ln [ (p_g + m base_g) / (Σ p + m) ] - ln base_g,
//! ```
//!
//! so that a bin without a positive among few says little. The sum over features is the log odds if features are
//! independent given the class. They are not, and with a dozen positives it is hard to beat all the same.

use crate::TreesError;
use crate::bins::{Binned, Feature};
use crate::model::{Node, Tree, TreesModel};
use crate::split::Cut;
use crate::two_class::LabeledRows;

/// Coarse bins of a feature of numbers.
const GROUPS: usize = 5;
/// Rows that a bin is smoothed by.
const SMOOTHING: f64 = 20.0;

/// Naive Bayes of the training rows as a sum of trees, one for each feature.
pub fn fit_naive_bayes(sample: &LabeledRows, training: &[u32]) -> Result<TreesModel, TreesError> {
    sample.check()?;
    sample.binned.check_here()?;
    sample.binned.check_rows(training)?;
    let start = sample.log_odds(training)?;
    let trees = (0..sample.binned.features()).map(|feature| tree_of(sample, training, feature));
    Ok(TreesModel::new(sample.binned.features(), start, trees.collect()))
}

/// Bins that share an answer.
struct Group {
    bins: Vec<u8>,
    answer: f32,
    rows: u32,
}

fn tree_of(sample: &LabeledRows, training: &[u32], feature: usize) -> Tree {
    let bins = sample.binned.feature(feature);
    let kind = sample.binned.kind(feature);
    let (mut counts, mut rows) = ([[0f64; 2]; 256], [0u32; 256]);
    for &row in training {
        let class = usize::from(sample.positive[row as usize]);
        counts[usize::from(bins.at(row))][class] += sample.weight(row as usize);
        rows[usize::from(bins.at(row))] += 1;
    }
    let mut groups = grouped(kind, &counts);
    for group in &mut groups {
        group.rows = group.bins.iter().map(|&bin| rows[usize::from(bin)]).sum();
    }
    let of = |bins: &[u8], class: usize| bins.iter().map(|&bin| counts[usize::from(bin)][class]).sum::<f64>();
    let everywhere: Vec<u8> = (0..=kind.missing()).collect();
    let (others, positives) = (of(&everywhere, 0), of(&everywhere, 1));
    let many = groups.len() as f64;
    for group in &mut groups {
        let base = (of(&group.bins, 0) + 1.0) / (others + many);
        let share = (of(&group.bins, 1) + SMOOTHING * base) / (positives + SMOOTHING);
        group.answer = (share / base).ln() as f32;
    }
    if let Feature::Categories { .. } = kind {
        groups.sort_by(|a, b| a.answer.total_cmp(&b.answer).then(a.bins.cmp(&b.bins)));
    }
    let mut tree = Tree::default();
    tree.nodes.push(Node::Leaf { value: 0.0 });
    tree.cover.push(rows_of(&groups));
    fill(&mut tree, 0, &groups, feature as u32, sample.binned);
    tree
}

/// Coarse bins: neighbors with about a fifth of the rows each for numbers, every category by itself; the missing ones are
/// the last.
fn grouped(kind: &Feature, counts: &[[f64; 2]; 256]) -> Vec<Group> {
    let alone = |bin: u8| Group { bins: vec![bin], answer: 0.0, rows: 0 };
    let values = kind.value_bins();
    let mut groups: Vec<Group> = match kind {
        Feature::Categories { .. } => (0..values).map(|bin| alone(bin as u8)).collect(),
        Feature::Numbers(_) | Feature::Ordered { .. } => {
            let rows = |bin: usize| counts[bin][0] + counts[bin][1];
            let all: f64 = (0..values).map(rows).sum();
            let (mut groups, mut before): (Vec<Group>, f64) = (Vec::new(), 0.0);
            let mut last = usize::MAX;
            for bin in 0..values {
                // By the middle of the bin's rows.
                let at = before + rows(bin) / 2.0;
                let number = ((at / all.max(1e-9) * GROUPS as f64) as usize).min(GROUPS - 1);
                match groups.last_mut().filter(|_| number == last) {
                    Some(group) => group.bins.push(bin as u8),
                    None => groups.push(alone(bin as u8)),
                }
                (last, before) = (number, before + rows(bin));
            }
            groups
        }
    };
    if counts[usize::from(kind.missing())] != [0.0; 2] {
        groups.push(alone(kind.missing()));
    }
    groups
}

fn rows_of(groups: &[Group]) -> u32 {
    groups.iter().map(|group| group.rows).sum()
}

/// Halves a list of groups until each has a leaf.
fn fill(tree: &mut Tree, node: usize, groups: &[Group], feature: u32, binned: &Binned) {
    let [first, .., last] = groups else {
        let value = groups.first().map_or(0.0, |group| group.answer);
        tree.nodes[node] = Node::Leaf { value };
        return;
    };
    let kind = binned.kind(feature as usize);
    let missing = kind.missing();
    let has_missing = last.bins == [missing] || first.bins == [missing];
    // The missing ones of numbers part first.
    let left = match kind {
        Feature::Numbers(_) | Feature::Ordered { .. } if has_missing => groups.len() - 1,
        _ => groups.len() / 2,
    };
    let cut = match kind {
        Feature::Numbers(_) | Feature::Ordered { .. } => {
            let bin = groups[left - 1].bins.last().copied().unwrap_or(0);
            Cut::After { bin, missing, missing_left: false }
        }
        Feature::Categories { .. } => {
            let mut set = [0u64; 4];
            let bins = groups[..left].iter().flat_map(|group| &group.bins);
            bins.for_each(|bin| set[usize::from(bin / 64)] |= 1 << (bin % 64));
            Cut::Set(set)
        }
    };
    let children = (tree.nodes.len(), tree.nodes.len() + 1);
    tree.nodes.extend([Node::Leaf { value: 0.0 }; 2]);
    tree.cover.extend([rows_of(&groups[..left]), rows_of(&groups[left..])]);
    tree.nodes[node] = tree.node_of(feature, &cut, children, binned);
    fill(tree, children.0, &groups[..left], feature, binned);
    fill(tree, children.1, &groups[left..], feature, binned);
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::{ColumnKind, Columns, Matrix};
    use std::borrow::Cow;

    #[test]
    fn answers_are_the_log_ratios_by_hand() {
        // Ten rows: a number that is missing once, and a category of two levels.
        let nan = f32::NAN;
        let x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, nan];
        let level = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0];
        let positive: Vec<bool> = (0..10).map(|row| row % 2 == 0).collect();
        let values: Vec<f32> = x.iter().zip(&level).flat_map(|(&x, &level)| [x, level]).collect();
        let matrix = Matrix::new(10, 2, values).unwrap();
        let kinds = vec![ColumnKind::Numbers, ColumnKind::Categories { levels: 2 }];
        let binned = Binned::of_columns(&Columns { matrix: Cow::Borrowed(&matrix), kinds }, 1).unwrap();
        let sample = LabeledRows { binned: &binned, positive: &positive, weights: None };
        let rows: Vec<u32> = (0..10).collect();
        let model = fit_naive_bayes(&sample, &rows).unwrap();
        assert_eq!((model.start(), model.trees().len()), (0.0, 2));
        let said = model.logits(&matrix).unwrap();
        let ratio = |positives: f64, others: f64, groups: f64| {
            let base = (others + 1.0) / (5.0 + groups);
            ((positives + SMOOTHING * base) / (5.0 + SMOOTHING) / base).ln()
        };
        // Level 0 has three positives and two others, level 1 two and three. The missing number is one other among six
        // groups: {0, 1}, {2, 3}, {4}, {5, 6}, {7, 8}, missing.
        let expected = ratio(0.0, 1.0, 6.0) + ratio(3.0, 2.0, 2.0);
        assert!((said[9] - expected).abs() < 1e-5, "{} for {expected}", said[9]);
        let expected = ratio(1.0, 0.0, 6.0) + ratio(2.0, 3.0, 2.0);
        assert!((said[4] - expected).abs() < 1e-5, "{} for {expected}", said[4]);
        assert_eq!(said, model.logits_of(&binned, &rows).unwrap());
    }
}
