//! A model and a table in one typed value: what there is to show of them, for a page, a notebook or a program.
//!
//! Everything here is measured by other parts of the library and put together: who labels what, what is assumed and how that stands
//! (`assumptions.rs`), what a reader of the list may count on at some places of it and what would change that (`along.rs`), which columns
//! matter and how (`effects.rs`), which words (`words.rs`), what pictures look like (`pictures.rs`). Whoever shows it makes sentences and pictures, and computes nothing.

mod along;
mod assumptions;
mod comparison;
mod effects;
mod in_short;
mod measured;
mod pictures;
mod words;

pub use along::{Along, AtOdds, AtShare, PromiseAt, ScoreBins};
pub use assumptions::{Assumed, Assumption, State};
pub use comparison::{Comparison, Overlap, Side};
pub use effects::{Effect, EffectPoint};
use measured::Measured;
pub use pictures::{CoveredPicture, PictureGroup, PicturesSeen, SeenPicture};
pub use words::CarryingWord;

pub use in_short::{Cause, InShort, LearnedFrom, NextStep, Ranks, Warned, experience, rows_of};

use crate::{
    Error, FittedRows, HowScored, Importance, ImportanceSettings, List, ListNote, ListedRow, Model,
    RankedList, ShareInList, Top, review::between,
};
use onesided_data::{
    ColumnRead, ColumnShift, Counts, Dataset, Encoding, FeatureKind, Hint, Input, LabelColumn, Note,
    ReadAgain, Roles, Scenario,
};
use onesided_eval::{Interval, Reliability};
use onesided_learn::prior::PriorEstimate;
use onesided_learn::{Beside, Tried};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a summary holds.
#[derive(Clone, Debug, PartialEq)]
pub struct SummarySettings {
    /// The first rows, so many of them; 0 leaves all rows of the table out.
    pub rows: usize,
    /// The largest parts of the score of each of them.
    pub reasons: usize,
    /// How importance is measured; `None` leaves it out, and effects with it.
    pub importance: Option<ImportanceSettings>,
    /// Columns whose effect is drawn.
    pub effects: usize,
    /// The columns whose effect is drawn, instead of those that matter most.
    pub columns: Vec<String>,
}

impl Default for SummarySettings {
    fn default() -> Self {
        // Fewer rows than a measurement of importance alone takes: a page is to come soon.
        let importance = ImportanceSettings { repeats: 3, columns: 20, rows: 4_000, seed: 0 };
        Self { rows: 50, reasons: 5, importance: Some(importance), effects: 6, columns: Vec::new() }
    }
}

/// A model and a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Where the table is.
    pub place: String,
    /// Where the rows that are listed are: of two places that of unlabeled ones.
    pub listed_place: String,
    /// What rows are: `tables`, `texts` or `pictures`.
    pub takes: &'static str,
    /// The model.
    pub model: ModelSummary,
    /// How many rows of the table are listed: labeled ones are not.
    pub rows: usize,
    /// How many are predicted positive.
    pub predicted_positive: usize,
    /// How the rows were met before, where some were.
    pub fitted: Option<FittedRows>,
    /// By what they were scored.
    pub scored: HowScored,
    /// What everything rests on, and how that stands.
    pub assumptions: Vec<Assumption>,
    /// The share of positives among listed rows.
    pub share: Option<ShareInList>,
    /// How many of them are positive.
    pub positives: Option<(usize, usize)>,
    /// Scores of labeled positives and of listed rows.
    pub scores: Option<ScoreBins>,
    /// What a reader may count on along the list, or why that is not told.
    pub along: Result<Along, String>,
    /// Whether probabilities hold.
    pub reliability: Vec<Reliability>,
    /// What was found, first what matters most.
    pub checks: Vec<Check>,
    /// Which columns matter, or why that is not told.
    pub importance: Result<Importance, String>,
    /// How the first of them matter.
    pub effects: Vec<Effect>,
    /// What the columns are.
    pub columns: Vec<LearnedColumn>,
    /// The columns that the first rows show.
    pub names: Vec<String>,
    /// The first rows.
    #[serde(skip)]
    pub first: Vec<ListedRow>,
    /// How their texts begin, where they are files.
    #[serde(skip)]
    pub starts: Vec<String>,
    /// The words that carried their scores.
    pub words: Vec<CarryingWord>,
    /// What they look like, where they are pictures, and others like them.
    #[serde(skip)]
    pub pictures: PicturesSeen,
}

