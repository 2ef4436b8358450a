//! What decides: boosting over rows that workers hold.

use super::message::{Answer, Command, NodeCut, Summed, Wanted};
use crate::TreesError;
use crate::away::{Ask, Away};
use crate::bins::Binned;
use crate::config::TreesConfig;
use crate::derivatives::Derivatives;
use crate::field::{Field, allowed};
use crate::grow::{Found, Ground, Growing, Side};
use crate::histogram::{Cell, Units, minus, plus};
use crate::layout::{Group, groups_of};
use crate::levels::{Levels, PARTS};
use crate::model::{Node, Tree, TreesModel};
use crate::split::{Here, Search, Split};
use std::ops::Range;

fn asks(commands: impl Iterator<Item = Command>) -> Vec<Ask> {
    commands.map(|command| Ask { message: command.to_bytes(), rank: command.rank() }).collect()
}

fn each(away: &Away, commands: impl Iterator<Item = Command>) -> Result<Vec<Answer>, TreesError> {
    away.each(asks(commands))?.iter().map(|answer| Answer::from_bytes(answer)).collect()
}

fn sum(away: &Away, commands: impl Iterator<Item = Command>) -> Result<Answer, TreesError> {
    Answer::from_bytes(&away.sum(asks(commands))?)
}

/// Puts levels of features in the order that training rows give them; `of_rows` says of each row what [`Command::Levels`] needs.
pub(crate) fn order(away: &Away, many: &[usize], of_rows: &[u8]) -> Result<(Away, Vec<Levels>), TreesError> {
    let counted = sum(away, away.parts(of_rows).map(|part| Command::Levels { of_rows: part.to_vec() }))?;
    let Answer::Counted(counted) = counted else { return Err(TreesError::Message) };
    let levels: Vec<Levels> = counted.iter().map(|of_parts| Levels::of(of_parts)).collect();
    let features: Vec<(u32, Levels)> =
        many.iter().map(|&feature| feature as u32).zip(levels.iter().cloned()).collect();
    each(away, (0..away.many()).map(|_| Command::Order { features: features.clone() }))?;
    Ok((away.newly_ordered(), levels))
}

/// What a model says of some rows.
pub(crate) fn logits(away: &Away, model: &TreesModel, rows: &[u32]) -> Result<Vec<f64>, TreesError> {
    let ordered = away.is_current()?;
    let parts = away.parted(rows).into_iter();
    let answers = each(away, parts.map(|rows| Command::Score { ordered, model: model.clone(), rows }))?;
    let scores = answers.into_iter().map(|answer| match answer {
        Answer::Scores(scores) => Ok(scores.into_iter()),
        _ => Err(TreesError::Message),
    });
    let mut scores: Vec<_> = scores.collect::<Result<_, _>>()?;
    rows.iter().map(|&row| scores[away.holder(row)].next().ok_or(TreesError::Message)).collect()
}

/// The rows of boosting where workers hold their cells.
pub(crate) struct FieldAway<'b> {
    away: &'b Away,
    binned: &'b Binned,
    training: &'b [u32],
    held_out: &'b [u32],
    config: &'b TreesConfig,
    /// Features as workers lay them out.
    groups: Vec<Group>,
    of_rows: Vec<Derivatives>,
    units: Units,
}

impl<'b> FieldAway<'b> {
    pub fn open(
        away: &'b Away,
        binned: &'b Binned,
        training: &'b [u32],
        held_out: &'b [u32],
        config: &'b TreesConfig,
    ) -> Result<Self, TreesError> {
        let ordered = away.is_current()?;
        let parts = away.parted(training).into_iter().zip(away.parted(held_out));
        each(away, parts.map(|(training, held_out)| Command::Open { ordered, training, held_out }))?;
        let every: Vec<u32> = (0..binned.features() as u32).collect();
        let groups = groups_of(&every, |feature| binned.room(feature));
        let (of_rows, units) = (Vec::new(), Units::new(0, std::iter::empty()));
        Ok(Self { away, binned, training, held_out, config, groups, of_rows, units })
    }

