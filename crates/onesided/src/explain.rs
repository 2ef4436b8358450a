//! What carried a score: a part for each column, which together with a base make it up.
//!
//! A score is slope · f + offset + shift. What a column added to f depends on what scores:
//!
//! * **Linear models**: w_j x_j. Columns of a table were scaled to mean 0, so there a part says how the row differs from the
//!   mean of the training rows; a term that a text does not have adds nothing.
//! * **Trees**: exact Shapley values over the shares of training rows at each node ([`onesided_trees::Shap`]).
//! * **Random features of a kernel**: exact Shapley values compared with a row that says nothing (numbers at their mean, no level, no
//!   term), in closed form ([`RandomFeatures::shapley`](onesided_classic::RandomFeatures::shapley)).
//! * **Means of several models**: the weighted sum of what their members' parts are.
//! * **Networks, kernel machines and whatever else**: Shapley values compared with the same row. Up to seven columns in which the row
//!   differs from it are taken in every order there is; more in up to eight orders drawn at random, each with its reverse (E. Štrumbelj and
//!   I. Kononenko, "An efficient explanation of individual classifications using game theory", JMLR 11, 2010). In every order parts
//!   add up to f less that of the row that says nothing.
//!
//! The levels of a category are one column, named by the level that the row has. Where a system's theory bends the score
//! (`elkan-noto` in one sample), the parts of a linear model are those of w·x before, and those of trees add up to their sum before.

use crate::{Error, Model};
use onesided_classic::{LinearModel, Link, RandomFeatures, ScoreForm};
use onesided_data::{ColumnGroups, Dataset, Matrix, Phase, SparseMatrix, Store, Stream, map_stretches};
use onesided_learn::{Fitted, Member};
use onesided_net::Device;
use onesided_trees::{TreesError, TreesModel};
use serde::Serialize;
use std::collections::BTreeMap;

/// Columns whose orders are all looked at.
const ALL_ORDERS: usize = 7;
/// Orders that are drawn where there are more columns; each is followed backward, too.
const ORDERS: usize = 8;
/// Steps of all orders together, beyond which there are fewer of them, and at least one: an order and its reverse share what two columns do
/// together evenly, so only what three or more do together is left to chance.
const STEPS: usize = 400;
/// Rows that are scored at once.
const ROWS_AT_ONCE: usize = 8_192;

/// Rows below which another thread costs more than it saves.
const WORTH_A_THREAD: usize = 16;

/// Rows that are explained together, and then count as done.
const EXPLAINED_AT_ONCE: usize = 256;

/// A feature and what it added to a score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contribution {
    /// The name of the column, with its level where it is a category, or the term.
    pub feature: String,
    /// What it added; below 0 it spoke against the row.
    pub value: f64,
}

/// Says what carried the scores of a model's rows.
pub struct Explainer<'m> {
    model: &'m Model,
    groups: ColumnGroups,
    names: Vec<String>,
    slope: f64,
    /// Whether a link bends the score after the parts were added up.
    bent: bool,
}

impl Model {
    /// An explainer, or an error for models of pictures, whose single pixels carry nothing.
    pub fn explainer(&self) -> Result<Explainer<'_>, Error> {
        let about = self.about();
        if about.features.shape().is_some() {
            return Err(Error::NotExplained { method: about.method.clone(), kind: about.model.clone() });
        }
        let additive = self.fitted().linear().is_some() || matches!(self.fitted(), Fitted::LinkedTrees(_));
        let bent = matches!(self.fitted().link(), Some(Link::LabelFrequency { .. })) && additive;
        let slope = if bent { 1.0 } else { about.calibration.slope };
        let (groups, names) = (about.features.groups(), about.features.names());
        Ok(Explainer { model: self, groups, names, slope, bent })
    }
}