/// What a model is and how it was made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelSummary {
    /// The method.
    pub method: String,
    /// The objective, or what was chosen.
    pub objective: String,
    /// What scores.
    pub model: String,
    /// The version that made it.
    pub version: String,
    /// Sixteen letters.
    pub fingerprint: String,
    /// Those of the rows that it was fitted on.
    pub fitted_on: Option<String>,
    /// How the rows were drawn.
    pub scenario: Scenario,
    /// How many rows of either kind it was fitted on.
    pub counts: Counts,
    /// The seed.
    pub seed: u64,
    /// The device that trained it.
    pub device: String,
    /// Threads of the CPU that trained it.
    pub threads: Option<usize>,
    /// From which probability on rows are predicted positive.
    pub threshold: f64,
    /// By what rule.
    pub threshold_rule: String,
    /// π.
    pub class_prior: Option<f64>,
    /// μ.
    pub prior_in_unlabeled: Option<f64>,
    /// Where μ was estimated: how.
    pub prior_estimate: Option<PriorEstimate>,
    /// Metrics of its decisions on rows that it was not trained on.
    pub metrics: BTreeMap<String, Interval>,
    /// How many answers of an audit they were measured on; else they are estimated from labels.
    pub answers: Option<usize>,
    /// The model next to the plain alternatives.
    pub beside: Vec<Beside>,
    /// What was trained.
    pub candidates: Vec<Tried>,
    /// How one of them was chosen.
    pub choice: String,
    /// What was set by hand.
    pub settings: Vec<(String, String)>,
    /// How many positives were set aside.
    pub reserve: usize,
}

/// Something that was found and should be known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// How grave it is.
    pub level: Level,
    /// What was found.
    pub text: String,
    /// What to do about it; front ends write it in their words.
    #[serde(skip)]
    pub hint: Option<Hint>,
}

/// How grave a check is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Numbers cannot be trusted.
    Fails,
    /// To be looked at.
    Warning,
    /// To be known.
    Note,
}

/// A column that is learned from or not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LearnedColumn {
    /// Its name.
    pub name: String,
    /// What it is, in a word or two.
    pub kind: &'static str,
    /// How many columns a model sees of it.
    pub features: usize,
}

impl Summary {
    /// With what fitting read: columns that were left out, too, and what was found then.
    #[must_use]
    pub fn with_fit(mut self, columns: &[ColumnRead], notes: &[Note]) -> Self {
        if !columns.is_empty() {
            self.columns = columns.iter().map(LearnedColumn::of_read).collect();
        }
        let known: Vec<String> = self.checks.iter().map(|check| check.text.clone()).collect();
        let new = Note::told_once(notes).into_iter().map(|note| Check::of_note(&note));
        self.checks.extend(new.filter(|check| !known.contains(&check.text)));
        self.checks.sort_by_key(|check| check.level);
        self
    }

    /// Whether rows of the table are in it.
    pub fn has_rows(&self) -> bool {
        !self.first.is_empty()
    }
}

