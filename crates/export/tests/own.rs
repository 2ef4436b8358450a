//! A scorer of one's own has no form that another runtime could run.

use onesided::{ClassPrior, Dataset, Error, Label, Learner, Matrix, Model, OwnModel, OwnScorer};
use onesided_export::{ExportOptions, Format, export};
use std::sync::Arc;

/// The first column.
struct First;

impl OwnModel for First {
    fn scores(&self, rows: &Dataset) -> Result<Vec<f32>, Error> {
        let rows = rows.dense()?;
        Ok((0..rows.rows()).map(|row| rows.row(row)[0]).collect())
    }
}

fn fitted() -> Model {
    let values = (0..400).map(|row| if row < 200 { 1.0 } else { -1.0 } + (row % 7) as f32 / 7.0).collect();
    let labels = (0..400).map(|row| if row < 100 { Label::Positive } else { Label::Unlabeled }).collect();
    let data = Dataset::from_matrix(Matrix::new(400, 1, values).unwrap(), None).unwrap();
    let scorer = OwnScorer::new("first", |_, _| Ok(Arc::new(First) as Arc<dyn OwnModel>));
    let learner = Learner::new().prior(ClassPrior::new(0.5).unwrap()).scorer(scorer);
    learner.fit(&data.with_labels(labels).unwrap()).unwrap()
}

#[test]
fn a_scorer_of_ones_own_is_refused_by_name() {
    let model = fitted();
    for format in Format::ALL {
        let refused = export(&model, format, &ExportOptions::default()).unwrap_err().to_string();
        assert_eq!(
            refused, "the model scores with 'first', a scorer of your own, which cannot be exported",
            "{format}"
        );
    }
}
