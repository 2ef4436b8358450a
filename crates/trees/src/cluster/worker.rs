//! What holds cells: bins of some rows, and the tree that is grown on them just now.

use super::message::{Answer, Command, NodeCut, Summed, Wanted};
use crate::TreesError;
use crate::bins::Binned;
use crate::derivatives::{Derivatives, Placed};
use crate::field::allowed;
use crate::ground::partition;
use crate::histogram::{Cell, Units, add};
use crate::layout::Layout;
use crate::levels::Tallies;
use std::ops::Range;

/// A worker: it holds bins of some rows, in their order.
#[derive(Debug)]
pub struct Worker {
    binned: Binned,
    /// With levels in an order, where there are more than bins.
    ordered: Option<Binned>,
    /// What was said of each row when levels were counted.
    of_rows: Vec<u8>,
    run: Run,
    tree: Growth,
}

/// The rows of a run, by their numbers here.
#[derive(Debug, Default)]
struct Run {
    ordered: bool,
    training: Vec<u32>,
    held_out: Vec<u32>,
}

/// A tree under way.
#[derive(Debug, Default)]
struct Growth {
    /// A cell for each place among the training rows; nothing where the tree is not grown on it.
    cells: Vec<Cell>,
    /// The rows it is grown on, in the order of the leaves.
    rows: Vec<Placed>,
    spans: Vec<Range<usize>>,
    cuts: Vec<Option<NodeCut>>,
    features: Vec<u32>,
}

impl Worker {
    /// Bins of some rows, made by a [`PartitionBuilder`](super::PartitionBuilder).
    pub fn new(binned: Binned) -> Self {
        let (run, tree) = (Run::default(), Growth::default());
        Self { binned, ordered: None, of_rows: Vec::new(), run, tree }
    }

    /// How many rows it holds.
    pub fn rows(&self) -> usize {
        self.binned.rows()
    }

    /// Does what a message asks for, and answers.
    pub fn answer(&mut self, message: &[u8]) -> Result<Vec<u8>, TreesError> {
        Ok(self.do_command(Command::from_bytes(message)?)?.to_bytes())
    }

    fn do_command(&mut self, command: Command) -> Result<Answer, TreesError> {
        match command {
            Command::Levels { of_rows } => {
                if of_rows.len() != self.binned.rows() {
                    return Err(TreesError::Message);
                }
                self.of_rows = of_rows;
                Ok(Answer::Counted(self.binned.counted(&self.of_rows)))
            }
            Command::Order { features } => {
                self.ordered = Some(self.binned.sorted_by(features, &self.of_rows)?);
                Ok(Answer::Done)
            }
            Command::Open { ordered, training, held_out } => {
                self.binned.check_rows(&training)?;
                self.binned.check_rows(&held_out)?;
                self.run = Run { ordered, training, held_out };
                Ok(Answer::Done)
            }
            Command::Begin { units, drawn, of_rows, features, wanted } => {
                self.begin(units, &drawn, &of_rows, features)?;
                self.sum(&wanted)
            }
            Command::Part { cuts, wanted } => {
                self.part(cuts)?;
                self.sum(&wanted)
            }
            Command::Leaves { cuts } => {
                self.part(cuts)?;
                Ok(self.leaves())
            }
            Command::Score { ordered, model, rows } => {
                let binned = if ordered { self.ordered.as_ref() } else { Some(&self.binned) };
                let binned = binned.ok_or(TreesError::Message)?;
                Ok(Answer::Scores(model.logits_of_with_threads(binned, &rows, 1)?))
            }
        }
    }

    fn binned(&self) -> &Binned {
        self.ordered.as_ref().filter(|_| self.run.ordered).unwrap_or(&self.binned)
    }

    fn begin(
        &mut self,
        units: Units,
        drawn: &[u8],
        of_rows: &[Derivatives],
        features: Vec<u32>,
    ) -> Result<(), TreesError> {
        let training = &self.run.training;
        let is_drawn = |place: usize| drawn.get(place / 8).is_some_and(|bits| bits >> (place % 8) & 1 == 1);
        let mut cells = vec![[0; 2]; training.len()];
        let mut rows = Vec::with_capacity(of_rows.len());
        let places = (0..training.len()).filter(|&place| is_drawn(place));
        for (place, &of_row) in places.zip(of_rows) {
            cells[place] = units.cell(of_row);
            rows.push(Placed { row: training[place], place: place as u32 });
        }
        if rows.len() != of_rows.len()
            || features.iter().any(|&feature| feature as usize >= self.binned.features())
        {
            return Err(TreesError::Message);
        }
        let root = 0..rows.len();
        self.tree = Growth { cells, rows, spans: Vec::from([root]), cuts: vec![None], features };
        Ok(())
    }

