//! What a coordinator asks workers, and what they answer.

use crate::TreesError;
use crate::codec::{Reader, Writer};
use crate::derivatives::Derivatives;
use crate::histogram::{Cell, Units, plus};
use crate::levels::{Counted, Levels, PARTS};
use crate::model::TreesModel;
use crate::split::Cut;
use std::sync::Arc;

/// A node that is cut: its children are `first` and the one behind it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NodeCut {
    pub node: u32,
    pub first: u32,
    pub feature: u32,
    pub cut: Cut,
}

/// Histograms to be summed: of one node, and over all levels of some nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Wanted {
    pub node: u32,
    pub of_levels: Vec<u32>,
}

/// What a worker is asked to do with its rows. Numbers of rows count from the first that it holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Command {
    /// Count rows and positives of each level, where a feature has more levels than bins: for each row its part, five times how
    /// often it is among the training rows, and 128 if it is positive.
    Levels { of_rows: Vec<u8> },
    /// Sort the levels of these features so.
    Order { features: Vec<(u32, Levels)> },
    /// Trees are to be grown on some rows, and others are held out.
    Open { ordered: bool, training: Vec<u32>, held_out: Vec<u32> },
    /// The next tree: which of the training rows it is grown on, a bit for each, and the derivatives of those.
    Begin { units: Units, drawn: Vec<u8>, of_rows: Vec<Derivatives>, features: Vec<u32>, wanted: Wanted },
    /// Cut some nodes, then sum.
    Part { cuts: Vec<NodeCut>, wanted: Wanted },
    /// Cut some nodes, then say in which leaf each row is.
    Leaves { cuts: Vec<NodeCut> },
    /// What a model says of some rows.
    Score { ordered: bool, model: TreesModel, rows: Vec<u32> },
}

/// Sums over some rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Summed {
    /// Those of a node, feature after feature.
    pub cells: Vec<Cell>,
    /// For each node that was asked for and each feature with many levels the levels that have rows, ascending.
    pub of_levels: Vec<Vec<(u32, Cell)>>,
}

/// What a worker answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    Done,
    Summed(Summed),
    /// For each feature with many levels the rows and positives of each level, part by part.
    Counted(Vec<Vec<[Counted; PARTS]>>),
    /// The node of each training row, and of each row that was held out.
    Leaves(Vec<u32>, Vec<u32>),
    Scores(Vec<f64>),
}

impl Command {
    /// What must be told again to a worker that starts anew, besides this: everything of a lower rank, and of this one where it is
    /// [a cut](Self::Part). Nothing needs telling again that changed nothing.
    pub fn rank(&self) -> Option<u8> {
        match self {
            Command::Levels { .. } => Some(1),
            Command::Order { .. } => Some(2),
            Command::Open { .. } => Some(3),
            Command::Begin { .. } => Some(4),
            Command::Part { .. } => Some(5),
            Command::Leaves { .. } | Command::Score { .. } => None,
        }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::default();
        match self {
            Command::Levels { of_rows } => to.one(1u8).list(of_rows),
            Command::Order { features } => to.one(2u8).each(features, |to, (feature, levels)| {
                to.one(*feature).one(levels.bins as u32).list(&levels.of_level).list(&levels.without);
            }),
            Command::Open { ordered, training, held_out } => {
                to.one(3u8).one(u8::from(*ordered)).list(training).list(held_out)
            }
            Command::Begin { units, drawn, of_rows, features, wanted } => {
                let (numbers, bits) = units.parts();
                to.one(4u8).one(numbers).one(bits).list(drawn).list(of_rows).list(features);
                put_wanted(&mut to, wanted)
            }
            Command::Part { cuts, wanted } => {
                put_cuts(to.one(5u8), cuts);
                put_wanted(&mut to, wanted)
            }
            Command::Leaves { cuts } => put_cuts(to.one(6u8), cuts),
            Command::Score { ordered, model, rows } => {
                to.one(7u8).one(u8::from(*ordered));
                model.put(&mut to);
                to.list(rows)
            }
        };
        to.0
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TreesError> {
        let mut from = Reader::new(bytes);
        let command = match from.one::<u8>()? {
            1 => Command::Levels { of_rows: from.list()? },
            2 => Command::Order {
                features: from.each(|from| {
                    let (feature, bins) = (from.one()?, from.one::<u32>()? as usize);
                    Ok((feature, Levels { bins, of_level: from.list()?, without: from.list()? }))
                })?,
            },
            3 => Command::Open { ordered: from.flag()?, training: from.list()?, held_out: from.list()? },
            4 => Command::Begin {
                units: Units::of_parts(from.one()?, from.one()?),
                drawn: from.list()?,
                of_rows: from.list()?,
                features: from.list()?,
                wanted: get_wanted(&mut from)?,
            },
            5 => Command::Part { cuts: get_cuts(&mut from)?, wanted: get_wanted(&mut from)? },
            6 => Command::Leaves { cuts: get_cuts(&mut from)? },
            7 => Command::Score {
                ordered: from.flag()?,
                model: TreesModel::get(&mut from)?,
                rows: from.list()?,
            },
            _ => return Err(TreesError::Message),
        };
        from.end()?;
        Ok(command)
    }
}

fn put_wanted<'w>(to: &'w mut Writer, wanted: &Wanted) -> &'w mut Writer {
    to.one(wanted.node).list(&wanted.of_levels)
}

