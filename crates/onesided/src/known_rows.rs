//! The rows that a model was fitted on, each with the score of what was trained without it.
//!
//! A model has learned the rows it was fitted on by heart, more or less: it scores a hidden positive low because it met the
//! row as an unlabeled one. A list of these very rows is therefore ranked by scores *out of fold*, which fitting makes anyway.
//! They are kept in a file next to the model (`rows_file.rs`), which knows rows by fingerprints of their encoded cells.
//!
//! Rows that are equal in all that a model looks at have one fingerprint. They get one score, the mean of theirs. Which of them is
//! labeled is told by the column that labels came from and by a column that names rows, where the data have them, and never by their
//! order; where nothing tells labeled rows and others apart they are [`Ambiguous`](RowKind::Ambiguous) and stay in every list.

use crate::{Among, Error, Model};
use onesided_data::{DataError, Dataset, Label, LabelColumn, RowNames};

/// The share of a table's rows that must be known before it is taken for the fitted one.
const MOSTLY: f64 = 0.5;

/// What a row is to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowKind {
    /// The model was not fitted on it.
    New,
    /// It was there, without a label.
    Unlabeled,
    /// It was there, labeled positive.
    Positive,
    /// It was there, as a known negative.
    Negative,
    /// It is equal to labeled rows and to others, and nothing tells which of them it is.
    Ambiguous,
}

impl RowKind {
    /// Whether somebody knows what it is.
    pub fn is_labeled(self) -> bool {
        matches!(self, RowKind::Positive | RowKind::Negative)
    }

    /// In a word: `new`, `unlabeled`, `positive`, `negative` or `ambiguous`.
    pub fn word(self) -> &'static str {
        match self {
            RowKind::New => "new",
            RowKind::Unlabeled => "unlabeled",
            RowKind::Positive => "positive",
            RowKind::Negative => "negative",
            RowKind::Ambiguous => "ambiguous",
        }
    }
}

/// What the scores out of fold come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoredBy {
    /// The method that was fitted, on other rows.
    Method,
    /// Models behind the estimate of the share of positives, on other rows: the method holds out one share alone.
    Prior,
}

/// Scores (logits at the population's prior) of the rows of a fit, by what was trained without them.
pub(crate) struct OutOfFold {
    pub scores: Vec<Option<f32>>,
    pub by: ScoredBy,
}

/// The rows that a model was fitted on, by fingerprint.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownRows {
    pub(crate) by: ScoredBy,
    pub(crate) salt: u64,
    /// Ascending, and with them the scores and the kinds.
    pub(crate) fingerprints: Vec<u64>,
    pub(crate) scores: Vec<f32>,
    pub(crate) kinds: Vec<RowKind>,
    pub(crate) label: Option<LabelColumn>,
    /// What rows are called that are equal to others of another kind; for all others 0.
    pub(crate) named: Option<RowNames>,
}

impl KnownRows {
    /// Rows, encoded, with their scores and kinds. `salt` should be another for each model.
    pub(crate) fn new(
        data: &Dataset,
        scores: &[Option<f32>],
        kinds: Vec<RowKind>,
        salt: u64,
    ) -> Result<Self, DataError> {
        let of_rows = data.fingerprints(salt)?;
        let named = data.row_names().map(|named| named.salted(salt));
        Ok(Self::sorted(&of_rows, scores, &kinds, salt, named).labeled_by(data.label_column().cloned()))
    }

    /// Rows by their fingerprints, which were made with this salt.
    pub(crate) fn of_fingerprints(
        of_rows: &[u64],
        scores: &[Option<f32>],
        kinds: &[RowKind],
        salt: u64,
    ) -> Self {
        Self::sorted(of_rows, scores, kinds, salt, None)
    }