impl Explainer<'_> {
    /// Whether the parts of a row and a base that is the same for all rows add up to its score. They do unless a system's
    /// theory bends the score.
    pub fn adds_up(&self) -> bool {
        !self.bent
    }

    /// The `most` largest parts of the score of row `row`, the largest first. Panics if there is no such row, as indexing a
    /// slice does.
    pub fn row(&self, data: &Dataset, row: usize, most: usize) -> Result<Vec<Contribution>, Error> {
        Ok(self.rows(data, &[row], most)?.pop().unwrap_or_default())
    }

    /// [`row`](Self::row) for several rows, which is quicker.
    pub fn rows(&self, data: &Dataset, rows: &[usize], most: usize) -> Result<Vec<Vec<Contribution>>, Error> {
        let (data, phase) = (self.model.encoded(data)?, Phase::new("explaining", rows.len() as u64, "rows"));
        let mut all = Vec::with_capacity(rows.len());
        for rows in rows.chunks(EXPLAINED_AT_ONCE) {
            all.extend(self.some_rows(&data.select(rows), most)?);
            phase.add(rows.len() as u64);
        }
        Ok(all)
    }

    fn some_rows(&self, some: &Dataset, most: usize) -> Result<Vec<Vec<Contribution>>, Error> {
        let parts = self.parts(self.model.fitted(), some)?;
        let named = |(row, parts): (usize, Vec<f64>)| {
            let mut parts: Vec<(usize, f64)> =
                parts.into_iter().enumerate().filter(|(_, part)| *part != 0.0).collect();
            parts.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
            parts.truncate(most);
            let levels = self.levels(some, row);
            let named = |(group, value): (usize, f64)| Contribution {
                feature: levels[group].unwrap_or(&self.groups.names[group]).to_string(),
                value: self.slope * value,
            };
            parts.into_iter().map(named).collect()
        };
        Ok(parts.into_iter().enumerate().map(named).collect())
    }

    /// The names of the levels that a row has, by group.
    fn levels(&self, data: &Dataset, row: usize) -> Vec<Option<&String>> {
        let mut levels = vec![None; self.groups.names.len()];
        let mut put = |column: usize, value: f32| {
            let group = self.groups.of_encoded[column];
            if value != 0.0 && self.groups.category[group] {
                levels[group] = Some(&self.names[column]);
            }
        };
        match data.rows() {
            Store::Dense(matrix) => {
                matrix.row(row).iter().enumerate().for_each(|(column, &value)| put(column, value))
            }
            Store::Sparse(matrix) => {
                let (columns, values) = matrix.row(row);
                columns.iter().zip(values).for_each(|(&column, &value)| put(column as usize, value));
            }
            _ => {}
        }
        levels
    }

    /// What each group of columns added to f, for each row.
    fn parts(&self, fitted: &Fitted, data: &Dataset) -> Result<Vec<Vec<f64>>, Error> {
        let mut sums = vec![vec![0.0; self.groups.names.len()]; data.len()];
        let mut others = Vec::new();
        self.add_parts(fitted, 1.0, data, &mut sums, &mut others)?;
        if !others.is_empty() {
            add(&mut sums, 1.0, self.by_orders(&others, data)?);
        }
        Ok(sums)
    }

    /// Adds what members added whose parts have a form of their own; the others are asked together.
    fn add_parts<'f>(
        &self,
        fitted: &'f Fitted,
        weight: f64,
        data: &Dataset,
        sums: &mut [Vec<f64>],
        others: &mut Vec<(f64, &'f Fitted)>,
    ) -> Result<(), Error> {
        let linear = fitted.linear().filter(|weights| weights.len() == self.groups.of_encoded.len());
        let parts = match (linear, fitted) {
            (Some(weights), _) => Some(self.of_weights(weights, data)?),
            (None, Fitted::Trees(trees)) => self.of_trees(trees, data)?,
            (None, Fitted::LinkedTrees(linked)) => self.of_trees(&linked.trees, data)?,
            (None, Fitted::Ensemble(members)) => {
                for Member { weight: own, fitted } in members {
                    self.add_parts(fitted, weight * own, data, sums, others)?;
                }
                return Ok(());
            }
            (None, Fitted::Classic(model)) => match (&model.scorer, model.link) {
                (ScoreForm::RandomFeatures { map, model }, None | Some(Link::Sigmoid)) => {
                    Some(self.of_waves(map, model, data)?)
                }
                _ => None,
            },
            _ => None,
        };
        match parts {
            Some(parts) => add(sums, weight, parts),
            None => others.push((weight, fitted)),
        }
        Ok(())
    }

    fn of_weights(&self, weights: Vec<f64>, data: &Dataset) -> Result<Vec<Vec<f64>>, Error> {
        let linear = LinearModel { weights, bias: 0.0 };
        let of_row = |row: usize| -> Result<Vec<f64>, Error> {
            let by_column = match data.rows() {
                Store::Dense(matrix) => linear.contributions(matrix, row),
                Store::Sparse(matrix) => linear.contributions(matrix, row),
                _ => linear.contributions(data.dense()?.as_ref(), row),
            };
            Ok(self.grouped(by_column.into_iter(), &self.groups.of_encoded))
        };
        (0..data.len()).map(of_row).collect()
    }

    fn of_waves(
        &self,
        map: &RandomFeatures,
        model: &LinearModel,
        data: &Dataset,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let (nothing, dense) = (data.encoding().nothing(), data.dense()?);
        let rows: Vec<&[f32]> = (0..data.len()).map(|row| dense.row(row)).collect();
        let groups = (&self.groups.of_encoded, self.groups.names.len());
        let parts = map_stretches(&rows, self.model.threads(), WORTH_A_THREAD, |rows| {
            map.shapley(model, rows, &nothing, groups.0, groups.1)
        });
        Ok(parts.into_iter().flatten().collect())
    }

    /// Trees look at whole columns; those of the first model files of version 3 at encoded ones. Those of files without
    /// covers have no parts of their own.
    fn of_trees(&self, trees: &TreesModel, data: &Dataset) -> Result<Option<Vec<Vec<f64>>>, Error> {
        let columns = data.columns()?;
        let encoded = columns.kinds.len() != trees.features();
        let shap = if encoded {
            trees.shap(data.dense()?.as_ref(), self.model.threads())
        } else {
            trees.shap(columns.matrix.as_ref(), self.model.threads())
        };
        let groups = if encoded { &self.groups.of_encoded } else { &self.groups.of_whole };
        match shap {
            Err(TreesError::NoCover) => Ok(None),
            Err(other) => Err(other.into()),
            Ok(shap) => {
                let grouped = |parts: Vec<f64>| self.grouped(parts.into_iter().enumerate(), groups);
                Ok(Some(shap.parts.into_iter().map(grouped).collect()))
            }
        }
    }

    fn grouped(&self, by_column: impl Iterator<Item = (usize, f64)>, groups: &[usize]) -> Vec<f64> {
        let mut sums = vec![0.0; self.groups.names.len()];
        by_column.for_each(|(column, part)| sums[groups[column]] += part);
        sums
    }

    /// Shapley values of a weighted sum, compared with the row that says nothing. What is asked of all rows is scored together.
    fn by_orders(&self, members: &[(f64, &Fitted)], data: &Dataset) -> Result<Vec<Vec<f64>>, Error> {
        let (nothing, dense) = (data.encoding().nothing(), data.dense()?);
        let there: Vec<Vec<usize>> =
            (0..data.len()).map(|row| self.differing(dense.row(row), &nothing)).collect();
        let mut sets: BTreeMap<usize, Sets> = BTreeMap::new();
        for there in &there {
            sets.entry(there.len()).or_insert_with(|| Sets::of(there.len()));
        }
        let asked: Vec<(usize, &[bool])> = (there.iter().enumerate())
            .flat_map(|(row, there)| sets[&there.len()].known.iter().map(move |known| (row, &known[..])))
            .collect();
        let mut worth = Vec::with_capacity(asked.len());
        for some in asked.chunks(ROWS_AT_ONCE) {
            let rows = match data.rows() {
                Store::Sparse(terms) if nothing.iter().all(|&value| value == 0.0) => {
                    Store::Sparse(self.known_terms(terms, &there, some)?)
                }
                Store::Sparse(_) => {
                    let rows = self.known_values(&dense, &nothing, &there, some)?;
                    Store::Sparse(SparseMatrix::from_dense(&rows))
                }
                _ => Store::Dense(self.known_values(&dense, &nothing, &there, some)?),
            };
            let rows = Dataset::from_encoded(rows, data.encoding().clone())?;
            let mut sums = vec![0.0; rows.len()];
            for (weight, fitted) in members {
                let scores = fitted.scores(&rows, Device::Cpu, self.model.threads())?;
                sums.iter_mut().zip(scores).for_each(|(sum, score)| *sum += weight * f64::from(score));
            }
            worth.extend(sums);
        }
        let mut worth = &worth[..];
        let mut of_row = |there: &Vec<usize>| {
            let sets = &sets[&there.len()];
            let ours = worth.split_off(..sets.known.len()).unwrap_or_default();
            let mut parts = vec![0.0; self.groups.names.len()];
            let of_sets = sets.parts(ours, there.len()).into_iter();
            of_sets.zip(there).for_each(|(part, &group)| parts[group] = part);
            parts
        };
        Ok(there.iter().map(&mut of_row).collect())
    }

    /// Rows with some of their groups of columns, and what says nothing in place of the others.
    fn known_values(
        &self,
        dense: &Matrix,
        nothing: &[f32],
        there: &[Vec<usize>],
        asked: &[(usize, &[bool])],
    ) -> Result<Matrix, Error> {
        let mut cells = Vec::with_capacity(asked.len() * nothing.len());
        let mut is_known = vec![false; self.groups.names.len()];
        for &(row, known) in asked {
            there[row].iter().zip(known).for_each(|(&group, &known)| is_known[group] = known);
            let values = dense.row(row).iter().zip(nothing).zip(&self.groups.of_encoded);
            cells.extend(
                values.map(|((&value, &nothing), &group)| if is_known[group] { value } else { nothing }),
            );
            there[row].iter().for_each(|&group| is_known[group] = false);
        }
        Ok(Matrix::new(asked.len(), nothing.len(), cells)?)
    }

    /// The same of texts, whose rows hold few of many terms: a term that is not known is not there.
    fn known_terms(
        &self,
        terms: &SparseMatrix,
        there: &[Vec<usize>],
        asked: &[(usize, &[bool])],
    ) -> Result<SparseMatrix, Error> {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut is_known = vec![false; self.groups.names.len()];
        for &(row, known) in asked {
            there[row].iter().zip(known).for_each(|(&group, &known)| is_known[group] = known);
            let (of_row, with) = terms.row(row);
            for (&column, &value) in of_row.iter().zip(with) {
                if is_known[self.groups.of_encoded[column as usize]] {
                    columns.push(column);
                    values.push(value);
                }
            }
            starts.push(columns.len());
            there[row].iter().for_each(|&group| is_known[group] = false);
        }
        Ok(SparseMatrix::new(terms.cols(), starts, columns, values)?)
    }

    /// The groups of columns in which a row differs from the one that says nothing.
    fn differing(&self, values: &[f32], nothing: &[f32]) -> Vec<usize> {
        let columns = (0..values.len()).filter(|&column| values[column] != nothing[column]);
        let mut there: Vec<usize> = columns.map(|column| self.groups.of_encoded[column]).collect();
        there.sort_unstable();
        there.dedup();
        there
    }
}

