//! What scores while the chance of being labeled is learned: small boosted trees of rows that are positive in part, out of fold.

use crate::scorers::{Boosting as Size, TableSize};
use crate::{Error, Task, Views};
use onesided_data::{Label, stratified_folds};
use onesided_loss::sigmoid;
use onesided_trees::{Boosting, TreesConfig};

/// Trees and their leaves: rough, and trained a dozen times.
const TREES: usize = 60;
const LEAVES: usize = 8;
const SMALLEST_LEAF: usize = 10;
/// Parts of the rows, each scored by trees that were grown on the others.
const FOLDS: usize = 2;

/// Rows dealt into folds.
pub(super) struct QuickTrees<'t> {
    task: &'t Task<'t>,
    views: &'t Views<'t>,
    config: TreesConfig,
    /// The rows, and the fold of each.
    pub rows: Vec<u32>,
    pub fold: Vec<usize>,
}

impl<'t> QuickTrees<'t> {
    /// Deals these rows of a task, so that each fold has as many labeled ones. Equal rows stay together.
    pub fn new(task: &'t Task<'t>, views: &'t Views<'t>, rows: Vec<u32>) -> Result<Self, Error> {
        let labels: Vec<Label> = rows.iter().map(|&row| task.labels[row as usize]).collect();
        let folds = stratified_folds(&labels, FOLDS, task.seed)?;
        let mut parts: Vec<Vec<usize>> =
            folds.iter().map(|(_, held)| held.iter().map(|&at| rows[at] as usize).collect()).collect();
        task.gather(&mut parts);
        let mut dealt: Vec<(u32, usize)> = parts
            .iter()
            .enumerate()
            .flat_map(|(fold, part)| part.iter().map(move |&row| (row as u32, fold)))
            .collect();
        dealt.sort_unstable();
        let (rows, fold) = dealt.into_iter().unzip();
        let size = Size { trees: TREES, max_leaves: LEAVES, learning_rate: 0.1, l2: 1.0 };
        let config = TreesConfig {
            min_child_rows: SMALLEST_LEAF,
            seed: task.seed,
            threads: task.machine.threads,
            ..TableSize::of(task.data).boosted(size)
        };
        Ok(Self { task, views, config, rows, fold })
    }

    /// How many folds there are.
    pub fn folds(&self) -> usize {
        FOLDS
    }

    /// The logit of each row by trees that were grown without its fold, on rows that are positive in these parts.
    pub fn out_of_fold(&self, positive: &[f64]) -> Result<Vec<f64>, Error> {
        let binned = self.views.binned()?;
        let mut logits = vec![0.0; self.rows.len()];
        for fold in 0..FOLDS {
            let places = |held: bool| -> Vec<usize> {
                (0..self.rows.len()).filter(|&at| (self.fold[at] == fold) == held).collect()
            };
            let (training, held) = (places(false), places(true));
            let rows = |places: &[usize]| places.iter().map(|&at| self.rows[at]).collect::<Vec<u32>>();
            let (training_rows, held_rows) = (rows(&training), rows(&held));
            let is_labeled = |row: u32| self.task.labels[row as usize] == Label::Positive;
            let ordered = binned.ordered(&training_rows, is_labeled, self.task.seed)?;
            let binned = ordered.as_ref().unwrap_or(binned);
            let shares: Vec<f64> = training.iter().map(|&at| positive[at]).collect();
            let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
            let start = (mean / (1.0 - mean)).ln();
            let boosting = Boosting { binned, training: &training_rows, start, config: &self.config };
            let mut derivatives = |scores: &[f64], of_rows: &mut [(f32, f32)]| {
                for ((of_row, &score), &share) in of_rows.iter_mut().zip(scores).zip(&shares) {
                    let s = sigmoid(score);
                    *of_row = ((s - share) as f32, (s * (1.0 - s)) as f32);
                }
            };
            let grown = boosting.run(&mut derivatives, None, &mut |_| true)?.model;
            let said = grown.logits_of_with_threads(binned, &held_rows, self.config.threads)?;
            held.iter().zip(said).for_each(|(&at, logit)| logits[at] = logit);
        }
        Ok(logits)
    }
}

/// For each of the labeled and unlabeled rows the logit of "labeled" by small trees that had not met it, at a low price: where it would rank.
/// `None` of known negatives.
pub fn labeled_against_rest(task: &Task, views: &Views) -> Result<Vec<Option<f64>>, Error> {
    let rows: Vec<u32> = (0u32..)
        .zip(task.labels.iter())
        .filter(|(_, label)| **label != Label::Negative)
        .map(|(row, _)| row)
        .collect();
    let trees = QuickTrees::new(task, views, rows)?;
    let labeled: Vec<f64> = trees
        .rows
        .iter()
        .map(|&row| f64::from(u8::from(task.labels[row as usize] == Label::Positive)))
        .collect();
    let mut of_rows = vec![None; task.labels.len()];
    for (&row, logit) in trees.rows.iter().zip(trees.out_of_fold(&labeled)?) {
        of_rows[row as usize] = Some(logit);
    }
    Ok(of_rows)
}
