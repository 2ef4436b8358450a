//! Unlabeled rows of a table that are not positive, by the labels of this very table.
//!
//! AdaDetect (Marandon, Lei, Mary and Roquain, arXiv 2208.06685). Some labeled positives, P₂, are drawn to calibrate, and the others, P₁, are learned
//! from against P₂ and the unlabeled rows U *taken together*: the table is read, encoded and learned from as if P₂ had never been labeled. So
//! nothing that shapes a score (what a column means, which is left out, the order of levels, when training stops, which members are chosen) can
//! treat P₂ and a hidden positive of U differently, and under random labels their scores are exchangeable. Rows are shuffled after they were
//! read, since P₂ may stand first in a file. P₂ is drawn by rows, or by groups where there are some, without a look at anything else.
//!
//! Rows of P₂ and of U that are copies of a row of P₁ take no part: one of P₂ would find its own label there. Copies of a row of P₂ in U are never
//! certified. Of a group of P₂ one row calibrates, and of a group of U the highest counts, which is on the safe side of both; groups with a
//! labeled row are not certified.
//!
//! With several splits each has its own P₂, and rows are certified by their mean e-value ([`NegativesTarget::by_e_values`]).

use super::refuted::{FAVORED, not_certified};
use super::{Certified, CertifiedColumns, CertifiedRow, CertifiedUnit};
use crate::{Error, Fit, Learner, Observer, RowsAre};
use onesided_data::{
    Dataset, Frame, Input, InputOptions, Label, Note, PriorInUnlabeled, ReadOptions, Stream, Values,
};
use onesided_eval::{CertifiedCut, NegativesTarget, RANDOM_LABELS, RankCounts, rank_among};
use onesided_learn::{Labeling, Reserve};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// The share of the labeled positives that calibrate where nothing is said.
pub const CALIBRATING: f64 = 0.5;
/// The level of each of several splits, as a share of that of the list: chosen with the simulations of
/// `benches/certified`, where lists are shorter at one half and no longer at .8.
const SPLIT_LEVEL: f64 = 0.7;

/// What to certify of a table, and how to learn for it.
#[derive(Clone, Debug)]
#[must_use]
pub struct TableNegatives {
    learner: Learner,
    target: NegativesTarget,
    splits: usize,
}

/// Unlabeled rows that are not positive, the surest first.
#[derive(Clone, Debug)]
pub struct CertifiedTable {
    /// What is certified.
    pub certified: Certified,
    /// What its rows show.
    pub columns: CertifiedColumns,
    /// The rows.
    pub rows: Vec<CertifiedRow>,
    /// What reading met.
    pub notes: Vec<Note>,
}

/// Reads the table as if the rows with these numbers, ascending, had no label.
pub type ReadUnlabeled<'r> = dyn FnMut(&[usize]) -> Result<Dataset, Error> + 'r;

/// What belongs together: a row, or a group of them.
struct Units {
    of_row: Vec<usize>,
    are_groups: bool,
}

/// One split of the positives.
struct Split {
    /// For each unit, how many reserved positives score at most as much; `None` for those that are not looked at.
    ranks: BTreeMap<usize, usize>,
    counts: RankCounts,
    /// The score of each row, where it has one.
    scores: Vec<Option<f32>>,
    met: usize,
}

impl TableNegatives {
    /// Learns with these settings; its reserve says how many positives calibrate (half of them where nothing is said).
    pub fn new(learner: Learner, target: NegativesTarget) -> Self {
        Self { learner, target, splits: 1 }
    }

    /// How often the positives are split: 1 is one split with p-values, more are several with e-values, which depend less on luck.
    pub fn splits(self, splits: usize) -> Self {
        Self { splits: splits.max(1), ..self }
    }