    fn sorted(
        of_rows: &[u64],
        scores: &[Option<f32>],
        kinds: &[RowKind],
        salt: u64,
        named: Option<RowNames>,
    ) -> Self {
        let mut order: Vec<usize> = (0..of_rows.len()).collect();
        // Equal rows in an order that is not that of the table.
        let name = |row: usize| named.as_ref().map_or(0, |named| named.prints[row]);
        let place = |row: usize| (of_rows[row], kinds[row] as u8, name(row));
        let score = |row: usize| scores[row].unwrap_or(f32::NAN);
        order.sort_by(|&a, &b| place(a).cmp(&place(b)).then(score(a).total_cmp(&score(b))));
        let known = Self {
            by: ScoredBy::Method,
            salt,
            fingerprints: order.iter().map(|&row| of_rows[row]).collect(),
            scores: order.iter().map(|&row| score(row)).collect(),
            kinds: order.iter().map(|&row| kinds[row]).collect(),
            label: None,
            named: named.as_ref().map(|named| RowNames {
                column: named.column.clone(),
                prints: order.iter().map(|&row| named.prints[row]).collect(),
            }),
        };
        known.with_equal_scores().with_few_names()
    }

    /// Where equal rows are of different kinds.
    pub(crate) fn mixed(&self) -> Vec<std::ops::Range<usize>> {
        let mut first = 0;
        let groups = self.fingerprints.chunk_by(|a, b| a == b).map(|equal| {
            first += equal.len();
            first - equal.len()..first
        });
        groups
            .filter(|group| self.kinds[group.clone()].iter().any(|kind| *kind != self.kinds[group.start]))
            .collect()
    }

    /// Forgets what rows are called that need no name.
    fn with_few_names(mut self) -> Self {
        let mixed = self.mixed();
        self.named = self.named.filter(|_| !mixed.is_empty()).map(|mut named| {
            let mut few = vec![0; named.prints.len()];
            for group in mixed {
                few[group.clone()].copy_from_slice(&named.prints[group]);
            }
            named.prints = few;
            named
        });
        self
    }

    /// Gives equal rows the mean of their scores: what a list shows of them must not depend on their order.
    pub(crate) fn with_equal_scores(mut self) -> Self {
        let mut rest = self.scores.as_mut_slice();
        for equal in self.fingerprints.chunk_by(|a, b| a == b) {
            let (scores, others) = rest.split_at_mut(equal.len());
            rest = others;
            if scores.iter().any(|score| *score != scores[0]) {
                scores.sort_by(f32::total_cmp);
                let mean = scores.iter().copied().map(f64::from).sum::<f64>() / scores.len() as f64;
                scores.fill(mean as f32);
            }
        }
        self
    }

    /// Says which column labels came from.
    pub(crate) fn labeled_by(self, label: Option<LabelColumn>) -> Self {
        Self { label, ..self }
    }

    /// The column that labels came from, where it was one: read it along ([`ReadAgain::told`](crate::ReadAgain::told)), and it tells
    /// equal rows apart.
    pub fn label_column(&self) -> Option<&LabelColumn> {
        self.label.as_ref()
    }

    /// The column that names rows, where one tells equal rows apart: read it along
    /// ([`ReadAgain::named`](crate::ReadAgain::named)).
    pub fn name_column(&self) -> Option<&String> {
        self.named.as_ref().map(|named| &named.column)
    }

    /// The label of the row with this name among equal ones, where it had one.
    fn label_of(&self, first: usize, equal: usize, name: u64) -> Option<Label> {
        let names = &self.named.as_ref().filter(|_| name != 0)?.prints[first..first + equal];
        let kinds = &self.kinds[first..first + equal];
        [(RowKind::Positive, Label::Positive), (RowKind::Negative, Label::Negative)].iter().find_map(
            |&(kind, label)| {
                let start = kinds.partition_point(|other| (*other as u8) < kind as u8);
                let end = kinds.partition_point(|other| *other as u8 <= kind as u8);
                names[start..end].binary_search(&name).is_ok().then_some(label)
            },
        )
    }

    /// Says what the scores come from.
    pub(crate) fn scored_by(self, by: ScoredBy) -> Self {
        Self { by, ..self }
    }

