//! What the answers of audits of a model on a table say ([`Model::audit`] draws the rows, [`AuditFile`] reads them back).
//!
//! Several files of one model and one table add up. Files with the same seed are parts of one draw. A row is in any of
//! several draws with probability 1 - Π (1 - p_d); within a stratum all rows have the same one, so the distinct rows that
//! were answered are a random sample of the stratum, and are taken as such.
//!
//! Rows without an answer, or whose line was deleted, are left out: the answered rows of their stratum stand for them. A stratum with fewer than two
//! answers joins its neighbor.

use crate::audit_file::{Answer, AuditFile};
use crate::audit_key::DrawFacts;
use crate::verdict::{CONFIDENCE, Compared, Verdict};
use crate::{Agreement, Error, Model};
use onesided_data::{agree, counted, grouped, part_of};
use onesided_eval::audit::{
    AuditEstimate, FirstPartTarget, FirstParts, LabelsByAnswers, PositivesKnown, Range, Stratum, estimate,
    inclusion, joined, labels_by_answers,
};
use onesided_eval::{Contradiction, Interval, LeastShare};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The answers of one or more audits of a model on a table.
#[derive(Clone, Debug)]
pub struct Audit {
    /// The first file.
    name: String,
    /// The first draw: the same model and table as the others.
    of: DrawFacts,
    strata: Vec<Range>,
    /// What is known of every distinct row, by its number from 1.
    answers: BTreeMap<usize, AnsweredRow>,
    chances: Vec<f64>,
    /// Rows that were drawn from each stratum and are in no file.
    missing: Vec<usize>,
    draws: usize,
    agreement: Option<Agreement>,
}

/// A row with its answer.
#[derive(Clone, Debug)]
struct AnsweredRow {
    stratum: usize,
    answer: Answer,
    /// The row's fingerprint in a draw.
    print: Option<(u64, DrawFacts)>,
}

/// A row of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AuditedRow {
    /// Its number in the table, from 0.
    pub row: usize,
    /// The answer, where there is one.
    pub answer: Option<bool>,
    /// The chance of being in any of the draws.
    pub chance: f64,
}

/// What the answers say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditReport {
    /// Estimates with intervals.
    #[serde(flatten)]
    pub estimate: AuditEstimate,
    /// How many draws were read.
    pub draws: usize,
    /// Distinct rows that were drawn.
    pub drawn: usize,
    /// Answers that say positive.
    pub found: usize,
    /// Drawn rows without an answer: blank, unsure, or without a line.
    pub unanswered: usize,
    /// Rows whose answer is that nobody can tell.
    pub unsure: usize,
    /// Drawn rows without a line in any file.
    pub missing: usize,
    /// How many rows are predicted positive: the cut of the model's own decision.
    pub predicted: usize,
    /// How far several files agree on rows that more than one of them answers; `None` where there are no such rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement: Option<Agreement>,
    /// The share if every row without an answer were negative, and if every one were positive. `None` where all are
    /// answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_unanswered: Option<[Interval; 2]>,
    /// Strata that were joined to a neighbor, for lack of answers.
    pub joined: usize,
    /// Whether labels can be a random sample of the positives, by where answered positives and labeled ones rank. `None` where too few of
    /// either are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labeling: Option<LabelsByAnswers>,
}

impl Audit {
    /// Answers from files. They must be of this model, of one table and with the same cuts.
    pub fn new(model: &Model, files: &[AuditFile]) -> Result<Self, Error> {
        Self::of(&model.fingerprint()?, files)
    }

    /// Answers from files of one model, whichever that is.
    pub fn of_files(files: &[AuditFile]) -> Result<Self, Error> {
        let first = files.first().and_then(|first| first.draws.first());
        Self::of(first.map_or("", |first| &first.model), files)
    }