fn add(sums: &mut [Vec<f64>], weight: f64, parts: Vec<Vec<f64>>) {
    for (sum, parts) in sums.iter_mut().zip(parts) {
        sum.iter_mut().zip(parts).for_each(|(sum, part)| *sum += weight * part);
    }
}

/// Sets of known columns whose scores are asked for, and how parts follow from them.
struct Sets {
    known: Vec<Vec<bool>>,
    /// Steps from one set to another by a column, each with its weight.
    steps: Vec<(usize, usize, usize, f64)>,
}

impl Sets {
    fn of(columns: usize) -> Self {
        if columns <= ALL_ORDERS { Self::all(columns) } else { Self::drawn(columns) }
    }

    /// Every set, with the weights |S|! (n - |S| - 1)! / n! of the steps out of it.
    fn all(columns: usize) -> Self {
        let factorial = |n: usize| (1..=n).map(|n| n as f64).product::<f64>();
        let has = |set: usize, column: usize| set >> column & 1 == 1;
        let known = (0..1usize << columns).map(|set| (0..columns).map(|at| has(set, at)).collect()).collect();
        let mut steps = Vec::new();
        for set in 0..1usize << columns {
            let size = set.count_ones() as usize;
            for column in (0..columns).filter(|&column| !has(set, column)) {
                let weight = factorial(size) * factorial(columns - size - 1) / factorial(columns);
                steps.push((column, set, set | 1 << column, weight));
            }
        }
        Self { known, steps }
    }