    /// What the scores come from.
    pub fn by(&self) -> ScoredBy {
        self.by
    }

    /// No rows: where nothing is known of those that a model was fitted on.
    pub fn none() -> &'static Self {
        static NONE: KnownRows = KnownRows {
            by: ScoredBy::Method,
            salt: 0,
            fingerprints: Vec::new(),
            scores: Vec::new(),
            kinds: Vec::new(),
            label: None,
            named: None,
        };
        &NONE
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fingerprints.is_empty()
    }

    /// Whether every row has a score by what was trained without it. Otherwise none is used: scores in and out of fold do not
    /// belong in one list.
    pub fn is_complete(&self) -> bool {
        !self.is_empty() && self.scores.iter().all(|score| score.is_finite())
    }

    /// How many rows are equal to another one.
    fn with_twins(&self) -> usize {
        self.fingerprints.chunk_by(|a, b| a == b).map(<[u64]>::len).filter(|&equal| equal > 1).sum()
    }

    /// Looks for rows among these, some at a time.
    pub fn matcher(&self) -> RowMatcher<'_> {
        let groups = vec![Group::default(); self.len()];
        let has_labels = self.kinds.iter().any(|kind| kind.is_labeled());
        let (seen, found, met, told_new, by_column) = (0, 0, 0, 0, 0);
        RowMatcher { known: self, groups, seen, found, met, told_new, by_column, is_told: false, has_labels }
    }

    /// The rows with a fingerprint: the place of the first, and how many there are.
    fn equal(&self, fingerprint: u64) -> Option<(usize, usize)> {
        let first = self.fingerprints.partition_point(|&known| known < fingerprint);
        let equal = self.fingerprints[first..].iter().take_while(|&&known| known == fingerprint).count();
        (equal > 0).then_some((first, equal))
    }
}

/// What is known of a row so far: to which rows of the fit it is equal, and what the data say of its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met {
    /// The place of the first row of the fit that it is equal to.
    group: Option<u32>,
    told: Option<Label>,
}

impl Met {
    /// A row of which nothing is known.
    pub const NEW: Self = Self { group: None, told: None };

    /// In five bytes.
    pub fn to_bytes(self) -> [u8; 5] {
        let [a, b, c, d] = self.group.unwrap_or(u32::MAX).to_le_bytes();
        let told = match self.told {
            None => 0,
            Some(Label::Unlabeled) => 1,
            Some(Label::Positive) => 2,
            Some(Label::Negative) => 3,
        };
        [a, b, c, d, told]
    }

    /// What [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(bytes: [u8; 5]) -> Self {
        let [a, b, c, d, told] = bytes;
        let group = Some(u32::from_le_bytes([a, b, c, d])).filter(|&group| group != u32::MAX);
        let told = match told {
            1 => Some(Label::Unlabeled),
            2 => Some(Label::Positive),
            3 => Some(Label::Negative),
            _ => None,
        };
        Self { group, told }
    }

    /// Whether the model was fitted on it, or on a row that is equal.
    pub fn is_known(self) -> bool {
        self.group.is_some()
    }

    fn is_told_labeled(self) -> bool {
        self.told.is_some_and(|told| told != Label::Unlabeled)
    }
}

/// Rows that are equal, as far as they were met.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    seen: u32,
    /// How many of them are told to be labeled.
    told: u32,
    /// How many of them a column of labels calls labeled.
    by_column: u32,
}

/// Looks for rows among those that a model was fitted on, some at a time. What each is is known once all were seen, and does
/// not depend on their order.
#[derive(Clone, Debug)]
pub struct RowMatcher<'k> {
    known: &'k KnownRows,
    /// By the place of the first of equal rows.
    groups: Vec<Group>,
    seen: usize,
    found: usize,
    met: usize,
    /// Rows that the model was not fitted on and that are told to be labeled.
    told_new: usize,
    /// Rows of which a column says whether they are labeled.
    by_column: usize,
    /// Whether labels were asked for by name, so that they count for every row.
    is_told: bool,
    /// Whether any row of the fit was labeled; if not, there is nothing that the others lack.
    has_labels: bool,
}