fn get_wanted(from: &mut Reader) -> Result<Wanted, TreesError> {
    Ok(Wanted { node: from.one()?, of_levels: from.list()? })
}

fn put_cuts<'w>(to: &'w mut Writer, cuts: &[NodeCut]) -> &'w mut Writer {
    to.each(cuts, |to, NodeCut { node, first, feature, cut }| {
        to.one([*node, *first, *feature]);
        match cut {
            Cut::After { bin, missing, missing_left } => {
                to.one(0u8).one([*bin, *missing, u8::from(*missing_left)]);
            }
            Cut::Set(bits) => _ = to.one(1u8).one(*bits),
            Cut::Levels { set, missing_left } => _ = to.one(2u8).one(u8::from(*missing_left)).list(set),
        }
    })
}

fn get_cuts(from: &mut Reader) -> Result<Vec<NodeCut>, TreesError> {
    from.each(|from| {
        let [node, first, feature] = from.one()?;
        let cut = match from.one::<u8>()? {
            0 => {
                let [bin, missing, missing_left] = from.one::<[u8; 3]>()?;
                Cut::After { bin, missing, missing_left: missing_left != 0 }
            }
            1 => Cut::Set(from.one()?),
            2 => {
                let missing_left = from.flag()?;
                Cut::Levels { set: Arc::new(from.list()?), missing_left }
            }
            _ => return Err(TreesError::Message),
        };
        Ok(NodeCut { node, first, feature, cut })
    })
}

impl Answer {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::default();
        match self {
            Answer::Done => to.one(0u8),
            Answer::Summed(Summed { cells, of_levels }) => {
                to.one(1u8).list(cells).each(of_levels, |to, levels| _ = to.list(levels))
            }
            Answer::Counted(features) => to.one(2u8).each(features, |to, levels| _ = to.list(levels)),
            // Trees have few nodes.
            Answer::Leaves(training, held_out) => {
                let few = training.iter().chain(held_out).all(|&leaf| leaf < 256);
                to.one(3u8).one(u8::from(few));
                for leaves in [training, held_out] {
                    match few {
                        true => to.list(&leaves.iter().map(|&leaf| leaf as u8).collect::<Vec<u8>>()),
                        false => to.list(leaves),
                    };
                }
                &mut to
            }
            Answer::Scores(scores) => to.one(4u8).list(scores),
        };
        to.0
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TreesError> {
        let mut from = Reader::new(bytes);
        let answer = match from.one::<u8>()? {
            0 => Answer::Done,
            1 => Answer::Summed(Summed { cells: from.list()?, of_levels: from.each(Reader::list)? }),
            2 => Answer::Counted(from.each(Reader::list)?),
            3 => {
                let few = from.flag()?;
                let mut leaves = || match few {
                    true => Ok(from.list::<u8>()?.into_iter().map(u32::from).collect()),
                    false => from.list(),
                };
                Answer::Leaves(leaves()?, leaves()?)
            }
            4 => Answer::Scores(from.list()?),
            _ => return Err(TreesError::Message),
        };
        from.end()?;
        Ok(answer)
    }

    /// The sum of what two workers answered.
    pub fn add(self, other: Self) -> Result<Self, TreesError> {
        match (self, other) {
            (Answer::Done, Answer::Done) => Ok(Answer::Done),
            (Answer::Summed(a), Answer::Summed(b))
                if a.cells.len() == b.cells.len() && a.of_levels.len() == b.of_levels.len() =>
            {
                let cells = a.cells.into_iter().zip(b.cells).map(|(a, b)| plus(a, b)).collect();
                let of_levels = a.of_levels.into_iter().zip(b.of_levels);
                let of_levels = of_levels.map(|(a, b)| merged(a, b)).collect();
                Ok(Answer::Summed(Summed { cells, of_levels }))
            }
            (Answer::Counted(a), Answer::Counted(b)) if a.len() == b.len() => {
                let features = a.into_iter().zip(b).map(|(mut a, mut b)| {
                    if a.len() < b.len() {
                        std::mem::swap(&mut a, &mut b);
                    }
                    a.iter_mut()
                        .zip(b)
                        .for_each(|(a, b)| (0..PARTS).for_each(|at| a[at] = a[at].more(b[at])));
                    a
                });
                Ok(Answer::Counted(features.collect()))
            }
            _ => Err(TreesError::Message),
        }
    }
}

/// Two lists of levels, each ascending, as one.
fn merged(a: Vec<(u32, Cell)>, b: Vec<(u32, Cell)>) -> Vec<(u32, Cell)> {
    let mut both = Vec::with_capacity(a.len().max(b.len()));
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some(one), Some(other)) if one.0 == other.0 => {
                let (one, other) = (a.next(), b.next());
                one.zip(other).map(|((code, one), (_, other))| (code, plus(one, other)))
            }
            (Some(one), Some(other)) if one.0 > other.0 => b.next(),
            (Some(_), _) => a.next(),
            (None, _) => b.next(),
        };
        match next {
            Some(next) => both.push(next),
            None => return both,
        }
    }
}
