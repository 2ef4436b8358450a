//! A scorer of your own through the whole pipeline: held-out rows, calibration, threshold and metrics come with it.
//!
//! In a clone of the repository: `cargo run --release -p onesided --example own_scorer`.

use onesided::{
    ClassPrior, Dataset, Error, Input, InputOptions, Label, Learner, Matrix, OwnModel, OwnScorer,
};
use std::path::Path;
use std::sync::Arc;

/// How many neighbors have a say.
const NEIGHBORS: usize = 50;

/// The share of labeled positives among the nearest training rows.
struct Nearest {
    rows: Matrix,
    labeled: Vec<bool>,
}

impl Nearest {
    fn score(&self, row: &[f32]) -> f32 {
        let distance = |other: &[f32]| row.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
        let mut all: Vec<(f32, bool)> = self
            .labeled
            .iter()
            .enumerate()
            .map(|(i, &labeled)| (distance(self.rows.row(i)), labeled))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all.truncate(NEIGHBORS);
        all.iter().filter(|(_, labeled)| *labeled).count() as f32 / all.len().max(1) as f32
    }
}

impl OwnModel for Nearest {
    fn scores(&self, rows: &Dataset) -> Result<Vec<f32>, Error> {
        let rows = rows.dense()?;
        Ok((0..rows.rows()).map(|i| self.score(rows.row(i))).collect())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let options = InputOptions::labeled("y");
    let data = options.read(&Input::one(tables.join("train.csv")))?;

    // It is asked several times, each time with other rows to learn from. The second argument is a seed.
    let scorer = OwnScorer::new("nearest", |rows, _seed| {
        let labels = rows.labels().ok_or(Error::NeedsLabels)?;
        let labeled = labels.iter().map(|&label| label == Label::Positive).collect();
        Ok(Arc::new(Nearest { rows: rows.dense()?.into_owned(), labeled }) as Arc<dyn OwnModel>)
    });
    let model = Learner::new().scorer(scorer).prior(ClassPrior::new(0.3)?).fit(&data)?;
    for best in model.rank_file(tables.join("new.csv"))?.iter().take(5) {
        println!("row {}: probability {:.3}", best.row + 1, best.probability);
    }
    Ok(())
}