    /// Cuts nodes, in their order.
    fn part(&mut self, cuts: Vec<NodeCut>) -> Result<(), TreesError> {
        let binned = self.ordered.as_ref().filter(|_| self.run.ordered).unwrap_or(&self.binned);
        let mut right = Vec::new();
        for cut in cuts {
            let Growth { rows, spans, cuts, .. } = &mut self.tree;
            let (node, first) = (cut.node as usize, cut.first as usize);
            if node >= spans.len() || first != spans.len() || cut.feature as usize >= binned.features() {
                return Err(TreesError::Message);
            }
            let span = spans[node].clone();
            let left = |row: u32| binned.goes_left(cut.feature, &cut.cut, row);
            let middle = span.start + partition(&mut rows[span.clone()], |row| row.row, left, &mut right);
            spans.extend([span.start..middle, middle..span.end]);
            cuts.extend([None, None]);
            cuts[node] = Some(cut);
        }
        Ok(())
    }

    /// Histograms of a node, and sums over the levels of some.
    fn sum(&self, wanted: &Wanted) -> Result<Answer, TreesError> {
        let (binned, Growth { cells: of, rows, spans, features, .. }) = (self.binned(), &self.tree);
        let rows_of = |node: u32| Ok(&rows[spans.get(node as usize).cloned().ok_or(TreesError::Message)?]);
        let every: Vec<u32> = (0..binned.features() as u32).collect();
        let layout = Layout::new(binned, &every, &[]);
        let mut histogram = vec![[0; 2]; layout.cells()];
        add(&layout, &layout.groups, 0, rows_of(wanted.node)?, of, &mut histogram);
        let allowed = allowed(binned.features(), features);
        let cells = layout.of_features(&allowed).flat_map(|cells| histogram[cells].iter().copied()).collect();
        let mut of_levels = Vec::new();
        let mut tallies = Tallies::default();
        for &node in &wanted.of_levels {
            let rows = rows_of(node)?;
            for feature in binned.many_levels().filter(|&feature| allowed[feature]) {
                let Some(codes) = binned.codes(feature) else { continue };
                let there = tallies.of(codes, rows.iter().map(|row| (row.row, of[row.place as usize])));
                let mut there = there.to_vec();
                there.sort_unstable_by_key(|(code, _)| *code);
                of_levels.push(there);
            }
        }
        Ok(Answer::Summed(Summed { cells, of_levels }))
    }

    /// The leaf of each training row and of each one that was held out.
    fn leaves(&self) -> Answer {
        let (binned, Growth { cells, rows, spans, cuts, .. }) = (self.binned(), &self.tree);
        let walk = |row: u32| {
            let mut node = 0u32;
            while let Some(Some(cut)) = cuts.get(node as usize) {
                node = cut.first + u32::from(!binned.goes_left(cut.feature, &cut.cut, row));
            }
            node
        };
        let mut training = vec![0; self.run.training.len()];
        for (node, span) in spans.iter().enumerate().filter(|(node, _)| cuts[*node].is_none()) {
            rows[span.clone()].iter().for_each(|row| training[row.place as usize] = node as u32);
        }
        // The rows that the tree was not grown on walk through it.
        for ((leaf, &row), _) in
            training.iter_mut().zip(&self.run.training).zip(cells).filter(|(_, cell)| cell[1] == 0)
        {
            *leaf = walk(row);
        }
        Answer::Leaves(training, self.run.held_out.iter().map(|&row| walk(row)).collect())
    }
}

/// The sum of what two workers answered.
pub fn add_answers(one: &[u8], other: &[u8]) -> Result<Vec<u8>, TreesError> {
    Ok(Answer::from_bytes(one)?.add(Answer::from_bytes(other)?)?.to_bytes())
}