    /// What each worker needs of the rows at some places, which are in their order.
    fn begin(&mut self, places: &[u32], features: &[u32], wanted: &Wanted) -> Result<Summed, TreesError> {
        let mut parts: Vec<(Vec<u8>, usize, Vec<Derivatives>)> = vec![Default::default(); self.away.many()];
        let mut next = places.iter().copied().peekable();
        for ((place, &row), &of_row) in (0u32..).zip(self.training).zip(&self.of_rows) {
            let (drawn, many, of_rows) = &mut parts[self.away.holder(row)];
            if many.is_multiple_of(8) {
                drawn.push(0);
            }
            if next.next_if_eq(&place).is_some() {
                drawn[*many / 8] |= 1 << (*many % 8);
                of_rows.push(of_row);
            }
            *many += 1;
        }
        self.of_rows = Vec::new();
        let begin = |(drawn, _, of_rows)| Command::Begin {
            units: self.units,
            drawn,
            of_rows,
            features: features.to_vec(),
            wanted: wanted.clone(),
        };
        match sum(self.away, parts.into_iter().map(begin))? {
            Answer::Summed(summed) => Ok(summed),
            _ => Err(TreesError::Message),
        }
    }

    /// Adds the answers of a tree, leaf by leaf, once the last cuts were told.
    fn add(
        &self,
        tree: &Tree,
        cuts: Vec<NodeCut>,
        scores: &mut [f64],
        held_out: &mut [f64],
    ) -> Result<(), TreesError> {
        let leaves = (0..self.away.many()).map(|_| Command::Leaves { cuts: cuts.clone() });
        let leaves = each(self.away, leaves)?;
        let (mut of_training, mut of_held_out) = (Vec::new(), Vec::new());
        for answer in leaves {
            let Answer::Leaves(training, held_out) = answer else { return Err(TreesError::Message) };
            of_training.push(training.into_iter());
            of_held_out.push(held_out.into_iter());
        }
        let lists = [(scores, self.training, of_training), (held_out, self.held_out, of_held_out)];
        for (scores, rows, mut leaves) in lists {
            for (score, &row) in scores.iter_mut().zip(rows) {
                let leaf = leaves[self.away.holder(row)].next().ok_or(TreesError::Message)?;
                match tree.nodes.get(leaf as usize) {
                    Some(Node::Leaf { value }) => *score += f64::from(*value),
                    _ => return Err(TreesError::Message),
                }
            }
        }
        Ok(())
    }
}

impl Field for FieldAway<'_> {
    fn take(&mut self, of_rows: Vec<Derivatives>, units: Units) -> Result<(), TreesError> {
        (self.of_rows, self.units) = (of_rows, units);
        Ok(())
    }

    fn grow(
        &mut self,
        places: Vec<u32>,
        features: &[u32],
        scores: &mut [f64],
        held_out: &mut [f64],
    ) -> Result<Tree, TreesError> {
        let (binned, config) = (self.binned, self.config);
        let allowed = allowed(binned.features(), features);
        let many: Vec<usize> = binned.many_levels().filter(|&feature| allowed[feature]).collect();
        let of_levels = if many.is_empty() { Vec::new() } else { vec![0] };
        let first = self.begin(&places, features, &Wanted { node: 0, of_levels })?;
        let rows = places.len();
        drop(places);
        let units = self.units;
        let mut ground = RowsAway { field: self, rows, first, allowed, many, cuts: Vec::new() };
        let grown = Growing { binned, config, units }.grow(&mut ground)?;
        let cuts = ground.cuts;
        self.add(&grown.tree, cuts, scores, held_out)?;
        Ok(grown.tree)
    }
}

/// The rows of a tree where workers hold their cells.
struct RowsAway<'f, 'b> {
    field: &'f FieldAway<'b>,
    rows: usize,
    /// What was summed over all rows.
    first: Summed,
    allowed: Vec<bool>,
    /// Features with more levels than bins among those that are allowed.
    many: Vec<usize>,
    /// Cuts that workers were not told of yet.
    cuts: Vec<NodeCut>,
}

impl Ground for RowsAway<'_, '_> {
    fn whole(&mut self) -> Result<(usize, Cell), TreesError> {
        // Each row is in one bin of a feature.
        let feature = self.field.groups.iter().flat_map(|group| {
            group.features.iter().filter(|&&feature| self.allowed[feature as usize]).map(|_| group.stride)
        });
        let cells = feature.take(1).flat_map(|stride| self.first.cells.iter().take(stride));
        Ok((self.rows, cells.fold([0; 2], |sum, &cell| plus(sum, cell))))
    }

    fn root(&mut self, here: Here) -> Result<Option<Found>, TreesError> {
        let Summed { cells, of_levels } = std::mem::take(&mut self.first);
        let histogram = self.laid_out(&cells)?;
        let split = self.best(&histogram, &of_levels, self.rows, here)?;
        Ok(split.map(|split| Found { histogram, split }))
    }

