//! What is written between a coordinator and its workers: a number, what is asked as JSON, and bytes.

use crate::Error;
use onesided_trees::{TreesError, add_answers};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Rows of a table that are a worker's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Partition {
    /// The files of the table.
    pub files: Vec<PathBuf>,
    /// How many rows they have together.
    pub all: usize,
    /// The first row, and the first behind the last.
    pub rows: (usize, usize),
    /// How the table is written, as settings of reading.
    pub reading: Vec<(String, Vec<String>)>,
}

/// What a worker is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Ask {
    /// Learn some columns over all rows, by their numbers; times are learned together. The answer is what was learned and a sorting.
    Columns {
        version: String,
        files: Vec<PathBuf>,
        reading: Vec<(String, Vec<String>)>,
        numbers: Vec<usize>,
        times: bool,
    },
    /// Read rows, encode them and sort them into bins, by the sorting that follows. The answer is a fingerprint for each.
    Load { version: String, partition: Partition, encoding: serde_json::Value },
    /// A fingerprint for each row, made with this salt: they are read again.
    Fingerprints { salt: u64 },
    /// What trees ask.
    Trees,
}

/// A JSON text, and bytes behind it.
pub(super) fn joined(json: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut both = Vec::with_capacity(8 + json.len() + bytes.len());
    both.extend((json.len() as u64).to_le_bytes());
    both.extend(json);
    both.extend(bytes);
    both
}

/// What [`joined`] put together.
pub(crate) fn parted(both: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = both.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

/// What a worker says of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// Here it is.
    Answered,
    /// It holds no rows: it has started anew.
    Fresh,
    /// It cannot, and why is a sentence.
    Failed,
}

impl Ask {
    /// A message: its number, what is asked, and the bytes that go with it.
    pub fn to_bytes(&self, number: u64, bytes: &[u8]) -> Vec<u8> {
        let asked = serde_json::to_vec(self).unwrap_or_default();
        let mut message = Vec::with_capacity(16 + asked.len() + bytes.len());
        message.extend(number.to_le_bytes());
        message.extend(joined(&asked, bytes));
        message
    }

    /// What [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(message: &[u8]) -> Result<(u64, Self, &[u8]), Error> {
        let read = || {
            let (number, rest) = message.split_first_chunk()?;
            let (asked, bytes) = parted(rest)?;
            Some((u64::from_le_bytes(*number), serde_json::from_slice(asked).ok()?, bytes))
        };
        read().ok_or_else(|| TreesError::Message.into())
    }
}

impl Said {
    /// An answer.
    pub fn to_bytes(self, bytes: &[u8]) -> Vec<u8> {
        let mut answer = Vec::with_capacity(1 + bytes.len());
        answer.push(match self {
            Said::Answered => 0,
            Said::Fresh => 1,
            Said::Failed => 2,
        });
        answer.extend(bytes);
        answer
    }

    /// What [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(answer: &[u8]) -> Result<(Self, &[u8]), Error> {
        match answer.split_first() {
            Some((0, bytes)) => Ok((Said::Answered, bytes)),
            Some((1, bytes)) => Ok((Said::Fresh, bytes)),
            Some((2, bytes)) => Ok((Said::Failed, bytes)),
            _ => Err(TreesError::Message.into()),
        }
    }
}

/// The sum of two workers' answers, for engines that add up on the way; what went wrong with one of them instead.
pub fn add_messages(one: &[u8], other: &[u8]) -> Vec<u8> {
    let fail = |error: String| Said::Failed.to_bytes(error.as_bytes());
    match (Said::from_bytes(one), Said::from_bytes(other)) {
        (Ok((Said::Answered, a)), Ok((Said::Answered, b))) => match add_answers(a, b) {
            Ok(sum) => Said::Answered.to_bytes(&sum),
            Err(error) => fail(error.to_string()),
        },
        (Ok((Said::Answered, _)), Ok(_)) => other.to_vec(),
        (Ok(_), Ok(_)) => one.to_vec(),
        (Err(error), _) | (_, Err(error)) => fail(error.to_string()),
    }
}
