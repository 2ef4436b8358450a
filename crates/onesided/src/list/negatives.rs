//! Of new rows those that are not positive, by a model with reserved positives; read piece by piece.
//!
//! All that the list needs of a row is how many reserved positives score at most as much, so a table of any length takes no more memory
//! than these counts and the rows that may be certified, which are sorted outside memory where they do not fit. Rows that are equal to some
//! that the model was fitted on are counted and never certified, unless chance alone explains them. Of groups the highest row counts, and
//! the whole group is certified or none of it.

use super::gather::{pack, unpack};
use super::{List, MetRows, RowLookup};
use crate::negatives::{Certified, CertifiedColumns, CertifiedRow, CertifiedUnit};
use crate::{Error, ListNote, Met, ScoredRows};
use onesided_data::{Cutting, Dataset, Input, Note, ReadAgain, RowSorter, TableError};
use onesided_eval::{CertifiedCut, NegativesTarget, RankCounts, rank_among};
use std::collections::HashMap;

/// Rows that are not positive: what is certified, and the rows, to be taken once.
pub struct CertifiedList {
    /// What is certified.
    pub certified: Certified,
    /// What its rows show.
    pub columns: CertifiedColumns,
    /// What reading met.
    pub notes: Vec<Note>,
    /// What is to be said of the list.
    pub said: Vec<ListNote>,
    /// The most rows that were held at a time.
    pub largest_piece: usize,
    cut: CertifiedCut,
    sorter: RowSorter,
    groups: Groups,
    all_new: bool,
    /// The column of groups, where nobody asked to see it.
    hidden: Option<usize>,
    cells: usize,
}

/// The highest rank of each group, where rows have groups.
#[derive(Default)]
struct Groups {
    places: HashMap<String, usize>,
    of: Vec<GroupRank>,
}

#[derive(Clone, Copy, Default)]
struct GroupRank {
    rank: usize,
    /// Whether the model was fitted on a row that is equal to one of it.
    met: bool,
    rows: usize,
}

/// Rows under way.
struct Looking<'l, 'm> {
    lookup: RowLookup<'m>,
    reserve: &'l [f32],
    new: RankCounts,
    /// Rows that are equal to some that were learned from.
    met: RankCounts,
    labeled: usize,
    group: Option<&'l str>,
    groups: Groups,
    sorter: RowSorter,
    names: Vec<String>,
    largest: usize,
}

impl<'m> List<'m> {
    /// Of the rows of a place those that are not positive. `group` is the column that says which rows belong together.
    pub fn negatives(
        &self,
        input: &Input,
        also: &ReadAgain,
        target: NegativesTarget,
        group: Option<&str>,
    ) -> Result<CertifiedList, Error> {
        let mut also = self.read_along(also);
        let hidden = group.filter(|group| !also.roles.id.iter().chain(&also.keep).any(|name| name == group));
        also.roles.id.extend(hidden.map(str::to_string));
        let ids = if also.keep.is_empty() { usize::MAX } else { also.roles.id.len() };
        let mut looking = self.look(group, self.label.is_some())?;
        let cut = Cutting { threads: self.threads, ..Cutting::default() };
        let streamed = self.model.stream(input, &also, cut, &mut |piece| looking.add(piece))?;
        self.check_told(&looking.lookup, input)?;
        looking.finish(self, target, streamed.notes, ids, hidden)
    }

    /// Of rows in memory those that are not positive, by [groups](Dataset::with_groups) where they have some. `told`: rows that the
    /// [data tell to be labeled](Dataset::told) are left out.
    pub fn negatives_of(
        &self,
        data: &Dataset,
        target: NegativesTarget,
        told: bool,
    ) -> Result<CertifiedList, Error> {
        let mut looking = self.look(None, told)?;
        looking.add(self.model.scored(data)?)?;
        looking.finish(self, target, data.notes().to_vec(), usize::MAX, None)
    }

    fn look<'l>(&'l self, group: Option<&'l str>, told: bool) -> Result<Looking<'l, 'm>, Error> {
        let reserve = &self.model.about().reserve;
        if reserve.is_empty() {
            return Err(Error::NoReserve);
        }
        Ok(Looking {
            lookup: RowLookup::new(self.model, self.rows_of_model, told),
            reserve,
            new: RankCounts::new(reserve.len()),
            met: RankCounts::new(reserve.len()),
            labeled: 0,
            group,
            groups: Groups::default(),
            sorter: RowSorter::new(self.folder.as_deref()),
            names: Vec::new(),
            largest: 0,
        })
    }
}

impl<'l, 'm> Looking<'l, 'm> {
    fn add(&mut self, mut piece: ScoredRows) -> Result<(), Error> {
        self.largest = self.largest.max(piece.data.len());
        // Scores out of fold are those of other models, so these rows are not looked at by them.
        let own = piece.scores.clone();
        let met = self.lookup.next(&mut piece)?;
        let data = piece.data.as_ref();
        if self.names.is_empty() {
            self.names = data.ids().iter().map(|(name, _)| name.clone()).collect();
        }
        let named = self.group.and_then(|group| data.ids().iter().find(|(name, _)| name == group));
        let group_of = |row: usize| match (named, data.groups()) {
            // A row without a group is one of its own.
            (Some((_, cells)), _) if cells.get(row).trim().is_empty() => {
                Some(format!("\0{}", piece.number(row)))
            }
            (Some((_, cells)), _) => Some(cells.get(row).to_string()),
            (None, Some(groups)) => Some(groups[row].to_string()),
            (None, None) => None,
        };
        let mut beside = Vec::new();
        for (row, &score) in own.iter().enumerate() {
            let of_row = met.as_ref().map_or(Met::NEW, |met| met[row]);
            if self.lookup.matcher().is_some_and(|matcher| matcher.is_labeled(of_row)) {
                self.labeled += 1;
                continue;
            }
            let rank = rank_among(self.reserve, score);
            let (known, group) = (of_row.is_known(), group_of(row));
            let place = group.map(|group| self.groups.add(group, rank, known));
            if place.is_none() {
                if known { &mut self.met } else { &mut self.new }.add(rank);
            }
            if rank < self.new.first_uncertain() {
                beside.clear();
                beside.extend((rank as u32).to_le_bytes());
                beside.extend(place.map_or(u32::MAX, |place| place as u32).to_le_bytes());
                pack(of_row, data, row, &[], &mut beside);
                // The surest first.
                self.sorter.push(-score, piece.number(row) as u64, &beside)?;
            }
        }
        Ok(())
    }

