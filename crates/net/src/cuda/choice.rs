//! Which of cuDNN's engines runs a convolution: all are tried once, the fastest is remembered, in memory and in a file.
//!
//! The file (`convolutions.json` in `$ONESIDED_CACHE`, else `$XDG_CACHE_HOME/onesided` or `~/.cache/onesided`) holds a
//! number for each card, cuDNN version and shape. With it, a later run starts sooner and computes the same bytes; without
//! it (a read-only home, say) nothing is lost but time.

use super::cudnn::{Convolution, Handle, Pass, Plan, version};
use super::driver::{Buffer, Context, Event, Stream};
use crate::NetError;
use onesided_data::{Stream as Random, write_atomically};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Scratch memory an engine may ask for.
const MOST_WORKSPACE: usize = 256 << 20;
/// Timed runs of an engine; the shortest counts.
const RUNS: usize = 3;

pub(crate) struct Choices {
    context: Arc<Context>,
    /// Card and cuDNN version, with which the names in the file begin.
    prefix: String,
    plans: Mutex<State>,
}

#[derive(Default)]
struct State {
    plans: HashMap<Convolution, Arc<Plan>>,
    handle: Option<Handle>,
    file: Option<BTreeMap<String, usize>>,
}

/// One engine of a convolution and its speed.
pub(crate) struct Tried {
    pub plan: Plan,
    pub milliseconds: f32,
}

impl Choices {
    pub fn new(context: &Arc<Context>, card: &str) -> Result<Self, NetError> {
        let prefix = format!("{card}/cudnn-{}", version());
        Ok(Self { context: context.clone(), prefix, plans: Mutex::default() })
    }

    /// The plans of these convolutions, timed where nothing is remembered. Everyone else on this card waits, so that a
    /// shape is timed once.
    pub fn plans(&self, convolutions: &[Convolution]) -> Result<Vec<Arc<Plan>>, NetError> {
        let mut state = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        let handle = match &mut state.handle {
            Some(handle) => handle,
            none => none.insert(Handle::new(&self.context)?),
        };
        let file = state.file.get_or_insert_with(read);
        let mut bench = None;
        let mut learned = false;
        let mut plans = Vec::with_capacity(convolutions.len());
        for c in convolutions {
            if let Some(plan) = state.plans.get(c) {
                plans.push(plan.clone());
                continue;
            }
            let key = format!("{}/{}", self.prefix, c.key());
            let remembered = match file.get(&key) {
                Some(&index) => Plan::at(handle, c, index)?,
                None => None,
            };
            let plan = match remembered {
                Some(plan) => plan,
                None => {
                    let bench = match &mut bench {
                        Some(bench) => bench,
                        none => none.insert(Bench::new(&self.context, convolutions)?),
                    };
                    let tried = bench.time(handle, c, false)?;
                    let best = tried.into_iter().min_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds));
                    let Some(best) = best else {
                        return Err(NetError::Device(format!(
                            "cuDNN {} has no engine for the convolution {}",
                            version(),
                            c.key()
                        )));
                    };
                    file.insert(key, best.plan.index);
                    learned = true;
                    best.plan
                }
            };
            let plan = Arc::new(plan);
            state.plans.insert(*c, plan.clone());
            plans.push(plan);
        }
        if learned {
            write(file);
        }
        Ok(plans)
    }

    /// Every engine of a convolution with its time, for a table.
    pub fn table(&self, c: &Convolution) -> Result<Vec<(Tried, String)>, NetError> {
        let handle = Handle::new(&self.context)?;
        let tried = Bench::new(&self.context, &[*c])?.time(&handle, c, true)?;
        tried
            .into_iter()
            .map(|one| {
                let words = Plan::describe(&handle, c, one.plan.index)?;
                Ok((one, words))
            })
            .collect()
    }
}

/// Room to time convolutions in, filled with random numbers.
struct Bench {
    stream: Stream,
    events: (Event, Event),
    tensors: [Buffer; 3],
    workspace: Buffer,
}

/// Bytes of x, w and y.
fn sizes(c: &Convolution) -> [usize; 3] {
    let (height, width) = c.result();
    let (before, after) = (c.batch * c.height * c.width, c.batch * height * width);
    [2 * before * c.inputs, 2 * c.size * c.size * c.inputs * c.outputs, 2 * after * c.outputs]
}

