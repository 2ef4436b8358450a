//! The scores of rows some columns of which changed places: of trees, only those that look at these columns are asked again.
//!
//! What the others say is the same as before, so that a pass over a column of a wide table takes a small part of the time that scoring
//! does. The parts are added up as numbers of 64 bits; a row whose cells did not change keeps its score to the bit.

use crate::{Error, Model};
use onesided_data::{ColumnGroups, Dataset};
use onesided_learn::{Fitted, Member};
use onesided_net::Device;
use onesided_trees::TreesModel;
use std::ops::Range;

/// A model taken apart, over some rows that are there several times.
pub(crate) struct Shuffled<'m> {
    model: &'m Model,
    groups: ColumnGroups,
    data: Dataset,
    /// What the parts say that are made of trees: with their weights.
    trees: Vec<(f64, &'m TreesModel)>,
    /// And what all others do.
    others: Vec<(f64, &'m Fitted)>,
    /// The sum of what trees say of each row as it is.
    of_trees: Vec<f64>,
}

impl<'m> Shuffled<'m> {
    /// The parts of a model over these rows, which its encoding made.
    pub fn new(model: &'m Model, data: Dataset) -> Result<Self, Error> {
        let (mut trees, mut others) = (Vec::new(), Vec::new());
        take_apart(model.fitted(), 1.0, &mut trees, &mut others);
        let mut all = Self {
            model,
            groups: model.about().features.groups(),
            of_trees: vec![0.0; data.len()],
            data,
            trees,
            others,
        };
        for (weight, trees) in &all.trees {
            let said = all.model.trees_scores(trees, &all.data)?;
            all.of_trees.iter_mut().zip(said).for_each(|(sum, score)| *sum += weight * score);
        }
        Ok(all)
    }

    /// The score of each row with these encoded columns of row `order[i]` in row i.
    pub fn scores(&self, columns: &Range<usize>, order: &[usize]) -> Result<Vec<f32>, Error> {
        let moved = self.data.permuted(columns.clone(), order)?;
        let mut sums = self.of_trees.clone();
        for &(weight, trees) in &self.trees {
            let some = trees.that_look_at(|feature| self.is_among(feature, trees.features(), columns));
            if some.trees().is_empty() {
                continue;
            }
            let before = self.model.trees_scores(&some, &self.data)?;
            let after = self.model.trees_scores(&some, &moved)?;
            let changes = before.into_iter().zip(after).map(|(before, after)| after - before);
            sums.iter_mut().zip(changes).for_each(|(sum, change)| *sum += weight * change);
        }
        for (weight, fitted) in &self.others {
            let said = fitted.scores(&moved, Device::Cpu, self.model.threads())?;
            sums.iter_mut().zip(said).for_each(|(sum, score)| *sum += weight * f64::from(score));
        }
        Ok(sums.into_iter().map(|sum| sum as f32).collect())
    }

    /// Whether a feature of trees is among some encoded columns. Trees look at whole columns; those of the first model files of
    /// version 3 at encoded ones.
    fn is_among(&self, feature: usize, features: usize, columns: &Range<usize>) -> bool {
        let of_encoded = &self.groups.of_encoded;
        if features == self.groups.of_whole.len() {
            columns.clone().any(|column| of_encoded[column] == self.groups.of_whole[feature])
        } else {
            columns.contains(&feature)
        }
    }
}

/// The parts of a sum, each with what it is multiplied by.
fn take_apart<'f>(
    fitted: &'f Fitted,
    weight: f64,
    trees: &mut Vec<(f64, &'f TreesModel)>,
    others: &mut Vec<(f64, &'f Fitted)>,
) {
    match fitted {
        Fitted::Trees(model) => trees.push((weight, model)),
        Fitted::Ensemble(members) => {
            for Member { weight: own, fitted } in members {
                take_apart(fitted, weight * own, trees, others);
            }
        }
        other => others.push((weight, other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClassPrior, Learner};
    use onesided_data::{Label, Matrix, Stream};

    /// Rows whose first two columns tell positives, one in three of which is labeled; the third says nothing.
    fn rows() -> Dataset {
        let mut stream = Stream::new(3, "shuffled rows");
        let values: Vec<f32> = (0..400 * 3).map(|_| stream.normal() as f32).collect();
        let label = |row: usize| {
            let positive = values[3 * row] + values[3 * row + 1] > 0.5;
            if positive && row.is_multiple_of(3) { Label::Positive } else { Label::Unlabeled }
        };
        let labels = (0..400).map(label).collect();
        let matrix = Matrix::new(400, 3, values.clone()).unwrap();
        Dataset::from_matrix(matrix, None).unwrap().with_labels(labels).unwrap()
    }

    /// A quick blend has a line and trees.
    #[test]
    fn parts_say_what_the_model_says() {
        let data = rows();
        let learner = Learner::new().set("effort", "quick").unwrap().prior(ClassPrior::new(0.35).unwrap());
        let model = learner.fit(&data).unwrap();
        let encoded = model.encoded(&data).unwrap().into_owned();
        let shuffled = Shuffled::new(&model, encoded.clone()).unwrap();
        assert!(!shuffled.trees.is_empty());
        let as_they_are: Vec<usize> = (0..400).collect();
        let mut order = as_they_are.clone();
        Stream::new(4, "order").shuffle(&mut order);
        for (columns, order) in [(0..1, &order), (2..3, &order), (1..2, &as_they_are)] {
            let said = shuffled.scores(&columns, order).unwrap();
            let by_model = model.raw(&encoded.permuted(columns.clone(), order).unwrap()).unwrap();
            let off = said.iter().zip(&by_model).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(off < 1e-4, "{columns:?}: {off}");
        }
        let rows_per_second = model.rows_per_second().unwrap().unwrap();
        assert!(rows_per_second.is_finite() && rows_per_second > 0.0);
    }
}