    /// Certifies unlabeled rows of a table. `ids` and `kept` are columns to copy: what rows are known by, and what is kept of them, whether it is
    /// learned from or not.
    pub fn read(
        &self,
        path: &Path,
        reading: &InputOptions,
        [ids, kept]: [&[String]; 2],
        observer: Observer,
    ) -> Result<CertifiedTable, Error> {
        let input = &Input::one(path);
        let options = Fit::new(self.learner()).reading(reading.clone()).options(RowsAre::Table)?;
        let no_use = |setting, why| Err(Error::NoUse { setting, why });
        if options.max_unlabeled.is_some() {
            return no_use("max-unlabeled", "draws unlabeled rows, and each of them is to be looked at");
        }
        if options.image.is_some() || options.image_shape.is_some() || reading.is_images(input)? {
            return no_use(
                "label",
                "is of a table of rows, and pictures are not certified by their own labels",
            );
        }
        let mut read = |unlabel: &[usize]| -> Result<Dataset, Error> {
            let options = InputOptions { unlabel: unlabel.to_vec(), ..options.clone() };
            Ok(options.read(input)?)
        };
        // Columns that are not there are refused before the wait.
        let copied = [ids, kept].concat();
        let verbatim = ReadOptions {
            verbatim: copied.clone(),
            only: Some(copied.clone()),
            ..options.files.clone().into()
        };
        let frame = if copied.is_empty() { Frame::default() } else { onesided_data::read(path, &verbatim)? };
        let columns = copied.iter().map(|name| Ok(frame.column(name)?)).collect::<Result<Vec<_>, Error>>()?;
        let mut found = self.certify(&mut read, observer)?;
        for row in &mut found.rows {
            row.cells = columns.iter().map(|column| cell(&column.values, row.row)).collect();
        }
        found.columns = CertifiedColumns { ids: ids.to_vec(), kept: kept.to_vec(), ..found.columns };
        Ok(found)
    }

    /// The same of rows that are read by a function, again for every split.
    pub fn certify(&self, read: &mut ReadUnlabeled, observer: Observer) -> Result<CertifiedTable, Error> {
        self.check_labeling()?;
        let whole = read(&[])?;
        let labels = whole.labels().ok_or(Error::NeedsLabels)?.to_vec();
        let units = Units::of(&whole, &labels);
        let seed = self.learner.config().seed.unwrap_or(0);
        let level = if self.splits > 1 { self.target.fdr() * SPLIT_LEVEL } else { self.target.fdr() };
        let target = NegativesTarget::new(level)?.with_labeling(self.target.labeling());
        let mut splits = Vec::new();
        for number in 0..self.splits {
            let mut stream = Stream::new(seed, &format!("calibrating positives {number}"));
            let (hidden, calibrating) = units.draw(&labels, &self.reserve(), &mut stream)?;
            let data = read(&hidden)?;
            let split = self.one(&data, &labels, &units, &hidden, &calibrating, &mut stream, observer)?;
            let cut = target.certify(&split.counts);
            splits.push((split, cut));
        }
        Ok(self.listed(&whole, &labels, &units, &splits))
    }

    /// Labels that the learner takes to favor some positives are not those that the bound is for.
    fn check_labeling(&self) -> Result<(), Error> {
        let config = self.learner.config();
        if !config.labeling_depends_on.is_empty() {
            let why = "weighs labels, and rows are certified for labels at random, or within labeling odds";
            return Err(Error::NoUse { setting: "labeling-depends-on", why });
        }
        match config.labeling {
            Some(Labeling::EasyFirst) if self.target.labeling().is_random() => {
                Err(Error::NotCertified(FAVORED.to_string()))
            }
            _ => Ok(()),
        }
    }

    fn reserve(&self) -> Reserve {
        self.learner.config().reserve.unwrap_or(Reserve::Share(CALIBRATING))
    }

    /// A learner that sets nothing else aside.
    fn learner(&self) -> Learner {
        self.learner.clone().reserve(None)
    }

