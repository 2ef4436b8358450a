//! A ranked list of rows: which of them, by which score, with which columns, in which order.
//!
//! Rows come from a place, piece by piece, or from memory. What is left of a row is its score and what the list shows of it, which is
//! sorted outside memory where it does not fit. Rows that the model was fitted on are ranked by their scores out of fold
//! (`lookup.rs`). Of the table that it was fitted on, labeled rows are left out, and the others are known to be unlabeled, which
//! their probabilities take into account. Equal rows have equal scores; where nothing tells labeled ones from others they are all
//! listed. Rows that are empty in every column that is learned from are in no list.

mod columns;
mod gather;
mod lookup;
mod negatives;
mod notes;

pub use columns::{ListColumns, WrittenList};
pub use lookup::{MetRows, RowLookup, RowsOfModel};
pub use negatives::CertifiedList;
pub use notes::{FittedRows, ListNote};

use crate::{Among, Contribution, Error, KnownRows, Model, ReviewList, RowKind, ScoredRows};
use gather::Gathered;
use onesided_data::{Cutting, Dataset, Input, LabelColumn, Note, ReadAgain, TableError};
use onesided_eval::Top;
use std::path::{Path, PathBuf};

/// How to make a ranked list.
///
/// ```no_run
/// # use onesided::{Input, List, Model, ReadAgain, Roles, Top};
/// let (model, rows) = Model::load_with_rows("model.safetensors")?;
/// let also = ReadAgain::from(Roles::named_by(["customer"]));
/// let list = List::of(&model).rows_of_model(Some(rows.as_ref())).top(&[Top::Rows(10)]);
/// for row in list.read(&Input::one("new.csv"), &also)?.into_rows()? {
///     let row = row?;
///     println!("{} {:.3}", row.cells[0], row.probability);
/// }
/// # Ok::<(), onesided::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct List<'m> {
    pub(crate) model: &'m Model,
    rows_of_model: RowsOfModel<'m>,
    pub(crate) label: Option<LabelColumn>,
    all: bool,
    top: Vec<Top>,
    explain: Option<usize>,
    threads: usize,
    folder: Option<PathBuf>,
    scores: bool,
}

/// One row of a ranked list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedRow {
    /// Its number in the data, from 0.
    pub row: usize,
    /// Its score, a logit at the population's prior.
    pub score: f32,
    /// The probability that it is positive. For a row that is known to be unlabeled it is that of an unlabeled row
    /// ([`Among::Unlabeled`]).
    pub probability: f32,
    /// Between which probabilities that one lies, where the share of positives was estimated.
    pub range: Option<(f32, f32)>,
    /// Whether it is predicted positive, which only its score decides.
    pub positive: bool,
    /// What it is to the model.
    pub kind: RowKind,
    /// The cells of the columns that were asked for: what rows are known by, then what is kept.
    pub cells: Vec<String>,
    /// What carried its score, the largest parts first.
    pub because: Vec<Contribution>,
}

/// What the rows of a list have in common, to say from where on they are predicted positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Probabilities are about the same rows.
    Probability(Among),
    /// Some are about unlabeled rows and some about any, but there is one scale of scores.
    Score,
}

impl<'m> List<'m> {
    /// A list by this model, with the rows that it was fitted on if it knows them.
    pub fn of(model: &'m Model) -> Self {
        Self {
            model,
            rows_of_model: model.known_rows().map(Ok),
            label: None,
            all: false,
            top: Vec::new(),
            explain: None,
            threads: 0,
            folder: None,
            scores: false,
        }
    }

    /// The rows that the model was fitted on, or why they are not to be had; with `None` all rows are ranked by the model itself.
    #[must_use]
    pub fn rows_of_model(self, rows_of_model: RowsOfModel<'m>) -> Self {
        Self { rows_of_model, ..self }
    }

    /// The column that says which rows are labeled: they are left out, whether the model was fitted on them or not. Cells mean what
    /// they meant in the fitted table, unless something else is said.
    #[must_use]
    pub fn label(self, column: &str, positive: Option<&str>, negative: Option<&str>) -> Self {
        let known = self.known().and_then(KnownRows::label_column);
        let same = |values: fn(&LabelColumn) -> &Vec<String>, given: Option<&str>| match given {
            Some(value) => vec![value.to_string()],
            None => known.map_or_else(Vec::new, |known| values(known).clone()),
        };
        let (positive, negative) =
            (same(|known| &known.positive, positive), same(|known| &known.negative, negative));
        Self { label: Some(LabelColumn { column: column.to_string(), positive, negative }), ..self }
    }

    /// Labeled rows, too.
    #[must_use]
    pub fn all(self, all: bool) -> Self {
        Self { all, ..self }
    }

    /// No more rows than the largest of these; all by default.
    #[must_use]
    pub fn top(self, top: &[Top]) -> Self {
        Self { top: top.to_vec(), ..self }
    }

    /// The largest parts of each row's score, so many of them.
    #[must_use]
    pub fn explain(self, most: Option<usize>) -> Self {
        Self { explain: most, ..self }
    }

