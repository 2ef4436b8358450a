//! Messages to workers, and what they are told again when they have started anew.

use super::message::{Ask, Said};
use super::worker::as_numbers;
use crate::Error;
use onesided_trees::{CUTS, TreesError, Workers};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How often a worker may die over one message before that is said.
const MOST_DEATHS: usize = 20;

/// What places workers, moves bytes and starts anew what dies: Ray, or a list in this process.
pub trait ClusterEngine: Send + Sync {
    /// How many workers there are.
    fn workers(&self) -> usize;

    /// Gives some workers, by their numbers, a message each. `None` stands for the answer of one that died, and is being started anew.
    /// An error ends the fit.
    fn each(&self, messages: &[(usize, &[u8])]) -> Result<Vec<Option<Vec<u8>>>, String>;

    /// Gives each worker a message, and adds their answers up ([`add_messages`](super::add_messages)), best on the way. `None`: some
    /// died.
    fn sum(&self, messages: &[(usize, &[u8])]) -> Result<Option<Vec<u8>>, String> {
        let answers = self.each(messages)?.into_iter();
        Ok(answers.reduce(|sum, answer| Some(super::add_messages(&sum?, &answer?))).flatten())
    }
}

/// A message that a worker is told again after it has started anew.
struct Told {
    rank: u8,
    message: Vec<u8>,
}

/// Workers behind an engine.
pub struct Cluster {
    engine: Box<dyn ClusterEngine>,
    told: Mutex<Vec<Vec<Told>>>,
    number: AtomicU64,
    bytes: [AtomicU64; 2],
    restarts: AtomicU64,
}

/// A message for a worker.
pub(crate) struct Message {
    pub ask: Ask,
    pub bytes: Vec<u8>,
    /// As in [`onesided_trees::Ask`]; 0 is which rows it holds.
    pub rank: Option<u8>,
}

impl Cluster {
    /// The workers of an engine.
    pub fn new(engine: Box<dyn ClusterEngine>) -> Self {
        let told = (0..engine.workers()).map(|_| Vec::new()).collect();
        let (number, restarts) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { engine, told: Mutex::new(told), number, bytes: Default::default(), restarts }
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.engine.workers()
    }

    /// Bytes that were sent to workers, and bytes that came back.
    pub fn bytes(&self) -> [u64; 2] {
        self.bytes.each_ref().map(|bytes| bytes.load(Ordering::Relaxed))
    }

    /// How often a worker was told all again because it had started anew.
    pub fn restarts(&self) -> u64 {
        self.restarts.load(Ordering::Relaxed)
    }