impl List<'_> {
    /// The list of a place with everything that there is to show of it and of its model.
    ///
    /// ```no_run
    /// # use onesided::{Input, List, Model, ReadAgain, SummarySettings};
    /// let (model, rows) = Model::load_with_rows("model.safetensors")?;
    /// let list = List::of(&model).rows_of_model(Some(rows.as_ref()));
    /// let summary = list.summary(&Input::one("train.csv"), &ReadAgain::default(), &SummarySettings::default())?;
    /// for assumption in &summary.assumptions {
    ///     println!("{:?}: {}", assumption.state, assumption.why);
    /// }
    /// # Ok::<(), onesided::Error>(())
    /// ```
    pub fn summary(
        &self,
        input: &Input,
        also: &ReadAgain,
        settings: &SummarySettings,
    ) -> Result<Summary, Error> {
        let is_table = matches!(self.model.encoding().as_ref(), Encoding::Table(_));
        let keep = match is_table && settings.rows > 0 {
            true => vec!["all".to_string()],
            false => Vec::new(),
        };
        let list = self.first(settings).read(input, &ReadAgain { keep, ..also.clone() })?;
        // Pictures are to be seen where rows are, and columns are measured where that is asked for.
        let wanted = match self.model.encoding().shape() {
            Some(_) => settings.rows > 0,
            None => settings.importance.is_some() && (is_table || settings.rows == 0),
        };
        let data = if wanted { Some(self.labeled_rows(input, also)?) } else { None };
        let mut summary = self.summed_up(list, data.as_ref(), place_of(input), settings)?;
        if let Input::Two { unlabeled, .. } = input {
            summary.listed_place = unlabeled.display().to_string();
        }
        if summary.takes == "texts" {
            summary.starts = words::starts(input, also, &summary.first);
        }
        Ok(summary)
    }

    /// The [`summary`](Self::summary) without importance and without cells of the first rows.
    pub(crate) fn summary_without_cells(
        &self,
        input: &Input,
        also: &ReadAgain,
        settings: &SummarySettings,
    ) -> Result<Summary, Error> {
        let list = self.first(settings).read(input, also)?;
        self.summed_up(list, None, place_of(input), settings)
    }

    /// The [`summary`](Self::summary) of rows in memory; `place` is what they are called. The first rows show what they
    /// [are known by](Dataset::with_ids).
    pub fn summary_of(
        &self,
        data: &Dataset,
        place: &str,
        settings: &SummarySettings,
    ) -> Result<Summary, Error> {
        let list = self.first(settings).rank(data)?;
        self.summed_up(list, Some(data), place.to_string(), settings)
    }

    /// The first rows, and the scores of all.
    fn first(&self, settings: &SummarySettings) -> Self {
        let with_scores = self.clone().with_scores();
        if self.model.encoding().shape().is_some() && settings.rows > 0 {
            // Pictures have no columns that carry a score, and others than the first are shown, too.
            return with_scores.top(&[]).explain(None);
        }
        let reasons = (settings.reasons > 0 && settings.rows > 0 && self.model.encoding().shape().is_none())
            .then_some(settings.reasons.max(words::PARTS));
        with_scores.top(&[Top::Rows(settings.rows.max(1))]).explain(reasons)
    }

    fn summed_up(
        &self,
        mut list: RankedList,
        data: Option<&Dataset>,
        place: String,
        settings: &SummarySettings,
    ) -> Result<Summary, Error> {
        let model = self.model;
        let about = model.about();
        let notes = list.notes().to_vec();
        let shifted: Vec<&ColumnShift> = notes.iter().filter_map(Note::shifted).collect();
        let fitted = list.fitted().cloned();
        let is_same = list.is_same();
        let out_of_fold = fitted.as_ref().is_some_and(|fitted| fitted.out_of_fold > 0);
        let scored =
            match (out_of_fold, is_same || fitted.as_ref().is_some_and(|fitted| fitted.is_fitted_table)) {
                (true, _) => HowScored::OutOfFold(about.report.folds),
                (false, true) => HowScored::InSample,
                (false, false) => HowScored::New,
            };
        let scores = list.scores().map(|(positive, listed)| (positive.to_vec(), listed.to_vec()));
        let (positive, unlabeled) = scores.unwrap_or_default();
        let (rows, predicted_positive) = (list.rows(), list.predicted_positive());
        let reserved = if about.reserve.is_empty() { None } else { list.review()? };
        let withheld = model.withheld(&shifted);
        let scores = (positive, unlabeled);
        let Measured { bins, along, share, reliability } =
            Measured::of(model, scores, scored, reserved, predicted_positive, withheld, fitted.as_ref())?;
        let mut checks = Check::of_list(model, list.said());
        checks.extend(Note::told_once(&notes).iter().map(Check::of_note));
        checks.extend(Check::of_model(model));
        checks.sort_by_key(|check| check.level);
        let mut seen = Vec::new();
        checks.retain(|check| {
            !seen.contains(&check.text) && {
                seen.push(check.text.clone());
                true
            }
        });

        let label = self.labels();
        let columns = list.columns();
        let all: Vec<String> = columns.ids.iter().chain(&columns.kept).cloned().collect();
        let mut first = if settings.rows > 0 { list.collect()? } else { Vec::new() };
        let shown: Vec<usize> =
            (0..all.len()).filter(|&at| label.as_ref().is_none_or(|label| label.column != all[at])).collect();
        for row in &mut first {
            let cells = std::mem::take(&mut row.cells);
            row.cells = shown.iter().filter_map(|&at| cells.get(at).cloned()).collect();
        }
        let names = shown.iter().map(|&at| all[at].clone()).collect();
        let pictures = match data {
            Some(data) if settings.rows > 0 => {
                self.pictures(data, &first, settings.rows, predicted_positive)?
            }
            _ => PicturesSeen::default(),
        };
        first.truncate(settings.rows);
        let words = words::carrying(model, &first);
        first.iter_mut().for_each(|row| row.because.truncate(settings.reasons));
        let (importance, effects) = self.what_matters(data, settings)?;
        Ok(Summary {
            listed_place: place.clone(),
            place,
            takes: model.encoding().takes(),
            model: ModelSummary::of(model)?,
            rows,
            predicted_positive,
            assumptions: assumptions::of(model, scored, is_same, &shifted, fitted.as_ref()),
            positives: share.map(|share| between(share.share, rows)),
            share,
            fitted,
            scored,
            scores: bins,
            along,
            reliability,
            checks,
            importance,
            effects,
            columns: LearnedColumn::of_encoding(model.encoding()),
            names: if first.is_empty() { Vec::new() } else { names },
            first,
            starts: Vec::new(),
            words,
            pictures,
        })
    }

    /// The column of labels, where one is known.
    fn labels(&self) -> Option<LabelColumn> {
        self.label.clone().or_else(|| self.known().and_then(|known| known.label_column().cloned()))
    }

    /// The rows of a place with what their column of labels says, in memory.
    fn labeled_rows(&self, input: &Input, also: &ReadAgain) -> Result<Dataset, Error> {
        let told = self.labels().filter(|_| {
            matches!(input, Input::Parts(_)) || matches!(input, Input::One(path) if !path.is_dir())
        });
        let roles = Roles { id: Vec::new(), ..also.roles.clone() };
        let also = ReadAgain { roles, told, told_asked: false, keep: Vec::new(), ..also.clone() };
        self.model.read_with(input, &also)
    }

    /// Importance and effects, of rows in memory.
    fn what_matters(
        &self,
        data: Option<&Dataset>,
        settings: &SummarySettings,
    ) -> Result<(Result<Importance, String>, Vec<Effect>), Error> {
        match self.model.encoding().takes() {
            "pictures" => return Ok((Err(PICTURES.to_string()), Vec::new())),
            // One word of a text hardly moves an AUC, and hundreds of them take minutes to measure. What they add to the first texts tells more.
            "texts" if settings.rows > 0 => return Ok((Err(WORDS.to_string()), Vec::new())),
            _ => {}
        }
        let (Some(how), Some(data)) = (&settings.importance, data) else {
            return Ok((Err(NOT_ASKED.to_string()), Vec::new()));
        };
        let labeled = match (data.labels(), data.told()) {
            (None, Some(told)) => Cow::Owned(data.clone().with_labels(told.to_vec())?),
            _ => Cow::Borrowed(data),
        };
        // The effect of some column needs no importance.
        let importance = match settings.columns.is_empty() {
            false => Err(NOT_ASKED.to_string()),
            true => match self.model.importance(&labeled, how) {
                Err(Error::NeedsLabels | Error::Data(_)) => Err(NO_LABELS.to_string()),
                other => Ok(other?),
            },
        };
        let first: Vec<&str> = match &importance {
            _ if !settings.columns.is_empty() => settings.columns.iter().map(String::as_str).collect(),
            Ok(importance) => importance.columns.iter().map(|one| one.column.as_str()).collect(),
            Err(_) => Vec::new(),
        };
        let effects = effects::of(self.model, &labeled, &first, settings.effects, how.seed)?;
        Ok((importance, effects))
    }
}