/// What is known of rows, some of which a model was fitted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchedRows {
    /// How many of them it was fitted on; of equal rows no more than there were.
    pub found: usize,
    /// Whether they are the rows that it was fitted on, perhaps with others.
    pub is_fitted_table: bool,
    /// How many labeled rows do not belong in a list of them.
    pub labeled: usize,
    /// How many of those the model was not fitted on.
    pub labeled_new: usize,
    /// How many are known to be unlabeled.
    pub unlabeled: usize,
    /// How many are equal to labeled rows and cannot be told from them, in a list without labeled rows.
    pub ambiguous: usize,
    /// How many a column of labels calls labeled that were not when the model was fitted.
    pub labeled_since: usize,
    /// How many were labeled when the model was fitted and are not by a column of labels.
    pub not_labeled_now: usize,
}

impl<'k> RowMatcher<'k> {
    /// The labels that data tell were asked for: rows with one do not belong in a list, whether the model was fitted on them or
    /// not. Otherwise they tell rows apart that it was fitted on.
    #[must_use]
    pub fn with_told(self, is_told: bool) -> Self {
        Self { is_told, ..self }
    }

    /// What is known so far of each of the next rows, and its score out of fold where it has one. The rows must be encoded for
    /// the model, as [`Model::rescore_known`] sees to.
    pub fn next(&mut self, data: &Dataset) -> Result<Vec<(Met, Option<f32>)>, DataError> {
        let of_rows = data.fingerprints(self.known.salt)?;
        let told = |row: usize| data.told().map(|told| told[row]);
        let named = data.row_names().filter(|named| Some(&named.column) == self.known.name_column());
        let named = named.map(|named| named.salted(self.known.salt));
        let name = |row: usize| named.as_ref().map_or(0, |named| named.prints[row]);
        Ok(of_rows
            .into_iter()
            .enumerate()
            .map(|(row, print)| self.one(print, told(row), name(row)))
            .collect())
    }

    fn one(&mut self, fingerprint: u64, told: Option<Label>, name: u64) -> (Met, Option<f32>) {
        self.seen += 1;
        self.by_column += usize::from(told.is_some());
        let mut met = Met { group: None, told };
        let Some((first, equal)) = self.known.equal(fingerprint) else {
            self.told_new += usize::from(met.is_told_labeled());
            return (met, None);
        };
        let group = &mut self.groups[first];
        group.by_column += u32::from(met.is_told_labeled());
        // A column that was asked for by name decides alone.
        if !self.is_told && !met.is_told_labeled() {
            met.told = self.known.label_of(first, equal, name).or(told);
        }
        self.found += usize::from((group.seen as usize) < equal);
        group.seen += 1;
        self.met += 1;
        group.told += u32::from(met.is_told_labeled());
        let score = Some(self.known.scores[first]).filter(|score| score.is_finite());
        (Met { group: Some(first as u32), ..met }, score)
    }

    /// How many of the rows so far the model was fitted on; of equal rows no more than there were.
    pub fn found(&self) -> usize {
        self.found
    }

    /// How many of the rows so far are equal to one that the model was fitted on.
    pub fn met(&self) -> usize {
        self.met
    }

    /// Whether the rows so far hold all rows that the model was fitted on and are mostly these. Only then do labels go with
    /// rows for certain: of a table of few distinct rows, any other has many that are equal.
    pub fn is_fitted_table(&self) -> bool {
        self.found == self.known.len() && self.found as f64 >= MOSTLY * self.seen as f64
    }