    fn told(&self) -> MutexGuard<'_, Vec<Vec<Told>>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn numbered(&self, messages: Vec<Message>) -> Vec<(Option<u8>, Vec<u8>)> {
        let number = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        messages
            .into_iter()
            .map(|message| (message.rank, message.ask.to_bytes(number, &message.bytes)))
            .collect()
    }

    /// Gives each worker a message.
    pub(crate) fn each_message(&self, messages: Vec<Message>) -> Result<Vec<Vec<u8>>, Error> {
        self.each_numbered(self.numbered(messages))
    }

    /// A fingerprint for each row, made with this salt.
    pub(crate) fn fingerprints(&self, salt: u64) -> Result<Vec<u64>, Error> {
        let ask = |_| Message { ask: Ask::Fingerprints { salt }, bytes: Vec::new(), rank: None };
        let answers = self.each_message((0..self.workers()).map(ask).collect())?;
        Ok(answers.iter().flat_map(|answer| as_numbers(answer)).collect())
    }

    fn each_numbered(&self, messages: Vec<(Option<u8>, Vec<u8>)>) -> Result<Vec<Vec<u8>>, Error> {
        let mut answers: Vec<Option<Vec<u8>>> = messages.iter().map(|_| None).collect();
        for _ in 0..MOST_DEATHS {
            let open: Vec<(usize, &[u8])> = messages
                .iter()
                .enumerate()
                .filter(|(worker, _)| answers[*worker].is_none())
                .map(|(worker, (_, message))| (worker, &message[..]))
                .collect();
            for ((worker, _), answer) in open.iter().zip(self.ask(&open)?) {
                answers[*worker] = answer;
            }
            let lost: Vec<usize> = (0..answers.len()).filter(|&worker| answers[worker].is_none()).collect();
            if lost.is_empty() {
                self.remember(messages);
                return Ok(answers.into_iter().flatten().collect());
            }
            lost.into_iter().try_for_each(|worker| self.tell_again(worker))?;
        }
        Err(failed(format!(
            "a worker died {MOST_DEATHS} times over one message; the engine's log says why, and too little memory is the most usual reason"
        )))
    }

    /// Answers of some workers; `None` of one that died or holds no rows.
    fn ask(&self, messages: &[(usize, &[u8])]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        let sent: usize = messages.iter().map(|(_, message)| message.len()).sum();
        self.bytes[0].fetch_add(sent as u64, Ordering::Relaxed);
        let answers = self.engine.each(messages).map_err(failed)?;
        if answers.len() != messages.len() {
            return Err(TreesError::Message.into());
        }
        answers.into_iter().map(|answer| answer.map_or(Ok(None), |answer| self.heard(&answer))).collect()
    }

    /// An answer, or nothing of a worker without rows.
    fn heard(&self, answer: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.bytes[1].fetch_add(answer.len() as u64, Ordering::Relaxed);
        match Said::from_bytes(answer)? {
            (Said::Answered, bytes) => Ok(Some(bytes.to_vec())),
            (Said::Fresh, _) => Ok(None),
            (Said::Failed, why) => Err(failed(String::from_utf8_lossy(why).into_owned())),
        }
    }

    /// Tells a worker all that it must know. If it dies over it, the next message will not be answered, and this is called again.
    fn tell_again(&self, worker: usize) -> Result<(), Error> {
        self.restarts.fetch_add(1, Ordering::Relaxed);
        let told = self.told();
        for Told { message, .. } in &told[worker] {
            if self.ask(&[(worker, message)])?.iter().any(Option::is_none) {
                break;
            }
        }
        Ok(())
    }

    /// Keeps what must be told again, in place of what it replaces.
    fn remember(&self, messages: Vec<(Option<u8>, Vec<u8>)>) {
        for (told, (rank, message)) in self.told().iter_mut().zip(messages) {
            if let Some(rank) = rank {
                told.retain(|before| before.rank < rank || (rank == CUTS && before.rank == CUTS));
                told.push(Told { rank, message });
            }
        }
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cluster").field(&self.workers()).finish()
    }
}

fn failed(why: String) -> Error {
    TreesError::Worker(why).into()
}

/// As the trees of a fit see it: an error is a sentence.
impl Workers for Cluster {
    fn each(&self, asks: Vec<onesided_trees::Ask>) -> Result<Vec<Vec<u8>>, TreesError> {
        self.each_message(of_trees(asks)).map_err(told)
    }

    fn sum(&self, asks: Vec<onesided_trees::Ask>) -> Result<Vec<u8>, TreesError> {
        let messages = self.numbered(of_trees(asks));
        let sent: usize = messages.iter().map(|(_, message)| message.len()).sum();
        self.bytes[0].fetch_add(sent as u64, Ordering::Relaxed);
        let open: Vec<(usize, &[u8])> =
            messages.iter().enumerate().map(|(worker, (_, message))| (worker, &message[..])).collect();
        let sum = self.engine.sum(&open).map_err(TreesError::Worker)?;
        if let Some(sum) = sum.map(|sum| self.heard(&sum)).transpose().map_err(told)?.flatten() {
            self.remember(messages);
            return Ok(sum);
        }
        // Those that are still there have answered this already, and answer the same.
        let mut answers = self.each_numbered(messages).map_err(told)?.into_iter();
        let first = answers.next().ok_or(TreesError::Message)?;
        answers.try_fold(first, |sum, answer| onesided_trees::add_answers(&sum, &answer))
    }
}

fn of_trees(asks: Vec<onesided_trees::Ask>) -> Vec<Message> {
    let of = |ask: onesided_trees::Ask| Message { ask: Ask::Trees, bytes: ask.message, rank: ask.rank };
    asks.into_iter().map(of).collect()
}

fn told(error: Error) -> TreesError {
    match error {
        Error::Trees(error) => error,
        other => TreesError::Worker(other.to_string()),
    }
}