    fn of(ours: &str, files: &[AuditFile]) -> Result<Self, Error> {
        // A file that is given twice is one reviewer's.
        let is_new = |at: &usize| !files[..*at].iter().any(|before| before.name == files[*at].name);
        let each = (0..files.len()).filter(is_new).map(|at| files[at].answers());
        let agreement = Agreement::of(&each.collect::<Vec<_>>());
        let Some((first, of)) = files.first().and_then(|file| Some((file, file.draws.first()?))) else {
            return Err(onesided_eval::EvalError::FewAnswers(0).into());
        };
        let wrong = |file: &AuditFile, what: String| Error::AuditFile { file: file.name.clone(), what };
        // Within one file, lines that do not belong together were pasted.
        let other = |file: &AuditFile, apart: &str, pasted: &str| {
            let alone = file.name == first.name;
            wrong(file, if alone { format!("{pasted}; delete these lines") } else { apart.to_string() })
        };
        for (file, draw) in files.iter().flat_map(|file| file.draws.iter().map(move |draw| (file, draw))) {
            if draw.model != ours {
                return Err(wrong(
                    file,
                    format!(
                        "is an audit of another model ({}, not {ours}); audits of one model add up, so draw all of them with it",
                        draw.model
                    ),
                ));
            }
            if draw.table != of.table || draw.counts != of.counts {
                let apart =
                    format!("is an audit of another table than '{}'; read them one by one", first.name);
                return Err(other(file, &apart, "has lines that were drawn from another table"));
            }
        }
        let ranges = files.iter().flat_map(|file| {
            let of_lines = file.lines.iter().map(|line| line.range);
            file.draws.iter().flat_map(|draw| draw.strata.iter().copied()).chain(of_lines)
        });
        let strata = tiled(ranges, of.counts.unlabeled, &first.name)?;
        let place = |range: &Range| {
            let at = strata.partition_point(|other| other.last < range.first);
            strata.get(at).filter(|other| (other.first, other.last) == (range.first, range.last)).map(|_| at)
        };
        let mut draws: BTreeMap<u64, BTreeMap<usize, usize>> = BTreeMap::new();
        let mut seen: BTreeSet<(u64, usize, usize)> = BTreeSet::new();
        let mut answers: BTreeMap<usize, AnsweredRow> = BTreeMap::new();
        for file in files {
            let of_lines = file.lines.iter().filter(|_| file.is_earlier).map(|line| (line.draw, line.range));
            let of_draws = file.draws.iter().enumerate();
            let of_draws = of_draws.flat_map(|(at, draw)| draw.strata.iter().map(move |range| (at, *range)));
            for (at, range) in of_lines.chain(of_draws) {
                let seed = file.draws[at].seed;
                let Some(place) = place(&range) else {
                    let apart = format!(
                        "was drawn with other cuts than '{}'; draw with the same ones to add audits up",
                        first.name
                    );
                    return Err(other(file, &apart, "has lines of a draw with other cuts"));
                };
                if *draws.entry(seed).or_default().entry(place).or_insert(range.drawn) != range.drawn {
                    let apart =
                        format!("is another draw with the same seed, {seed}; give each draw its own seed");
                    return Err(other(file, &apart, "has lines of another draw with the same seed"));
                }
            }
            for line in &file.lines {
                let draw = &file.draws[line.draw];
                let Some(at) = place(&line.range) else { continue };
                seen.insert((draw.seed, at, line.row));
                let row = AnsweredRow { stratum: at, answer: line.answer, print: None };
                let known = answers.entry(line.row).or_insert(row);
                let clash = known.stratum != at
                    || matches!((known.answer, line.answer), (Answer::Is(a), Answer::Is(b)) if a != b);
                if clash {
                    let of_all = agreement.as_ref().filter(|told| told.differ.len() > 1);
                    let of_all = of_all.map_or_else(String::new, |told| format!(": {}", told.in_words()));
                    let what = format!(
                        "contradicts another answer for row {}; settle it in one of the files{of_all}",
                        line.row
                    );
                    return Err(wrong(file, what));
                }
                // An answer counts more than a doubt, and a doubt more than nothing.
                match (known.answer, line.answer) {
                    (Answer::Is(_), _) | (Answer::Unsure, Answer::Blank) => {}
                    (_, given) => known.answer = given,
                }
                known.print = known.print.take().or_else(|| Some((line.print?, draw.clone())));
            }
        }
        let of_stratum = |at: usize| {
            let rows = strata[at].rows() as f64;
            let rates = draws.values().map(|drawn| drawn.get(&at).map_or(0.0, |&n| n as f64 / rows));
            inclusion(rates)
        };
        let chances = (0..strata.len()).map(of_stratum).collect();
        let mut missing = vec![0; strata.len()];
        draws.values().flatten().for_each(|(&at, &drawn)| missing[at] += drawn);
        seen.iter().for_each(|&(_, at, _)| missing[at] = missing[at].saturating_sub(1));
        let (name, of, draws) = (first.name.clone(), of.clone(), draws.len());
        Ok(Self { name, of, chances, missing, draws, strata, answers, agreement })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What was drawn, of one of several draws.
    pub(crate) fn drawn(&self) -> &DrawFacts {
        &self.of
    }

    /// The columns that keys of rows are made of; `None` for files that have none.
    pub fn keyed_columns(&self) -> Option<u64> {
        self.answers.values().all(|row| row.print.is_some()).then_some(self.of.columns)
    }

    /// The fingerprint of each distinct row and the draw that it is of, in the order of [`rows`](Self::rows).
    pub(crate) fn prints(&self) -> impl Iterator<Item = Option<&(u64, DrawFacts)>> {
        self.answers.values().map(|row| row.print.as_ref())
    }

    /// Every distinct row that was drawn, with its answer and the chance of being in any of the draws.
    pub fn rows(&self) -> impl Iterator<Item = AuditedRow> {
        self.answers.iter().map(|(&row, of_row)| AuditedRow {
            row: row.saturating_sub(1),
            answer: of_row.answer.known(),
            chance: self.chances[of_row.stratum],
        })
    }

    /// Every distinct row's stratum, in the order of [`rows`](Self::rows).
    pub(crate) fn strata_of_rows(&self) -> impl Iterator<Item = usize> {
        self.answers.values().map(|row| row.stratum)
    }

    /// How many labeled positives would be in each stratum, where the draw tells, and the share of each stratum's rows that was answered.
    pub(crate) fn labeled_and_rates(&self) -> Option<(&[usize], Vec<f64>)> {
        let labeled = self.of.labeled.as_ref().filter(|labeled| labeled.len() == self.strata.len())?;
        let rates = self.counted(None).iter().map(|stratum| stratum.answered / stratum.rows as f64).collect();
        Some((labeled, rates))
    }

    /// Compares answered positives with labeled ones by where they rank.
    fn labels_by_rank(&self) -> Option<LabelsByAnswers> {
        let (labeled, rates) = self.labeled_and_rates()?;
        let (mut answered, mut strata) = (Vec::new(), Vec::new());
        for (at, (&labeled, stratum)) in labeled.iter().zip(self.counted(None)).enumerate() {
            let of_answers = stratum.positive.round() as usize;
            answered.extend((0..labeled + of_answers).map(|place| place >= labeled));
            strata.extend(std::iter::repeat_n(at, labeled + of_answers));
        }
        let known =
            PositivesKnown { answered: &answered, strata: &strata, rates: &rates, seed: self.of.seed };
        labels_by_answers(known, &[], |_, _| 0.0)
    }

    fn count(&self, wanted: Answer) -> usize {
        self.answers.values().filter(|row| row.answer == wanted).count()
    }

    /// The answers by stratum; rows without one count as `blank` says.
    fn counted(&self, blank: Option<bool>) -> Vec<Stratum> {
        let mut strata: Vec<Stratum> = self
            .strata
            .iter()
            .map(|range| Stratum { rows: range.rows(), answered: 0.0, positive: 0.0 })
            .collect();
        for row in self.answers.values() {
            if let Some(positive) = row.answer.known().or(blank) {
                strata[row.stratum].answered += 1.0;
                strata[row.stratum].positive += f64::from(u8::from(positive));
            }
        }
        for (stratum, &missing) in strata.iter_mut().zip(&self.missing) {
            if let Some(positive) = blank {
                let rows = (missing as f64).min(stratum.rows as f64 - stratum.answered);
                stratum.answered += rows;
                stratum.positive += if positive { rows } else { 0.0 };
            }
        }
        strata
    }

    /// Who writes yes alone and leaves the rest blank, or deletes it, means no by it, which is not what these rows are taken for.
    fn check_answers(&self) -> Result<(), Error> {
        let missing: usize = self.missing.iter().sum();
        let (yes, blank) = (self.count(Answer::Is(true)), self.count(Answer::Blank));
        if self.count(Answer::Is(false)) > 0 || yes == 0 || (missing == 0 && blank < yes) {
            return Ok(());
        }
        let lacking = match (blank, missing) {
            (blank, 0) => counted(blank, "blank rows"),
            (0, missing) => format!("{} of the draw missing", counted(missing, "lines")),
            (blank, missing) => {
                format!(
                    "{} and {} of the draw missing",
                    counted(blank, "blank rows"),
                    counted(missing, "lines")
                )
            }
        };
        Err(Error::AuditFile {
            file: self.name.clone(),
            what: format!(
                "has {}, {} yes, and {lacking}; write no where the answer is no, and keep the lines",
                counted(yes, "answers"),
                if yes == 1 { "which is" } else { "all of them" },
            ),
        })
    }

    /// The longest first part of the list with a precision, with drawn rows that have no answer as not positive.
    pub fn first_parts(&self, target: FirstPartTarget) -> Result<FirstParts, Error> {
        self.check_answers()?;
        Ok(target.first_parts(&self.counted(Some(false))))
    }

    /// What the answers say, with intervals of this confidence.
    pub fn report(&self, confidence: f64) -> Result<AuditReport, Error> {
        self.check_answers()?;
        let (strata, parts) = joined(&self.counted(None));
        let estimates = estimate(&strata, confidence)?;
        let missing: usize = self.missing.iter().sum();
        let drawn = self.answers.len() + missing;
        let unsure = self.count(Answer::Unsure);
        let unanswered = self.count(Answer::Blank) + unsure + missing;
        let bound =
            |blank| Ok::<_, Error>(estimate(&joined(&self.counted(Some(blank))).0, confidence)?.share);
        Ok(AuditReport {
            draws: self.draws,
            drawn,
            found: self.count(Answer::Is(true)),
            unanswered,
            unsure,
            missing,
            predicted: self.of.predicted,
            agreement: self.agreement.clone(),
            if_unanswered: (unanswered > 0)
                .then(|| Ok::<_, Error>([bound(false)?, bound(true)?]))
                .transpose()?,
            joined: self.strata.len() - parts.len(),
            labeling: self.labels_by_rank(),
            estimate: estimates,
        })
    }
}

impl AuditReport {
    /// What a reader of it must know, in sentences.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some([none, all]) = self.if_unanswered {
            let of = |rows: usize, one: &str, several: &str| {
                (rows > 0).then(|| format!("{} {}", grouped(rows), agree(rows, one, several)))
            };
            let why = [
                of(self.unsure, "is unsure", "are unsure"),
                of(self.missing, "has no line in the files", "have no line in the files"),
            ];
            let why: Vec<String> = why.into_iter().flatten().collect();
            let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(", ")) };
            warnings.push(format!(
                "{} {} no answer{why}, and the answered rows of their stratum count for them; if all of them were negative the share \
                 would be {:.4}, if all were positive {:.4}",
                part_of(self.unanswered, self.drawn, "rows"),
                agree(self.unanswered, "has", "have"),
                none.value,
                all.value
            ));
        }
        if self.joined > 0 {
            warnings.push(format!(
                "{} {} fewer than two answers and {} joined to a neighbor",
                counted(self.joined, "strata"),
                agree(self.joined, "has", "have"),
                agree(self.joined, "was", "were")
            ));
        }
        warnings.extend(self.labeling.as_ref().filter(|test| test.refutes()).map(ToString::to_string));
        warnings
    }
}