    /// Whether no more of the rows are equal to some that the model was fitted on than chance explains, so that they may all be
    /// new. If a share τ of the fitted rows has a twin among them, about τ of new rows have one there, too (I. J. Good, Biometrika
    /// 1953); three standard deviations are allowed for. It is 0 for most tables, and nearly 1 where few cells differ.
    pub fn may_be_new(&self) -> bool {
        let (seen, known) = (self.seen.max(1) as f64, self.known.len().max(1) as f64);
        let twins = self.known.with_twins() as f64 / known;
        let deviation = (twins * (1.0 - twins) * (1.0 / seen + 1.0 / known)).sqrt();
        !self.is_fitted_table() && self.found as f64 <= seen * (twins + 3.0 * deviation)
    }

    /// Whether a row may turn out to be one that does not belong in a list; if not, it is in every list.
    pub fn may_be_labeled(&self, met: Met) -> bool {
        let of_fit = |first: u32| self.kinds_at(first as usize).iter().any(|kind| kind.is_labeled());
        (met.is_told_labeled() && (self.is_told || met.is_known())) || met.group.is_some_and(of_fit)
    }

    /// What a row is, now that all were seen.
    pub fn kind(&self, met: Met) -> RowKind {
        let told = match met.told {
            Some(Label::Positive) => Some(RowKind::Positive),
            Some(Label::Negative) => Some(RowKind::Negative),
            _ => None,
        };
        match met.group {
            None => told.filter(|_| self.is_told).unwrap_or(RowKind::New),
            Some(first) => told.unwrap_or_else(|| self.others_at(first as usize)),
        }
    }

    /// Whether a row is labeled and does not belong in a list of rows to look at, now that all were seen.
    pub fn is_labeled(&self, met: Met) -> bool {
        (self.is_fitted_table() && self.kind(met).is_labeled()) || (self.is_told && met.is_told_labeled())
    }

    /// Among which rows a row is, now that all were seen: of the fitted table, those without a label are known to be unlabeled.
    pub fn among(&self, met: Met) -> Among {
        if self.has_labels && self.is_fitted_table() && self.kind(met) == RowKind::Unlabeled {
            Among::Unlabeled
        } else {
            Among::Population
        }
    }

    /// All in all, now that all were seen.
    pub fn summary(&self) -> MatchedRows {
        let is_fitted_table = self.is_fitted_table();
        let mut told = 0;
        let (mut labeled, mut unlabeled, mut ambiguous) = (0, 0, 0);
        let (mut labeled_since, mut not_labeled_now) = (0, 0);
        for (first, group) in self.groups.iter().enumerate().filter(|(_, group)| group.seen > 0) {
            told += group.told as usize;
            let (now, then) = (group.by_column as usize, self.labeled_at(first));
            labeled_since += now.saturating_sub(then);
            not_labeled_now += then.saturating_sub(now);
            *match self.others_at(first) {
                RowKind::Ambiguous => &mut ambiguous,
                RowKind::Unlabeled | RowKind::New => &mut unlabeled,
                RowKind::Positive | RowKind::Negative => &mut labeled,
            } += (group.seen - group.told) as usize;
        }
        let labeled_new = if self.is_told { self.told_new } else { 0 };
        let told = if self.is_told || is_fitted_table { told } else { 0 };
        let of_table = |count: usize| if is_fitted_table { count } else { 0 };
        let by_column = |count: usize| {
            if self.has_labels && self.by_column == self.seen { of_table(count) } else { 0 }
        };
        MatchedRows {
            found: self.found,
            is_fitted_table,
            labeled: of_table(labeled) + told + labeled_new,
            labeled_new,
            unlabeled: if self.has_labels { of_table(unlabeled) } else { 0 },
            ambiguous: of_table(ambiguous),
            labeled_since: by_column(labeled_since),
            not_labeled_now: by_column(not_labeled_now),
        }
    }