    /// Some orders and their reverses.
    fn drawn(columns: usize) -> Self {
        let mut stream = Stream::new(0, "orders");
        let (mut known, mut steps) = (Vec::new(), Vec::new());
        let mut order: Vec<usize> = (0..columns).collect();
        let orders = (STEPS / columns.max(1)).clamp(1, ORDERS);
        let weight = 1.0 / (2 * orders) as f64;
        for _ in 0..orders {
            stream.shuffle(&mut order);
            for backward in [false, true] {
                let mut now = vec![false; columns];
                known.push(now.clone());
                for at in 0..columns {
                    let column = order[if backward { columns - 1 - at } else { at }];
                    now[column] = true;
                    steps.push((column, known.len() - 1, known.len(), weight));
                    known.push(now.clone());
                }
            }
        }
        Self { known, steps }
    }

    fn parts(&self, worth: &[f64], columns: usize) -> Vec<f64> {
        let mut parts = vec![0.0; columns];
        for &(column, from, to, weight) in &self.steps {
            parts[column] += weight * (worth[to] - worth[from]);
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x0 x1 + 2 x2 + x3, where all columns are 1 or unknown (0).
    fn worth(sets: &Sets) -> Vec<f64> {
        let of = |known: &Vec<bool>| {
            let x = |at: usize| f64::from(u8::from(known[at]));
            x(0) * x(1) + 2.0 * x(2) + known[3..].iter().map(|&known| f64::from(u8::from(known))).sum::<f64>()
        };
        sets.known.iter().map(of).collect()
    }

    #[test]
    fn few_columns_are_exact_and_many_add_up() {
        let all = Sets::of(4);
        let parts = all.parts(&worth(&all), 4);
        // A product is shared evenly.
        let expected = [0.5, 0.5, 2.0, 1.0];
        assert!(parts.iter().zip(expected).all(|(ours, by)| (ours - by).abs() < 1e-12), "{parts:?}");
        let drawn = Sets::of(20);
        let parts = drawn.parts(&worth(&drawn), 20);
        // An order and its reverse halve a product of two; what is a sum is exact.
        assert!((parts[0] - 0.5).abs() < 1e-12 && (parts[1] - 0.5).abs() < 1e-12, "{parts:?}");
        assert!(parts[3..].iter().all(|part| (part - 1.0).abs() < 1e-12));
        assert!((parts.iter().sum::<f64>() - 20.0).abs() < 1e-9);
        // Eight orders of 20 columns and one of 500, forward and backward; the product is shared evenly by one, too.
        assert_eq!((drawn.known.len(), Sets::of(500).known.len()), (16 * 21, 2 * 501));
        let many = Sets::of(500);
        let parts = many.parts(&worth(&many), 500);
        assert!((parts[0] - 0.5).abs() < 1e-12 && (parts[499] - 1.0).abs() < 1e-12, "{parts:?}");
    }
}