impl Bench {
    fn new(context: &Arc<Context>, convolutions: &[Convolution]) -> Result<Self, NetError> {
        let largest = |at: usize| convolutions.iter().map(|c| sizes(c)[at]).max().unwrap_or(0);
        let full = |what: &str| NetError::Device(format!("the GPU has no memory left to time {what} in"));
        let take = |bytes: usize| Buffer::new(context, bytes)?.ok_or_else(|| full("convolutions"));
        let mut random = Random::new(1, "convolution timing");
        // bf16 of standard normal numbers: the upper half of an f32.
        let block: Vec<u16> =
            (0..1 << 16).map(|_| ((random.normal() as f32).to_bits() >> 16) as u16).collect();
        let filled = |bytes: usize| -> Result<Buffer, NetError> {
            let buffer = take(bytes)?;
            let mut at = 0;
            while at < bytes {
                let part = block.len().min((bytes - at) / 2);
                buffer.write(at, &block[..part])?;
                at += (2 * part).max(2);
            }
            Ok(buffer)
        };
        Ok(Self {
            stream: Stream::new(context)?,
            events: (Event::new(context)?, Event::new(context)?),
            tensors: [filled(largest(0))?, filled(largest(1))?, filled(largest(2))?],
            workspace: take(MOST_WORKSPACE)?,
        })
    }

    /// The time of each engine that can run; all of them, or only those that are not twice as slow as the best so far.
    fn time(&mut self, handle: &Handle, c: &Convolution, all: bool) -> Result<Vec<Tried>, NetError> {
        let tensors = [self.tensors[0].at, self.tensors[1].at, self.tensors[2].at];
        let (mut tried, mut best) = (Vec::new(), f32::INFINITY);
        for plan in Plan::all(handle, c)? {
            if plan.workspace > MOST_WORKSPACE {
                continue;
            }
            let mut shortest = f32::INFINITY;
            // The first run loads the kernel.
            let mut good = plan.run(handle, &self.stream, tensors, self.workspace.at).is_ok();
            for _ in 0..RUNS {
                if !good || (shortest > 2.0 * best && shortest.is_finite() && !all) {
                    break;
                }
                self.events.0.record(&self.stream)?;
                good = plan.run(handle, &self.stream, tensors, self.workspace.at).is_ok();
                self.events.1.record(&self.stream)?;
                self.stream.wait()?;
                shortest = shortest.min(self.events.0.until(&self.events.1)?);
            }
            if good {
                best = best.min(shortest);
                tried.push(Tried { plan, milliseconds: shortest });
            }
        }
        Ok(tried)
    }
}

fn path() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let folder = set("ONESIDED_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|dir| dir.join("onesided")))
        .or_else(|| set("HOME").map(|home| home.join(".cache").join("onesided")))?;
    Some(folder.join("convolutions.json"))
}

/// What is remembered; nothing where there is no file or it cannot be read.
fn read() -> BTreeMap<String, usize> {
    let text = path().and_then(|path| std::fs::read_to_string(path).ok());
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Remembers, together with what another process may have learned meanwhile. A cache that cannot be written is not an error.
fn write(learned: &BTreeMap<String, usize>) {
    let Some(path) = path() else { return };
    let mut all = read();
    all.extend(learned.iter().map(|(key, &index)| (key.clone(), index)));
    let Ok(text) = serde_json::to_string_pretty(&all) else { return };
    if let Some(folder) = path.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let _ = write_atomically(&path, |out| out.write_all(text.as_bytes()));
}

/// Convolutions that cuDNN's tensor-core engines take well; others run on our own kernel.
pub(crate) fn suits(inputs: usize, outputs: usize) -> bool {
    inputs.is_multiple_of(8) && outputs.is_multiple_of(8) && inputs >= 16
}

/// The three passes of a layer.
pub(crate) fn passes(c: Convolution) -> [Convolution; 3] {
    [Pass::Forward, Pass::Backward, Pass::Weights].map(|pass| Convolution { pass, ..c })
}