    /// Threads to read with; 0 is all there are.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// The folder for rows that do not fit into memory; the system's own by default.
    #[must_use]
    pub fn scratch(self, folder: Option<&Path>) -> Self {
        Self { folder: folder.map(Path::to_path_buf), ..self }
    }

    /// With the scores of all rows, which take memory ([`RankedList::scores`]).
    #[must_use]
    pub fn with_scores(self) -> Self {
        Self { scores: true, ..self }
    }

    pub(crate) fn known(&self) -> Option<&'m KnownRows> {
        self.rows_of_model.and_then(Result::ok)
    }

    /// The list of a place, read piece by piece. What rows are known by and what is kept is for `also` to say; which rows are
    /// labeled, for the list.
    pub fn read(&self, input: &Input, also: &ReadAgain) -> Result<RankedList<'m>, Error> {
        let also = self.read_along(also);
        let mut under_way = self.begin(self.label.is_some())?;
        let cut = Cutting { threads: self.threads, ..Cutting::default() };
        let streamed = self.model.stream(input, &also, cut, &mut |piece| under_way.add(piece))?;
        self.check_told(&under_way.lookup, input)?;
        // Names of files are those of rows where there is no table.
        let ids = if also.keep.is_empty() { usize::MAX } else { also.roles.id.len() };
        self.finish(under_way, streamed.notes, ids)
    }

    /// What is read of a place besides the features: columns that tell which rows are labeled, too.
    fn read_along(&self, also: &ReadAgain) -> ReadAgain {
        let told = self.label.clone().or_else(|| self.known().and_then(KnownRows::label_column).cloned());
        let named = self.known().and_then(KnownRows::name_column).cloned();
        ReadAgain { told, told_asked: self.label.is_some(), named, ..also.clone() }
    }

    /// A column of labels that was asked for must be there.
    fn check_told(&self, lookup: &RowLookup, input: &Input) -> Result<(), Error> {
        match &self.label {
            Some(label) if !lookup.is_told() => {
                let file = input.paths().first().map_or_else(String::new, |path| path.display().to_string());
                let (name, hint) = (label.column.clone(), format!("name the column of labels of '{file}'"));
                Err(TableError::UnknownColumn { name, hint }.into())
            }
            _ => Ok(()),
        }
    }

    /// The list of rows in memory. Rows that the [data tell to be labeled](Dataset::told) are left out.
    pub fn rank(&self, data: &Dataset) -> Result<RankedList<'m>, Error> {
        let mut under_way = self.begin(data.told().is_some())?;
        under_way.add(self.model.scored(data)?)?;
        self.finish(under_way, data.notes().to_vec(), usize::MAX)
    }

    fn begin(&self, told: bool) -> Result<UnderWay<'m>, Error> {
        // A model that cannot explain itself is refused before any row is read.
        let explainer =
            self.explain.map(|most| Ok::<_, Error>((self.model.explainer()?, most))).transpose()?;
        // A share of all rows is known once all were seen.
        let number = |top: &Top| if let Top::Rows(rows) = top { Some(*rows) } else { None };
        let most = self.top.iter().map(number).collect::<Option<Vec<_>>>();
        let most = most.and_then(|most| most.into_iter().max());
        Ok(UnderWay {
            lookup: RowLookup::new(self.model, self.rows_of_model, told),
            gathered: Gathered::new(self.model, most, explainer, self.folder.as_deref(), self.scores),
            largest: 0,
            told,
        })
    }

    fn finish(&self, under_way: UnderWay<'m>, notes: Vec<Note>, ids: usize) -> Result<RankedList<'m>, Error> {
        let UnderWay { lookup, mut gathered, largest, told } = under_way;
        let matcher = lookup.matcher();
        let left_out = matcher.filter(|_| !self.all);
        gathered.settle(|met| {
            left_out.filter(|matcher| matcher.is_labeled(met)).map(|matcher| matcher.kind(met))
        });
        let rows = gathered.rows;
        let limit = self.top.iter().map(|top| top.of(rows).unwrap_or(rows)).max().unwrap_or(rows);
        let fitted = lookup.fitted_rows(self.all);
        let mut said = lookup.notes(fitted.as_ref(), self.all, told);
        said.extend((rows == 0).then_some(ListNote::Empty));
        said.extend(self.model.about().doubt.as_ref().map(|doubt| ListNote::Doubted(doubt.to_string())));
        said.extend(self.model.is_of_labels().then_some(ListNote::OfLabels));
        let (ids, kept) = gathered.names.split_at(ids.min(gathered.names.len()));
        let columns = ListColumns {
            ranges: self.model.about().at_prior_ends.is_some(),
            ids: ids.to_vec(),
            kept: kept.to_vec(),
            because: self.explain.is_some(),
            yes_no: false,
            kinds: self.all
                && fitted.as_ref().is_some_and(|fitted| fitted.is_fitted_table || fitted.labeled > 0),
        };
        let (model, all) = (self.model, self.all);
        Ok(RankedList { model, lookup, gathered, limit, all, notes, fitted, said, columns, largest })
    }
}

