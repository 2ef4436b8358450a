//! Whether the labels of a fit can be a random sample of the positives, from scores out of fold that are there anyway.

use crate::{Error, Model};
use onesided_data::{Label, Scenario, Store};
use onesided_eval::{LabelingRows, LabelingSets, LabelingTest, labeling_test};
use onesided_learn::Task;
use std::collections::HashMap;

/// Tests the labels of a task by `scores`, one per row where there is one by what had not met it. `None` where a test says nothing: with
/// weights, of the truth, and without a share or with one that was merely assumed.
///
/// `cells_of` reads cells of rows that are not in memory.
pub(crate) fn test_labels(
    model: &Model,
    task: &Task,
    scores: &[Option<f32>],
    cells_of: Option<&CellsOf>,
) -> Result<Option<LabelingTest>, Error> {
    let about = model.about();
    let estimate = about.prior_estimate.as_ref();
    let assumed = estimate.is_some_and(|estimate| estimate.assumed.is_some());
    let least = about.least_share().filter(|_| !task.truth && task.weights.is_none() && !assumed);
    let Some(least) = least else { return Ok(None) };
    let rows: Vec<usize> = (0..task.labels.len())
        .filter(|&row| task.labels[row] != Label::Negative && scores[row].is_some())
        .collect();
    let whole = rows.len() == task.counts.positive + task.counts.unlabeled;
    let drawn = task.reserved > 0 || task.all_unlabeled.is_some();
    let labeled: Vec<bool> = rows.iter().map(|&row| task.labels[row] == Label::Positive).collect();
    let of_rows: Vec<f32> = rows.iter().filter_map(|&row| scores[row]).collect();
    let given = LabelingRows {
        scores: &of_rows,
        labeled: &labeled,
        least,
        estimated: estimate.is_some() && !least.audited,
        one_sample: task.scenario == Scenario::SingleSample && whole && !drawn,
        seed: task.seed,
    };
    let names = || task.data.encoding().names();
    Ok(match (task.data.rows(), cells_of) {
        (Store::Dense(matrix), _) => {
            labeling_test(given, &names(), |column, row| matrix.row(rows[row])[column])
        }
        (Store::Away { .. }, Some(cells_of)) => {
            let Some(sets) = LabelingSets::new(given) else { return Ok(None) };
            let wanted: Vec<usize> = sets.rows().iter().map(|&row| rows[row as usize]).collect();
            let found = cells_of(&wanted, &rows, LabelingSets::COLUMNS)?;
            let names = if found.is_some() { names() } else { Vec::new() };
            let FirstCells { cells, sums } = found.unwrap_or_default();
            let place: HashMap<u32, usize> = (0..).zip(sets.rows()).map(|(at, &row)| (row, at)).collect();
            let value = |column: usize, row: usize| cells[place[&(row as u32)] * sums.len() + column];
            Some(sets.test(&names, value, |column| sums[column]))
        }
        _ => labeling_test(given, &[], |_, _| 0.0),
    })
}

/// Cells of some rows that are not in memory, row by row, and the sum of each column over all that count.
#[derive(Debug, Default)]
pub(crate) struct FirstCells {
    pub cells: Vec<f32>,
    pub sums: Vec<f64>,
}

/// Reads them: of which rows, in this order, over which rows sums are, ascending, and how many columns at most. `None` where rows are
/// sparse, whose columns are not looked at.
pub(crate) type CellsOf<'c> = dyn Fn(&[usize], &[usize], usize) -> Result<Option<FirstCells>, Error> + 'c;