/// Where rows are, in words.
fn place_of(input: &Input) -> String {
    input.paths().iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" and ")
}

const NOT_ASKED: &str = "it was not asked for";
const PICTURES: &str = "single pixels of pictures have no importance";
const WORDS: &str = "words are told by what they added to the first texts";
const NO_LABELS: &str = "these rows have no labels to measure it by; name the column of labels";

impl ModelSummary {
    fn of(model: &Model) -> Result<Self, Error> {
        let about = model.about();
        let given = serde_json::to_value(&about.given).unwrap_or_default();
        let text = |value: &serde_json::Value| match value {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let given = given.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), text(value)));
        let is_set = |(_, value): &(String, String)| !["null", "[]", "false"].contains(&value.as_str());
        Ok(Self {
            method: about.method.clone(),
            objective: about.objective.clone(),
            model: about.model.clone(),
            version: about.onesided.clone(),
            fingerprint: model.fingerprint()?,
            fitted_on: about.fitted_on.clone(),
            scenario: about.scenario,
            counts: about.counts,
            seed: about.report.seed(),
            device: about.report.device.clone(),
            threads: about.report.threads,
            threshold: about.threshold,
            threshold_rule: about.threshold_rule_name(),
            class_prior: about.class_prior.map(|prior| prior.get()),
            prior_in_unlabeled: about.prior_in_unlabeled.map(|prior| prior.get()),
            prior_estimate: about.prior_estimate.clone(),
            metrics: about.report.metrics.clone(),
            answers: about.answers,
            beside: about.report.beside.clone(),
            candidates: about.report.candidates.clone(),
            choice: about.report.choice(),
            settings: given.chain(about.options.iter().cloned()).filter(is_set).collect(),
            reserve: about.reserve.len(),
        })
    }
}