/// A list whose rows are still coming.
struct UnderWay<'m> {
    lookup: RowLookup<'m>,
    gathered: Gathered<'m>,
    largest: usize,
    told: bool,
}

impl UnderWay<'_> {
    fn add(&mut self, mut piece: ScoredRows) -> Result<(), Error> {
        self.largest = self.largest.max(piece.data.len());
        let met = self.lookup.next(&mut piece)?;
        self.gathered.add(&piece, met.as_deref(), self.lookup.matcher())
    }
}

/// A ranked list: what is known of it, and its rows, to be taken once.
pub struct RankedList<'m> {
    model: &'m Model,
    lookup: RowLookup<'m>,
    gathered: Gathered<'m>,
    limit: usize,
    all: bool,
    notes: Vec<Note>,
    fitted: Option<FittedRows>,
    said: Vec<ListNote>,
    columns: ListColumns,
    largest: usize,
}

impl<'m> RankedList<'m> {
    /// How many rows there are to list.
    pub fn rows(&self) -> usize {
        self.gathered.rows
    }

    /// How many of them are listed: the first, or all.
    pub fn listed(&self) -> usize {
        self.limit.min(self.rows())
    }

    /// How many of the rows to list are predicted positive.
    pub fn predicted_positive(&self) -> usize {
        self.gathered.predicted_positive
    }

    /// What reading met.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// What is to be said of the list.
    pub fn said(&self) -> &[ListNote] {
        &self.said
    }

    /// How it was made, if the model was fitted on some of it or labels were told.
    pub fn fitted(&self) -> Option<&FittedRows> {
        self.fitted.as_ref()
    }

    /// Whether the rows were those that the model was fitted on, in their order.
    pub fn is_same(&self) -> bool {
        self.lookup.is_same()
    }

    /// The most rows that were held at a time.
    pub fn largest_piece(&self) -> usize {
        self.largest
    }

    /// What its rows have in common.
    pub fn scale(&self) -> Scale {
        match self.fitted.as_ref().map_or(0, |fitted| fitted.unlabeled) {
            unlabeled if unlabeled == 0 || !self.model.tells_unlabeled_apart() => {
                Scale::Probability(Among::Population)
            }
            unlabeled if unlabeled == self.rows() => Scale::Probability(Among::Unlabeled),
            _ => Scale::Score,
        }
    }

    /// What a person who reviews the list may count on; `None` where the model has no reserve, or the list no rows. A list of
    /// unlabeled rows alone has their share of positives; of another one, the labeled rows that are left out have theirs already.
    pub fn review(&mut self) -> Result<Option<ReviewList>, Error> {
        let among = if let Scale::Probability(among) = self.scale() { among } else { Among::Population };
        let scores = self.gathered.scores.take().filter(|scores| !scores.is_empty());
        let Gathered { left_out, left_out_positive, .. } = self.gathered;
        let without = |list: ReviewList| match among {
            // Labels that are a sample of their own are none of the population's rows.
            Among::Population if self.model.tells_unlabeled_apart() => {
                list.without(left_out, left_out_positive)
            }
            _ => list,
        };
        scores.map(|scores| Ok(without(self.model.review_among(scores, among)?))).transpose()
    }

    /// The scores of labeled positives that are left out of it and of all rows to list, in no order: of a list
    /// [with scores](List::with_scores), before its [`review`](Self::review) is taken.
    pub fn scores(&self) -> Option<(&[f32], &[f32])> {
        Some((&self.gathered.scores_of_positive, self.gathered.scores.as_deref()?))
    }

    /// What its rows show.
    pub fn columns(&self) -> &ListColumns {
        &self.columns
    }

    /// The rows, the likeliest positive first; equal scores keep the order of the data.
    pub fn into_rows(
        self,
    ) -> Result<impl Iterator<Item = Result<ListedRow, TableError>> + Send + use<'m>, Error> {
        Ok(self.gathered.finish(self.limit, self.lookup.into_matcher(), self.all)?)
    }

    /// The rows at once.
    pub fn collect(self) -> Result<Vec<ListedRow>, Error> {
        Ok(self.into_rows()?.collect::<Result<_, _>>()?)
    }
}

impl Model {
    /// Whether a row of this score is predicted positive: the score alone decides, whatever is known of a row.
    pub fn decides(&self, score: f32) -> bool {
        self.decide(self.probability_among(score, Among::Population))
    }

    /// All rows, the likeliest positive first, by the model itself; [`List`] knows the rows that it was fitted on.
    pub fn rank(&self, data: &Dataset) -> Result<Vec<ListedRow>, Error> {
        List::of(self).rows_of_model(None).rank(data)?.collect()
    }

    /// Reads a table, a folder of texts or a folder of pictures as the model's own input was, and ranks it.
    pub fn rank_file(&self, path: impl AsRef<Path>) -> Result<Vec<ListedRow>, Error> {
        let list = List::of(self).rows_of_model(None);
        list.read(&Input::one(path.as_ref()), &ReadAgain::default())?.collect()
    }
}