    /// Learns and scores with some positives unlabeled.
    #[allow(clippy::too_many_arguments)] // one split: its rows and its draw
    fn one(
        &self,
        data: &Dataset,
        labels: &[Label],
        units: &Units,
        hidden: &[usize],
        calibrating: &[usize],
        stream: &mut Stream,
        observer: Observer,
    ) -> Result<Split, Error> {
        // The places of rows must not tell which of them were labeled.
        let mut order = data.rows_not_blank().unwrap_or_else(|| (0..data.len()).collect());
        stream.shuffle(&mut order);
        let shuffled = data.select(&order);
        let known = shuffled.labels().ok_or(Error::NeedsLabels)?.to_vec();
        let mut learner = self.learner();
        if let Some(mu) = learner.config().prior_in_unlabeled {
            // The share was said of the unlabeled rows without those that are so for the time being.
            let unlabeled = known.iter().filter(|&&label| label == Label::Unlabeled).count() as f64;
            let hidden = hidden.len() as f64;
            let mu = PriorInUnlabeled::new((mu.get() * (unlabeled - hidden) + hidden) / unlabeled)?;
            learner = learner.prior_in_unlabeled(mu);
        }
        let (model, found) = learner.fit_scored(&shuffled, observer)?;
        // P₁ is a random sample of the positives if the labels are.
        if let Some(why) = not_certified(&model, &[], self.target.labeling()) {
            return Err(Error::NotCertified(why));
        }
        // A row of P₁ and its copies have one answer.
        let copies = shuffled.copies().filter(|_| !units.are_groups);
        let copies_of = |of: &dyn Fn(usize) -> bool| -> HashSet<usize> {
            copies
                .iter()
                .flat_map(|copies| (0..order.len()).filter(|&at| of(at)).map(|at| copies.of_row(at)))
                .collect()
        };
        let is_copy = |of: &HashSet<usize>, at: usize| {
            copies.as_ref().is_some_and(|copies| of.contains(&copies.of_row(at)))
        };
        let of_learned = copies_of(&|at| known[at] == Label::Positive);
        let of_hidden = copies_of(&|at| hidden.binary_search(&order[at]).is_ok());
        let mut reserved: Vec<f32> = (0..order.len())
            .filter(|&at| calibrating.binary_search(&order[at]).is_ok() && !is_copy(&of_learned, at))
            .map(|at| found[at])
            .collect();
        reserved.sort_unstable_by(f32::total_cmp);
        let labeled_units = units.with_labels(labels);
        let (mut ranks, mut met) = (BTreeMap::new(), 0);
        let mut scores = vec![None; labels.len()];
        for (at, &row) in order.iter().enumerate() {
            let unit = units.of_row[row];
            if labels[row] != Label::Unlabeled {
                continue;
            }
            scores[row] = Some(found[at]);
            if labeled_units.contains(&unit) || is_copy(&of_learned, at) {
                met += 1;
                continue;
            }
            let beside = is_copy(&of_hidden, at);
            met += usize::from(beside);
            let rank = if beside { reserved.len() } else { rank_among(&reserved, found[at]) };
            let highest = ranks.entry(unit).or_insert(0);
            *highest = rank.max(*highest);
        }
        let mut counts = RankCounts::new(reserved.len());
        ranks.values().for_each(|&rank| counts.add(rank));
        Ok(Split { ranks, counts, scores, met })
    }