    /// The kinds of the rows of the fit that are equal to the one at `first`.
    fn kinds_at(&self, first: usize) -> &'k [RowKind] {
        let known = self.known;
        let equal =
            known.fingerprints[first..].iter().take_while(|&&print| print == known.fingerprints[first]);
        &known.kinds[first..first + equal.count()]
    }

    /// How many of the rows of the fit that are equal to the one at `first` were labeled.
    fn labeled_at(&self, first: usize) -> usize {
        self.kinds_at(first).iter().filter(|kind| kind.is_labeled()).count()
    }

    /// What those of equal rows are that nothing tells to be labeled.
    fn others_at(&self, first: usize) -> RowKind {
        let (kinds, Group { seen, told, .. }) = (self.kinds_at(first), self.groups[first]);
        if self.labeled_at(first) <= told as usize {
            RowKind::Unlabeled
        } else if kinds.iter().all(|kind| *kind == kinds[0]) && seen as usize <= kinds.len() {
            kinds[0]
        } else {
            RowKind::Ambiguous
        }
    }
}

impl Model {
    /// The rows that the model was fitted on, where it was fitted just now; those of a model that was loaded are read by
    /// [`KnownRows::beside`].
    pub fn known_rows(&self) -> Option<&KnownRows> {
        self.known.as_deref()
    }

    /// With the rows that it was fitted on, as [`KnownRows::beside`] reads them: [`save`](Self::save) then writes them again.
    pub fn with_known_rows(mut self, rows: KnownRows) -> Self {
        self.known = Some(std::sync::Arc::new(rows));
        self
    }

    /// What is known of each row so far ([`RowMatcher::kind`] says it in the end), and the score to list it by: out of fold where the
    /// model was fitted on it and every such row has one, the model's own otherwise.
    pub fn rescore_known(
        &self,
        data: &Dataset,
        own: Vec<f32>,
        rows: &KnownRows,
        matcher: &mut RowMatcher,
    ) -> Result<Vec<(Met, f32)>, Error> {
        let use_them = rows.is_complete();
        let matched = matcher.next(self.encoded(data)?.as_ref())?;
        let chosen =
            |(own, (met, known)): (f32, (Met, Option<f32>))| (met, known.filter(|_| use_them).unwrap_or(own));
        Ok(own.into_iter().zip(matched).map(chosen).collect())
    }
}