/// The strata of all draws. Where the first version's lines were deleted, and whole strata with them, what is missing between two is
/// one.
fn tiled(ranges: impl Iterator<Item = Range>, rows: usize, name: &str) -> Result<Vec<Range>, Error> {
    let seen: BTreeMap<usize, Range> = ranges.map(|range| (range.first, range)).collect();
    let mut strata: Vec<Range> = Vec::new();
    let end = Range { first: rows + 1, last: rows + 1, drawn: 0 };
    for range in seen.into_values().chain([end]) {
        let next = strata.last().map_or(1, |range| range.last + 1);
        if range.first < next {
            let what = "has strata that overlap with those of another file; draw with the same cuts to add audits up";
            return Err(Error::AuditFile { file: name.to_string(), what: what.to_string() });
        }
        if range.first > next {
            strata.push(Range { first: next, last: range.first - 1, drawn: 0 });
        }
        strata.push(range);
    }
    strata.pop();
    Ok(strata)
}

impl Audit {
    /// What the model said of the share, and of precision and recall at its own cut, next to what the answers say. `None` for a model
    /// that said nothing, as one without a share does.
    pub fn verdict(&self, model: &Model) -> Result<Option<Verdict>, Error> {
        let report = self.report(CONFIDENCE)?;
        let (about, found) = (model.about(), &report.estimate);
        // A list of all rows that were unlabeled when fitting has their share, and any other that of the population.
        let share = if found.rows == about.counts.unlabeled {
            model.share_in_unlabeled()
        } else {
            model.share_in_population()
        };
        let mut compared: Vec<Compared> =
            share.map(|said| Compared::new("share", said.share, found.share)).into_iter().collect();
        if let Some(cut) = found.cuts.iter().find(|cut| cut.rows == report.predicted) {
            for (what, found) in [("precision", cut.precision), ("recall", cut.recall)] {
                let said = about.report.metrics.get(what);
                compared.extend(said.map(|&said| Compared::new(what, said, found)));
            }
        }
        Ok(Verdict::of("the model", compared))
    }

    /// The share that the answers tell and the labels of the fit, where the two cannot both be right.
    pub fn contradiction(&self, model: &Model) -> Result<Option<Contradiction>, Error> {
        let (about, found) = (model.about(), self.report(CONFIDENCE)?.estimate);
        let auc = about.report.metrics.get("auc_pu").filter(|_| found.rows == about.counts.unlabeled);
        let held = about.report.held_out;
        let least = LeastShare { share: found.share.low, audited: true };
        Ok(auc.and_then(|auc| {
            Contradiction::found(auc.value, held.positive as f64, held.unlabeled as f64, least)
        }))
    }
}