impl Check {
    fn new(level: Level, text: String) -> Self {
        Self { level, text, hint: None }
    }

    fn of_model(model: &Model) -> Vec<Self> {
        let about = model.about();
        let mut checks = Vec::new();
        checks.extend(about.doubt.as_ref().map(|doubt| Self::new(Level::Fails, doubt.to_string())));
        checks.extend(about.inverted().map(|inverted| Self::new(Level::Fails, inverted.to_string())));
        checks.extend(about.report.warnings.iter().map(|one| Self::new(Level::Warning, one.to_string())));
        checks.extend(about.report.notes.iter().map(|one| Self::new(Level::Note, one.clone())));
        checks
    }

    fn of_list(model: &Model, said: &[ListNote]) -> Vec<Self> {
        // That the model contradicts itself is among what it says.
        let doubt = model.about().doubt.is_some();
        let said = said.iter().filter(|one| !(doubt && matches!(one, ListNote::Doubted(_))));
        let level = |one: &ListNote| if one.is_warning() { Level::Warning } else { Level::Note };
        said.map(|one| Self { level: level(one), text: one.to_string(), hint: one.hint() }).collect()
    }

    fn of_note(note: &Note) -> Self {
        let level = match note {
            Note::Shifted(_) => Level::Fails,
            Note::TellsApart(_) | Note::LabelsStop(_) | Note::Copies { .. } | Note::OtherLabel { .. } => {
                Level::Warning
            }
            _ => Level::Note,
        };
        Self { level, text: note.to_string(), hint: note.hint() }
    }
}

impl LearnedColumn {
    fn of_read(read: &ColumnRead) -> Self {
        Self { name: read.name.clone(), kind: read.kind.words(), features: read.features }
    }

    fn of_encoding(encoding: &Encoding) -> Vec<Self> {
        let Encoding::Table(features) = encoding else { return Vec::new() };
        let kind = |kind: &FeatureKind| match kind {
            FeatureKind::Numeric { .. } => "numbers",
            FeatureKind::Boolean { .. } => "true or false",
            FeatureKind::Categorical { .. } => "categories",
            FeatureKind::Text { .. } => "texts",
            FeatureKind::Time { .. } => "dates",
            FeatureKind::Vector { .. } => "vectors",
        };
        let of = |feature: &onesided_data::Feature| Self {
            name: feature.name.clone(),
            kind: kind(&feature.kind),
            features: feature.width(),
        };
        features.columns().iter().map(of).collect()
    }
}