/// The kinds of rows that were learned from by their labels; where the truth was, no row is left over to be found.
pub(crate) fn kinds_of(labels: Option<&[Label]>, rows: usize) -> Vec<RowKind> {
    let kind = |label: &Label| match label {
        Label::Positive => RowKind::Positive,
        Label::Unlabeled => RowKind::Unlabeled,
        Label::Negative => RowKind::Negative,
    };
    labels.map_or_else(|| vec![RowKind::Unlabeled; rows], |labels| labels.iter().map(kind).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;

    fn table(values: &[f32]) -> Dataset {
        Dataset::from_scaled(Matrix::new(values.len() / 2, 2, values.to_vec()).unwrap(), None).unwrap()
    }

    /// Two equal rows of which one is labeled, a labeled and an unlabeled one.
    fn known() -> KnownRows {
        let data = table(&[1.0, 2.0, 0.0, 5.0, 1.0, 2.0, 7.0, 7.0]);
        let kinds = vec![RowKind::Positive, RowKind::Unlabeled, RowKind::Unlabeled, RowKind::Positive];
        KnownRows::new(&data, &[Some(3.0), Some(-1.0), Some(0.5), Some(2.0)], kinds, 7).unwrap()
    }

    const ROWS: [f32; 8] = [1.0, 2.0, 0.0, 5.0, 7.0, 7.0, 1.0, 2.0];

    fn kinds(matcher: &mut RowMatcher, data: &Dataset) -> Vec<RowKind> {
        let met = matcher.next(data).unwrap();
        met.iter().map(|(met, _)| matcher.kind(*met)).collect()
    }

    #[test]
    fn equal_rows_have_one_score_and_no_order_tells_them_apart() {
        let known = known();
        let mut matcher = known.matcher();
        let met = matcher.next(&table(&ROWS)).unwrap();
        let scores: Vec<Option<f32>> = met.iter().map(|(_, score)| *score).collect();
        assert_eq!(scores, [Some(1.75), Some(-1.0), Some(2.0), Some(1.75)]);
        let told: Vec<RowKind> = met.iter().map(|(met, _)| matcher.kind(*met)).collect();
        use RowKind::{Ambiguous, New, Positive, Unlabeled};
        assert_eq!(told, [Ambiguous, Unlabeled, Positive, Ambiguous]);
        let listed: Vec<bool> = met.iter().map(|(met, _)| !matcher.is_labeled(*met)).collect();
        assert_eq!(listed, [true, true, false, true]);
        let summary = matcher.summary();
        assert_eq!((summary.found, summary.is_fitted_table), (4, true));
        assert_eq!((summary.labeled, summary.unlabeled, summary.ambiguous), (1, 1, 2));
        // One more that is equal to a labeled row: which of the two is new nobody knows, and both are listed. Pieces do not matter.
        assert_eq!(kinds(&mut matcher, &table(&[7.0, 7.0, 9.0, 9.0])), [Ambiguous, New]);
        assert_eq!((matcher.kind(met[2].0), matcher.is_labeled(met[2].0)), (Ambiguous, false));
        assert_eq!((matcher.summary().labeled, matcher.summary().ambiguous), (0, 4));
        // Half of the rows are not the table, and nothing is left out.
        let mut half = known.matcher();
        let met = half.next(&table(&[1.0, 2.0, 7.0, 7.0])).unwrap();
        assert!(!half.is_fitted_table() && met.iter().all(|(met, _)| !half.is_labeled(*met)));
        assert_eq!(half.summary().labeled, 0);
    }

    #[test]
    fn the_column_of_labels_tells_equal_rows_apart() {
        use Label::{Positive as P, Unlabeled as U};
        let known = known();
        let mut matcher = known.matcher();
        let data = table(&ROWS).with_told(Some(vec![U, U, P, P])).unwrap();
        let expected = [RowKind::Unlabeled, RowKind::Unlabeled, RowKind::Positive, RowKind::Positive];
        assert_eq!(kinds(&mut matcher, &data), expected);
        assert_eq!((matcher.summary().labeled, matcher.summary().ambiguous), (2, 0));
        // A row that was known when the model was fitted is known, whatever the column says of it now (an audit may have told).
        let mut matcher = known.matcher();
        let data = table(&ROWS).with_told(Some(vec![U, U, U, P])).unwrap();
        assert_eq!(kinds(&mut matcher, &data), expected);
        // New rows stay, unless labels were asked for.
        for (is_told, labeled) in [(false, 2), (true, 3)] {
            let mut matcher = known.matcher().with_told(is_told);
            matcher.next(&table(&ROWS).with_told(Some(vec![U, U, P, P])).unwrap()).unwrap();
            let new = table(&[9.0, 9.0]).with_told(Some(vec![P])).unwrap();
            let met = matcher.next(&new).unwrap()[0].0;
            assert_eq!((matcher.is_labeled(met), matcher.summary().labeled), (is_told, labeled));
        }
    }

    #[test]
    fn a_column_that_names_rows_tells_equal_ones_apart() {
        use RowKind::{Ambiguous, Positive, Unlabeled};
        let named = |prints: [u64; 4]| RowNames { column: "id".to_string(), prints: prints.to_vec() };
        let of_rows = table(&[1.0, 2.0, 0.0, 5.0, 1.0, 2.0, 7.0, 7.0]).fingerprints(7).unwrap();
        let scores = [Some(3.0), Some(-1.0), Some(0.5), Some(2.0)];
        let of_kinds = [Positive, Unlabeled, Unlabeled, Positive];
        let known = KnownRows::sorted(&of_rows, &scores, &of_kinds, 7, Some(named([11, 12, 13, 14])));
        // Rows that need no name have none.
        assert_eq!(known.named.as_ref().unwrap().prints.iter().filter(|&&print| print == 0).count(), 2);
        let met = |prints: [u64; 4]| {
            let mut matcher = known.matcher();
            let of_rows = table(&ROWS).fingerprints(7).unwrap();
            let met: Vec<Met> =
                of_rows.into_iter().zip(prints).map(|(row, name)| matcher.one(row, None, name).0).collect();
            (met.iter().map(|met| matcher.kind(*met)).collect::<Vec<_>>(), matcher.summary())
        };
        let (found, summary) = met([13, 12, 14, 11]);
        assert_eq!(found, [Unlabeled, Unlabeled, Positive, Positive]);
        assert_eq!((summary.labeled, summary.ambiguous), (2, 0));
        // Where names are other ones, nothing is claimed.
        assert_eq!(met([21, 22, 23, 24]).0, [Ambiguous, Unlabeled, Positive, Ambiguous]);
    }

    #[test]
    fn a_column_of_labels_that_says_something_else_is_counted() {
        use Label::{Positive as P, Unlabeled as U};
        let known = known();
        for (told, expected) in [([U, U, P, P], (0, 0)), ([U, P, P, P], (1, 0)), ([U, U, U, P], (0, 1))] {
            let mut matcher = known.matcher();
            matcher.next(&table(&ROWS).with_told(Some(told.to_vec())).unwrap()).unwrap();
            let MatchedRows { labeled_since, not_labeled_now, .. } = matcher.summary();
            assert_eq!((labeled_since, not_labeled_now), expected);
        }
        let mut matcher = known.matcher();
        matcher.next(&table(&ROWS)).unwrap();
        assert_eq!(matcher.summary().not_labeled_now, 0);
    }

    #[test]
    fn what_was_met_comes_back_from_its_bytes() {
        for group in [None, Some(0), Some(70_000)] {
            for told in [None, Some(Label::Unlabeled), Some(Label::Positive), Some(Label::Negative)] {
                let met = Met { group, told };
                assert_eq!(Met::from_bytes(met.to_bytes()), met);
            }
        }
    }

    #[test]
    fn rows_of_few_distinct_cells_are_equal_by_chance() {
        // 1,000 rows of two cells with four values each: 16 different rows, all of which repeat.
        let values = |rows: usize, of: usize| -> Vec<f32> {
            (0..rows).flat_map(|row| [(row * 7 % of) as f32, (row * 13 / of % of) as f32]).collect()
        };
        let known = |values: &[f32]| {
            let rows = values.len() / 2;
            KnownRows::new(&table(values), &vec![Some(0.0); rows], vec![RowKind::Unlabeled; rows], 1).unwrap()
        };
        let coarse = known(&values(1000, 4));
        let mut matcher = coarse.matcher();
        matcher.next(&table(&values(200, 4))).unwrap();
        assert!(matcher.found() == 200 && matcher.may_be_new());
        // All of them are the fitted table, whatever chance says.
        matcher = coarse.matcher();
        matcher.next(&table(&values(1000, 4))).unwrap();
        assert!(matcher.is_fitted_table() && !matcher.may_be_new());
        // Where no fitted row has a twin, no new row has one by chance.
        let fine: Vec<f32> = (0..2000).map(|cell| cell as f32).collect();
        let fine = known(&fine);
        let mut matcher = fine.matcher();
        matcher.next(&table(&[0.0, 1.0, 2.0, 3.0, 5000.0, 1.0])).unwrap();
        assert!(matcher.found() == 2 && !matcher.may_be_new());
        let mut matcher = fine.matcher();
        matcher.next(&table(&[5000.0, 1.0])).unwrap();
        assert!(matcher.may_be_new());
    }

    #[test]
    fn a_row_without_a_score_makes_scores_out_of_fold_useless() {
        let data = table(&[1.0, 2.0, 0.0, 5.0]);
        let kinds = vec![RowKind::Unlabeled; 2];
        assert!(!KnownRows::new(&data, &[Some(1.0), None], kinds.clone(), 0).unwrap().is_complete());
        assert!(KnownRows::new(&data, &[Some(1.0), Some(2.0)], kinds, 0).unwrap().is_complete());
    }
}