    fn listed(
        &self,
        whole: &Dataset,
        labels: &[Label],
        units: &Units,
        splits: &[(Split, CertifiedCut)],
    ) -> CertifiedTable {
        let [(first, cut), ..] = splits else { unreachable!("there is a split at least") };
        let evidence: HashMap<usize, f64> = if splits.len() == 1 {
            let held = first.ranks.iter().filter(|(_, rank)| cut.holds(**rank));
            held.map(|(&unit, &rank)| (unit, cut.p_value(rank))).collect()
        } else {
            self.by_e_values(splits)
        };
        let unit = if units.are_groups { CertifiedUnit::Groups } else { CertifiedUnit::Rows };
        let mean = |row: usize| {
            let scores: Vec<f64> =
                splits.iter().filter_map(|(split, _)| split.scores[row]).map(f64::from).collect();
            (scores.iter().sum::<f64>() / scores.len().max(1) as f64) as f32
        };
        let mut rows: Vec<CertifiedRow> = (0..labels.len())
            .filter(|&row| labels[row] == Label::Unlabeled && first.scores[row].is_some())
            .filter_map(|row| {
                let evidence = *evidence.get(&units.of_row[row])?;
                Some(CertifiedRow { row, score: mean(row), evidence, cells: Vec::new() })
            })
            .collect();
        let surer = |row: &CertifiedRow| if splits.len() == 1 { 0.0 } else { -row.evidence };
        rows.sort_by(|a, b| {
            surer(a).total_cmp(&surer(b)).then(a.score.total_cmp(&b.score)).then(a.row.cmp(&b.row))
        });
        let mut certified = Certified::of(cut, unit, RANDOM_LABELS.to_string());
        certified.fdr = self.target.fdr();
        certified.rows = rows.len();
        certified.labeled = labels.iter().filter(|&&label| label != Label::Unlabeled).count();
        certified.met = first.met;
        if splits.len() > 1 {
            certified.splits = splits.len();
            certified.certified = evidence.len();
            certified.looked_at = splits.iter().map(|(split, _)| split.ranks.len()).max().unwrap_or(0);
            certified.reserved = splits.iter().map(|(_, cut)| cut.reserved).min().unwrap_or(0);
            certified.holds_up_to_labeling_odds = None;
        }
        let columns = CertifiedColumns { e_values: splits.len() > 1, ..CertifiedColumns::default() };
        CertifiedTable { certified, columns, rows, notes: whole.notes().to_vec() }
    }

    /// The certified units with their mean e-values.
    fn by_e_values(&self, splits: &[(Split, CertifiedCut)]) -> HashMap<usize, f64> {
        let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
        for (split, cut) in splits {
            for (&unit, &rank) in &split.ranks {
                *sums.entry(unit).or_insert(0.0) += cut.e_value(rank);
            }
        }
        let units: Vec<usize> = sums.keys().copied().collect();
        let means: Vec<f64> = sums.values().map(|sum| sum / splits.len() as f64).collect();
        let list = self.target.by_e_values(&means);
        list.rows.into_iter().map(|at| (units[at], means[at])).collect()
    }
}

/// A cell that was read to the byte.
fn cell(values: &Values, row: usize) -> String {
    match values {
        Values::Text(cells) => cells.get(row).to_string(),
        _ => String::new(),
    }
}

impl Units {
    fn of(data: &Dataset, labels: &[Label]) -> Self {
        match data.groups() {
            Some(groups) => {
                Self { of_row: groups.iter().map(|&group| group as usize).collect(), are_groups: true }
            }
            None => Self { of_row: (0..labels.len()).collect(), are_groups: false },
        }
    }

    /// Those with a labeled row.
    fn with_labels(&self, labels: &[Label]) -> HashSet<usize> {
        let labeled = (0..labels.len()).filter(|&row| labels[row] != Label::Unlabeled);
        labeled.filter(|_| self.are_groups).map(|row| self.of_row[row]).collect()
    }

    /// The positives that are read without their labels, and those of them that calibrate: one of each unit. Both ascending.
    fn draw(
        &self,
        labels: &[Label],
        reserve: &Reserve,
        stream: &mut Stream,
    ) -> Result<(Vec<usize>, Vec<usize>), Error> {
        let mut of_unit: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for row in (0..labels.len()).filter(|&row| labels[row] == Label::Positive) {
            of_unit.entry(self.of_row[row]).or_default().push(row);
        }
        let mut positives: Vec<Vec<usize>> = of_unit.into_values().collect();
        let number = reserve.number(positives.len())?;
        stream.shuffle(&mut positives);
        positives.truncate(number);
        let mut calibrating: Vec<usize> =
            positives.iter().map(|rows| rows[stream.below(rows.len())]).collect();
        calibrating.sort_unstable();
        let mut hidden: Vec<usize> = positives.into_iter().flatten().collect();
        hidden.sort_unstable();
        Ok((hidden, calibrating))
    }
}
