//! Counting phrases of many texts, on all cores.
//!
//! The texts are cut into one stretch a core. Each core numbers the phrases of its stretch as it meets them, and the
//! stretches then agree on common numbers. These depend on the cut; what is made of them, in the order of the alphabet,
//! does not.

use super::features::TextOptions;
use super::words::Phrases;
use crate::{DataError, check_memory};
use onesided_table::map_stretches;
use std::collections::{HashMap, HashSet};

/// Texts that are worth their own thread.
pub(super) const LEAST: usize = 64;

/// How much text is counted between two questions about memory, and what that may become.
const STEP: usize = 1 << 20;
const LEAST_MORE: u64 = 16 << 20;

/// What a phrase takes in a list that has just grown.
const BYTES_PER_PHRASE: u64 = 48;

/// What was counted.
pub(super) struct Counted {
    /// The phrases, each with its number.
    pub(super) numbers: HashMap<Box<str>, u32>,
    /// How often each occurs, by its number.
    pub(super) occurrences: Vec<Occurrences>,
    /// The texts in their order, as lists of numbers.
    pub(super) stretches: Vec<Stretch>,
}

/// How often a phrase occurs.
#[derive(Clone, Copy, Default)]
pub(super) struct Occurrences {
    /// In how many texts.
    pub(super) texts: usize,
    /// How often in all.
    pub(super) times: u64,
}

/// Neighboring texts, counted together.
pub(super) struct Stretch {
    numbers: HashMap<Box<str>, u32>,
    occurrences: Vec<Occurrences>,
    starts: Vec<usize>,
    counts: Vec<(u32, f32)>,
}

/// Counts all phrases of `texts`, whatever their number, as long as there is memory for them.
pub(super) fn count<S: AsRef<str> + Sync>(texts: &[S], options: &TextOptions) -> Result<Counted, DataError> {
    let stop = options.stop_set();
    let stretches = map_stretches(texts, 0, LEAST, |texts| Stretch::count(texts, options, &stop));
    let mut stretches = stretches.into_iter().collect::<Result<Vec<Stretch>, DataError>>()?;
    let (mut numbers, mut occurrences) = (HashMap::new(), Vec::new());
    for stretch in &mut stretches {
        stretch.agree(&mut numbers, &mut occurrences);
    }
    Ok(Counted { numbers, occurrences, stretches })
}

impl Stretch {
    fn count<S: AsRef<str>>(
        texts: &[S],
        options: &TextOptions,
        stop: &HashSet<String>,
    ) -> Result<Self, DataError> {
        let (mut numbers, mut occurrences) = (HashMap::<Box<str>, u32>::new(), Vec::<Occurrences>::new());
        let (mut starts, mut counts) = (vec![0], Vec::new());
        let (mut phrases, mut tally) = (options.phrases(stop), Tally::default());
        let mut unasked = 0;
        for text in texts {
            unasked += text.as_ref().len();
            if unasked > STEP {
                unasked = 0;
                // A list that is full is moved to one of twice its size.
                let larger = numbers.capacity() as u64 * BYTES_PER_PHRASE;
                check_memory(
                    || format!("{} different words and phrases", numbers.len()),
                    larger.max(LEAST_MORE),
                )?;
            }
            phrases.fill(text.as_ref());
            tally.count(&phrases, |phrase| {
                Some(numbers.get(phrase).copied().unwrap_or_else(|| {
                    let next = numbers.len() as u32;
                    numbers.insert(phrase.into(), next);
                    occurrences.push(Occurrences::default());
                    next
                }))
            });
            for &(number, times) in &tally.counts {
                let found = &mut occurrences[number as usize];
                found.texts += 1;
                found.times += times as u64;
            }
            counts.extend_from_slice(&tally.counts);
            starts.push(counts.len());
        }
        Ok(Self { numbers, occurrences, starts, counts })
    }

    /// Goes over to the common numbers, adding phrases that have none yet, and adds up the occurrences.
    fn agree(&mut self, numbers: &mut HashMap<Box<str>, u32>, occurrences: &mut Vec<Occurrences>) {
        let own = std::mem::take(&mut self.numbers);
        if numbers.is_empty() {
            // The first stretch has the say.
            (*numbers, *occurrences) = (own, std::mem::take(&mut self.occurrences));
            return;
        }
        let mut common = vec![0; own.len()];
        for (phrase, number) in own {
            let next = numbers.len() as u32;
            common[number as usize] = *numbers.entry(phrase).or_insert(next);
        }
        occurrences.resize(numbers.len(), Occurrences::default());
        for (&number, found) in common.iter().zip(&self.occurrences) {
            let sum = &mut occurrences[number as usize];
            sum.texts += found.texts;
            sum.times += found.times;
        }
        self.counts.iter_mut().for_each(|(number, _)| *number = common[*number as usize]);
    }

    /// The texts: the numbers of the phrases in each, with how often it has them.
    pub(super) fn texts(&self) -> impl Iterator<Item = &[(u32, f32)]> {
        self.starts.windows(2).map(|ends| &self.counts[ends[0]..ends[1]])
    }
}

/// The counts of one text: phrases by their numbers, each with how often it occurs.
#[derive(Default)]
pub(super) struct Tally {
    ids: Vec<u32>,
    pub(super) counts: Vec<(u32, f32)>,
}

impl Tally {
    /// Counts the phrases to which `number` gives a number; `counts` is then in the order of the numbers.
    pub(super) fn count(&mut self, phrases: &Phrases<'_>, mut number: impl FnMut(&str) -> Option<u32>) {
        self.ids.clear();
        phrases.each(|phrase| self.ids.extend(number(phrase)));
        self.ids.sort_unstable();
        self.counts.clear();
        self.counts.extend(self.ids.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f32)));
    }
}