    fn part(
        &mut self,
        node: usize,
        first: usize,
        _span: Range<usize>,
        split: &Split,
    ) -> Result<usize, TreesError> {
        let (node, first, cut) = (node as u32, first as u32, split.cut.clone());
        self.cuts.push(NodeCut { node, first, feature: split.feature, cut });
        Ok(self.field.units.rows(split.left) as usize)
    }

    fn children(&mut self, all: Vec<Cell>, sides: &[Side; 2]) -> Result<[Option<Found>; 2], TreesError> {
        let least = self.least();
        let large_enough = |side: &&Side| side.span.len() >= least;
        if !sides.iter().any(|side| large_enough(&side)) {
            return Ok([None, None]);
        }
        let smaller = usize::from(sides[0].span.len() > sides[1].span.len());
        let asked: Vec<&Side> = sides.iter().filter(large_enough).filter(|_| !self.many.is_empty()).collect();
        let of_levels = asked.iter().map(|side| side.node as u32).collect();
        let wanted = Wanted { node: sides[smaller].node as u32, of_levels };
        let cuts = std::mem::take(&mut self.cuts);
        let command = || Command::Part { cuts: cuts.clone(), wanted: wanted.clone() };
        let Answer::Summed(Summed { cells, of_levels }) =
            sum(self.field.away, (0..self.field.away.many()).map(|_| command()))?
        else {
            return Err(TreesError::Message);
        };
        let small = self.laid_out(&cells)?;
        let mut large = all;
        large.iter_mut().zip(&small).for_each(|(all, &part)| *all = minus(*all, part));
        let mut histograms = if smaller == 0 { [small, large] } else { [large, small] };
        let mut found = [None, None];
        let mut levels = of_levels.chunks(self.many.len().max(1));
        for (at, side) in sides.iter().enumerate() {
            let histogram = std::mem::take(&mut histograms[at]);
            let of_levels = if large_enough(&side) { levels.next().unwrap_or_default() } else { &[] };
            let split = self.best(&histogram, of_levels, side.span.len(), side.here)?;
            found[at] = split.map(|split| Found { histogram, split });
        }
        Ok(found)
    }
}

impl RowsAway<'_, '_> {
    /// Rows below which no node is cut.
    fn least(&self) -> usize {
        2 * self.field.config.min_child_rows.max(1)
    }

    /// A histogram of the features that are allowed, in the places of all features.
    fn laid_out(&self, cells: &[Cell]) -> Result<Vec<Cell>, TreesError> {
        let groups = &self.field.groups;
        let mut histogram = vec![[0; 2]; groups.last().map_or(0, |group| group.cells().end)];
        let mut left = cells;
        for group in groups {
            for (lane, &feature) in group.features.iter().enumerate() {
                if self.allowed[feature as usize] {
                    let (here, rest) = left.split_at_checked(group.stride).ok_or(TreesError::Message)?;
                    let start = group.start + lane * group.stride;
                    histogram[start..start + group.stride].copy_from_slice(here);
                    left = rest;
                }
            }
        }
        if left.is_empty() { Ok(histogram) } else { Err(TreesError::Message) }
    }

    fn best(
        &self,
        histogram: &[Cell],
        of_levels: &[Vec<(u32, Cell)>],
        rows: usize,
        here: Here,
    ) -> Result<Option<Split>, TreesError> {
        let FieldAway { binned, config, units, groups, .. } = self.field;
        let search = Search { binned, config, units: *units, allowed: &self.allowed };
        let mut best = search.best(groups, histogram, here);
        if rows < self.least() {
            return Ok(best);
        }
        if of_levels.len() != self.many.len() {
            return Err(TreesError::Message);
        }
        for (&feature, there) in self.many.iter().zip(of_levels) {
            if let Some(codes) = binned.codes(feature) {
                best = Split::better(best, search.levels(feature as u32, there, codes.missing(), here));
            }
        }
        Ok(best)
    }
}

/// What is said of each row to count levels: its part, five times how often it is among the training rows, and 128 if it is positive.
pub(crate) fn of_rows(parts: &[u8], training: &[u32], positive: impl Fn(u32) -> bool) -> Vec<u8> {
    let mut of_rows = parts.to_vec();
    for &row in training {
        let of_row = &mut of_rows[row as usize];
        // Nothing is in a list of training rows more often than once for each kind.
        *of_row = (*of_row & 127).saturating_add(PARTS as u8).min(127) | u8::from(positive(row)) << 7;
    }
    of_rows
}
