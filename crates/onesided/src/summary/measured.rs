//! What scores of labeled positives and of a list tell: of a table that is ranked, and of the rows of a fit, which a model knows.

use super::{
    Along, Assumption, Check, LearnedColumn, ModelSummary, PicturesSeen, ScoreBins, Summary, assumptions,
};
use crate::{
    Among, Error, FittedRows, HowScored, KnownRows, Model, ReviewList, RowKind, ShareInList, review::between,
};
use onesided_eval::Reliability;

/// Groups of rows whose probabilities are looked at.
const GROUPS: usize = 8;

const IN_SAMPLE: &str = "the model was fitted on these very rows, and there are no scores of them by models that had not met them, so every \
    number along the list would flatter it; keep the file of rows next to the model, or report on another table";
const NO_POSITIVES: &str = "there are no labeled positives here that the model has never met, so nothing is known of where positives rank; \
    name the column of labels, or fit with a reserve";
const NO_ROWS: &str = "rows were not looked at";
const NO_SCORES: &str =
    "the model has no scores of the rows that it was fitted on by models that had not met them; give it rows";

/// What there is to say of a list without its cells.
pub(super) struct Measured {
    pub bins: Option<ScoreBins>,
    pub along: Result<Along, String>,
    pub share: Option<ShareInList>,
    pub reliability: Vec<Reliability>,
}

impl Measured {
    /// From scores of labeled positives and of the list.
    pub fn of(
        model: &Model,
        (positive, listed): (Vec<f32>, Vec<f32>),
        scored: HowScored,
        reserved: Option<ReviewList>,
        predicted_positive: usize,
        withheld: Option<String>,
        fitted: Option<&FittedRows>,
    ) -> Result<Self, Error> {
        let bins = ScoreBins::of(&positive, &listed);
        // Labeled positives that the scorers have not met; those of a new table serve nothing else, either.
        let has_labeled = !positive.is_empty() && !listed.is_empty() && scored != HowScored::InSample;
        let labeled = has_labeled.then(|| ReviewList::labeled(model, positive, listed));
        let met = !matches!(scored, HowScored::New);
        let (reviewed, promising) = match (labeled, reserved) {
            (Some(labeled), reserved) if met => (Some(labeled), reserved),
            (None, Some(_)) if met => (None, None),
            (labeled, reserved) => (reserved.clone().or(labeled.clone()), reserved.or(labeled)),
        };
        let (share, reliability) = match (&withheld, &reviewed) {
            (None, Some(list)) => (list.share(), list.reliability(GROUPS)?),
            (None, None) => (share_of(model, fitted), Vec::new()),
            (Some(_), _) => (None, Vec::new()),
        };
        let along = match (withheld, reviewed) {
            (Some(why), _) => Err(why),
            (None, None) if scored == HowScored::InSample => Err(IN_SAMPLE.to_string()),
            (None, None) => Err(NO_POSITIVES.to_string()),
            (None, Some(list)) => Ok(Along {
                promises_of_new_rows: met,
                ..Along::of(&list, predicted_positive, promising.as_ref())?
            }),
        };
        Ok(Self { bins, along, share, reliability })
    }
}

/// Of a list without labeled positives to compare with.
fn share_of(model: &Model, fitted: Option<&FittedRows>) -> Option<ShareInList> {
    match fitted.is_some_and(|fitted| fitted.unlabeled > 0) {
        true => model.share_in_unlabeled(),
        false => model.share_in_population(),
    }
}

impl Model {
    /// What there is to show of the rows that it was fitted on without reading them again: the model keeps a score for each by models
    /// that had not met it. Rows, columns, importance and effects are left out. [`Error::NoUse`] where there are no such scores.
    pub fn summary_of_fit(&self) -> Result<Summary, Error> {
        let known = self.known_rows().filter(|known| known.is_complete());
        let Some(known) = known.filter(|_| !self.about().is_supervised()) else {
            return Err(Error::NoUse { setting: "rows", why: NO_SCORES });
        };
        let (positive, listed) = known.scores_by_label();
        let rows = listed.len();
        let predicted_positive = listed.iter().filter(|&&score| self.decides(score)).count();
        let reserved = match self.about().reserve.is_empty() {
            true => None,
            false => Some(self.review_among(listed.clone(), Among::Unlabeled)?),
        };
        let scored = HowScored::OutOfFold(self.about().report.folds);
        let withheld = self.withheld(&[]);
        let Measured { bins, along, share, reliability } =
            Measured::of(self, (positive, listed), scored, reserved, predicted_positive, withheld, None)?;
        let mut checks = Check::of_model(self);
        checks.sort_by_key(|check| check.level);
        let assumptions: Vec<Assumption> = assumptions::of(self, scored, true, &[], None);
        Ok(Summary {
            place: "the rows of the fit".to_string(),
            listed_place: "the rows of the fit".to_string(),
            takes: self.encoding().takes(),
            model: ModelSummary::of(self)?,
            rows,
            predicted_positive,
            assumptions,
            positives: share.map(|share| between(share.share, rows)),
            share,
            fitted: None,
            scored,
            scores: bins,
            along,
            reliability,
            checks,
            importance: Err(NO_ROWS.to_string()),
            effects: Vec::new(),
            columns: LearnedColumn::of_encoding(self.encoding()),
            names: Vec::new(),
            first: Vec::new(),
            starts: Vec::new(),
            words: Vec::new(),
            pictures: PicturesSeen::default(),
        })
    }
}

impl KnownRows {
    /// Scores of labeled positives, and of rows that are listed: those without a label, and those that nothing tells apart from labeled
    /// ones.
    fn scores_by_label(&self) -> (Vec<f32>, Vec<f32>) {
        let of = |wanted: fn(RowKind) -> bool| {
            let rows = self.scores.iter().zip(&self.kinds);
            rows.filter(|(_, kind)| wanted(**kind)).map(|(score, _)| *score).collect()
        };
        (of(|kind| kind == RowKind::Positive), of(|kind| !kind.is_labeled()))
    }
}