    fn finish(
        self,
        list: &List,
        target: NegativesTarget,
        notes: Vec<Note>,
        ids_end: usize,
        hidden: Option<&str>,
    ) -> Result<CertifiedList, Error> {
        let Self { lookup, reserve, new: mut counts, met, labeled, groups, sorter, names, largest, .. } =
            self;
        let is_table = lookup.is_same() || lookup.matcher().is_some_and(|matcher| matcher.is_fitted_table());
        if is_table {
            return Err(Error::CertifiesFitted);
        }
        let shifted: Vec<_> = notes.iter().filter_map(Note::shifted).collect();
        if let Some(why) = list.model.withheld(&shifted) {
            return Err(Error::Withheld(why));
        }
        let all_new = matches!(lookup.met_rows(), MetRows::Chance);
        let unit = if groups.of.is_empty() { CertifiedUnit::Rows } else { CertifiedUnit::Groups };
        let last = reserve.len();
        match unit {
            CertifiedUnit::Rows => counts.merge(&met, |rank| if all_new { rank } else { last }),
            CertifiedUnit::Groups => {
                groups.of.iter().for_each(|group| counts.add(group.rank_for(all_new, last)));
            }
        }
        let cut = target.certify(&counts);
        let mut certified = Certified::of(&cut, unit, list.model.about().assumes());
        certified.labeled = labeled;
        certified.met = if all_new { 0 } else { lookup.matcher().map_or(0, |matcher| matcher.met()) };
        certified.rows = match unit {
            CertifiedUnit::Rows => cut.certified,
            CertifiedUnit::Groups => groups
                .of
                .iter()
                .filter(|group| cut.holds(group.rank_for(all_new, last)))
                .map(|group| group.rows)
                .sum(),
        };
        let cells = names.len();
        let hidden = hidden.and_then(|hidden| names.iter().position(|name| name == hidden));
        let mut ids = names;
        let mut kept = ids.split_off(ids_end.min(ids.len()));
        if let Some(hidden) = hidden {
            if hidden < ids.len() { &mut ids } else { &mut kept }.remove(hidden % cells.max(1));
        }
        Ok(CertifiedList {
            certified,
            columns: CertifiedColumns { ids, kept, e_values: false },
            notes,
            said: lookup.unusable_rows(),
            largest_piece: largest,
            cut,
            sorter,
            groups,
            all_new,
            hidden,
            cells,
        })
    }
}

impl CertifiedList {
    /// The rows, the surest first; equal scores keep the order of the data.
    pub fn into_rows(self) -> Result<impl Iterator<Item = Result<CertifiedRow, TableError>> + Send, Error> {
        let Self { cut, sorter, groups, all_new, hidden, cells, .. } = self;
        let last = cut.reserved;
        Ok(sorter.finish()?.filter_map(move |row| {
            let row = match row {
                Ok(row) => row,
                Err(error) => return Some(Err(error)),
            };
            let (rank, rest) = number(&row.beside);
            let (place, rest) = number(rest);
            let (met, mut cells, _) = unpack(rest, cells);
            let rank = match groups.of.get(place) {
                Some(group) => group.rank_for(all_new, last),
                None if met.is_known() && !all_new => last,
                None => rank,
            };
            if let Some(hidden) = hidden {
                cells.remove(hidden);
            }
            let evidence = cut.p_value(rank);
            let listed = CertifiedRow { row: row.row as usize, score: -row.score, evidence, cells };
            cut.holds(rank).then_some(Ok(listed))
        }))
    }

    /// The rows at once.
    pub fn collect(self) -> Result<Vec<CertifiedRow>, Error> {
        Ok(self.into_rows()?.collect::<Result<_, _>>()?)
    }
}

/// A number in four bytes, and the bytes behind it.
fn number(bytes: &[u8]) -> (usize, &[u8]) {
    bytes
        .split_first_chunk::<4>()
        .map_or((0, &[]), |(number, rest)| (u32::from_le_bytes(*number) as usize, rest))
}

impl Groups {
    /// A row of a group; returns the number of the group.
    fn add(&mut self, group: String, rank: usize, met: bool) -> usize {
        let place = *self.places.entry(group).or_insert(self.of.len());
        if place == self.of.len() {
            self.of.push(GroupRank::default());
        }
        let of = &mut self.of[place];
        *of = GroupRank { rank: of.rank.max(rank), met: of.met || met, rows: of.rows + 1 };
        place
    }
}

impl GroupRank {
    /// What counts: its own rank, or the last where it cannot be certified.
    fn rank_for(&self, all_new: bool, last: usize) -> usize {
        if self.met && !all_new { last } else { self.rank }
    }
}
