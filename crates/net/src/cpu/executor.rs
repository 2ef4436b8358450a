//! A network on the processor's cores.
//!
//! The rows of a batch are shared out among threads once, and each thread takes its rows through the layers with
//! its own buffers; threads meet only where batch norm needs the whole batch. Gradients are added up over threads in
//! a fixed order, so the same seed on the same number of threads gives the same bytes.

use super::norm::{Backward, Moments};
use super::plan::{Op, Plan};
use super::simd::simd_fn;
use super::thread_pool::ThreadPool;
use super::worker::{Pass, Worker, grown};
use crate::NetError;
use crate::executor::{Batch, Executor, Mode, OptimizerState, Source, no_average};
use crate::optimizer::{Clock, Optimizer, Step};
use crate::spec::Network;
use crate::weights::{Tensor, Weights};
use std::ops::Range;

/// Trains and applies a network on the CPU.
pub struct CpuExecutor<'a> {
    plan: Plan,
    source: Source<'a>,
    /// Rows of the data set.
    held: usize,
    pool: ThreadPool,
    workers: Vec<Worker>,
    /// Shards that the last pass had work for.
    busy: usize,
    work_a_thread: usize,
    weights: Vec<f32>,
    statistics: Vec<f32>,
    /// Convolution weights in the form the kernels take; stale after a step.
    prepared: Vec<f32>,
    fresh: bool,
    moments: Vec<Moments>,
    backward: Vec<Backward>,
    optimizer: Optimizer,
    weight_decay: f64,
    clock: Clock,
    first_moment: Vec<f32>,
    second_moment: Vec<f32>,
    /// Averaged weights and statistics, where they are kept.
    average: Option<(Vec<f32>, Vec<f32>)>,
    scores: Vec<f32>,
    /// Key of the dropout draws of the last pass.
    dropout_key: u64,
    rows: usize,
}

/// Products (multiply-adds of a forward pass) from which a thread's share is worth handing out.
const WORK_A_THREAD: usize = 4_000_000;

/// Rows scored at once outside training; fewer where a row's activations are large.
const PREDICTION_ROWS: usize = 1024;
/// Numbers of activations kept at once outside training: 256 MiB.
const PREDICTION_NUMBERS: usize = 64 << 20;

/// Threads to use: `asked`, or every core when 0, within what helps a batch of hundreds.
pub(crate) fn thread_count(asked: usize) -> usize {
    match asked {
        // To ask takes a tenth of a millisecond.
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()).min(16),
        asked => asked.min(256),
    }
}

/// Threads that passes over this many rows have work for, of those asked for.
pub(crate) fn threads_for(network: &Network, rows: usize, asked: usize) -> usize {
    let work = rows.min(PREDICTION_ROWS).saturating_mul(network.products());
    match work / WORK_A_THREAD {
        0 | 1 => 1,
        most => thread_count(asked).min(most),
    }
}

impl<'a> CpuExecutor<'a> {
    /// A network with these weights over a data set of rows. Buffers grow with the largest batch seen.
    pub fn new(
        network: &Network,
        weights: &Weights,
        data: impl Into<Source<'a>>,
        threads: usize,
        optimizer: Optimizer,
        weight_decay: f64,
    ) -> Result<Self, NetError> {
        network.check(weights)?;
        let plan = Plan::new(network)?;
        let source = data.into();
        let held = source.check(network.input)?;
        let threads = thread_count(threads);
        let pool = ThreadPool::new(threads)
            .map_err(|error| NetError::Config(format!("cannot start {threads} threads: {error}")))?;
        let workers = (0..threads).map(|_| Worker::new(&plan)).collect();
        let mut this = Self {
            source,
            held,
            pool,
            workers,
            busy: threads,
            work_a_thread: WORK_A_THREAD,
            weights: vec![0.0; plan.trained],
            statistics: vec![0.0; plan.statistics],
            prepared: vec![0.0; plan.prepared],
            fresh: false,
            moments: vec![Moments::default(); plan.norms.len()],
            backward: vec![Backward::default(); plan.norms.len()],
            optimizer,
            weight_decay,
            clock: Clock::start(),
            first_moment: Vec::new(),
            second_moment: Vec::new(),
            average: None,
            scores: Vec::new(),
            dropout_key: 0,
            rows: 0,
            plan,
        };
        this.load(weights);
        Ok(this)
    }

    /// Changes from how much work on (multiply-adds of a forward pass) rows are handed to a further thread.
    pub fn with_work_a_thread(mut self, products: usize) -> Self {
        self.work_a_thread = products.max(1);
        self
    }

    fn load(&mut self, weights: &Weights) {
        spread(&self.plan, weights, &mut self.weights, &mut self.statistics);
        self.fresh = false;
    }

    /// Puts the averaged numbers in the place of the others, or back.
    fn exchange(&mut self) -> Result<(), NetError> {
        let (weights, statistics) = self.average.as_mut().ok_or_else(no_average)?;
        std::mem::swap(weights, &mut self.weights);
        std::mem::swap(statistics, &mut self.statistics);
        self.fresh = false;
        Ok(())
    }

    fn prepare(&mut self) {
        if self.fresh || self.prepared.is_empty() {
            return;
        }
        let mut rest = self.prepared.as_mut_slice();
        let mut jobs = Vec::new();
        for op in &self.plan.ops {
            if let Op::Conv { conv, weight, prepared, .. } = op
                && !prepared.is_empty()
            {
                let (part, tail) = rest.split_at_mut(prepared.len());
                rest = tail;
                jobs.push((conv, &self.weights[weight.clone()], part));
            }
        }
        // Largest layers first, assigned in turn, so that threads end together.
        jobs.sort_by_key(|(_, weights, _)| std::cmp::Reverse(weights.len()));
        let mut hands: Vec<Vec<_>> = (0..self.workers.len()).map(|_| Vec::new()).collect();
        for (i, job) in jobs.into_iter().enumerate() {
            let n = hands.len();
            hands[i % n].push(job);
        }
        self.pool.each(&mut hands, |hand| {
            for (conv, weights, part) in hand {
                conv.prepare(weights, part);
            }
        });
        self.fresh = true;
    }
}

impl Executor for CpuExecutor<'_> {
    fn forward(&mut self, batch: &Batch, mode: Mode) -> Result<&[f32], NetError> {
        batch.check(self.held, self.plan.shape)?;
        self.prepare();
        let rows = batch.rows;
        self.rows = rows.len();
        self.dropout_key = batch.dropout_key;
        // Few rows of a small network are done before a second thread is told of them.
        let work = rows.len().saturating_mul(self.plan.products);
        let most = self.workers.len().min(rows.len()).max(1);
        let count = (work / self.work_a_thread).clamp(1, most);
        self.busy = count;
        for (i, worker) in self.workers[..count].iter_mut().enumerate() {
            worker.first = i * rows.len() / count;
            worker.rows = (i + 1) * rows.len() / count - worker.first;
        }
        let ops = &self.plan.ops;
        if mode == Mode::Predict {
            for op in ops {
                if let Op::Norm { slot, mean, variance, .. } = op {
                    self.moments[*slot] =
                        Moments::running(&self.statistics[mean.clone()], &self.statistics[variance.clone()]);
                }
            }
        }
        let (mut start, mut gathered) = (0, false);
        loop {
            // In training, a run of operations ends before the next batch norm, which waits for every thread.
            let after = start + usize::from(gathered);
            let end = (after..ops.len())
                .find(|&i| mode.of_batch() && matches!(ops[i], Op::Norm { .. }))
                .unwrap_or(ops.len());
            let pass = Pass {
                plan: &self.plan,
                weights: &self.weights,
                prepared: &self.prepared,
                moments: &self.moments,
                mode,
                dropout_key: self.dropout_key,
            };
            let source = &self.source;
            self.pool.each(&mut self.workers[..self.busy], |worker| {
                if !gathered {
                    worker.gather(source, batch, pass.plan.shape);
                }
                worker.forward(&pass, start..end);
            });
            if end == ops.len() {
                break;
            }
            if let Op::Norm { slot, pixels, mean, variance, .. } = &ops[end] {
                let sums: Vec<_> = self.workers[..count].iter().map(|s| s.norm_sums(*slot)).collect();
                let count = rows.len() * pixels;
                match mode {
                    Mode::Observe => {
                        let (mut m, mut v) = (vec![0.0; mean.len()], vec![0.0; variance.len()]);
                        self.moments[*slot].of_batch(&sums, count, &mut m, &mut v);
                    }
                    _ => {
                        let (m, v) = two_ranges(&mut self.statistics, mean, variance);
                        self.moments[*slot].of_batch(&sums, count, m, v);
                    }
                }
            }
            gathered = true;
            start = end;
        }
        self.scores.clear();
        for worker in &self.workers[..count] {
            self.scores.extend_from_slice(&worker.outputs[ops.len() - 1][..worker.rows]);
        }
        Ok(&self.scores)
    }

    fn backward(&mut self, gradient: &[f32]) -> Result<(), NetError> {
        if gradient.len() != self.rows {
            let (given, scores) = (gradient.len(), self.rows);
            return Err(NetError::Config(format!(
                "{given} gradients were given for a pass of {scores} scores"
            )));
        }
        let ops = &self.plan.ops;
        let mut end = ops.len();
        // A run of operations ends with the first half of a batch norm; its second half starts the next run.
        let mut begun = None;
        loop {
            let start = (0..end).rev().find(|&i| matches!(ops[i], Op::Norm { .. })).unwrap_or(0);
            let stops_at_norm = matches!(ops[start], Op::Norm { .. }) && end > start;
            let pass = Pass {
                plan: &self.plan,
                weights: &self.weights,
                prepared: &self.prepared,
                moments: &self.moments,
                mode: Mode::Train,
                dropout_key: self.dropout_key,
            };
            let backward = &self.backward;
            self.pool.each(&mut self.workers[..self.busy], |worker| {
                if begun.is_none() {
                    let part = &gradient[worker.first..worker.first + worker.rows];
                    grown(&mut worker.gradient, part.len()).copy_from_slice(part);
                }
                worker.backward(&pass, start..end, begun, backward);
            });
            if !stops_at_norm {
                break;
            }
            if let Op::Norm { slot, pixels, gamma, beta, .. } = &ops[start] {
                let (first, others) = self.workers[..self.busy].split_at_mut(1);
                let first = &mut first[0];
                let own = std::mem::take(&mut first.sums[*slot]);
                let mut sums = vec![(own.0.as_slice(), own.1.as_slice())];
                sums.extend(others.iter().map(|s| s.norm_sums(*slot)));
                let (g, b) = two_ranges(&mut first.weights, gamma, beta);
                let (count, moments) = (self.rows * pixels, &self.moments[*slot]);
                self.backward[*slot].of_batch(&sums, count, moments, &self.weights[gamma.clone()], g, b);
                first.sums[*slot] = own;
            }
            if start == 0 {
                break;
            }
            begun = Some(start);
            end = start;
        }
        Ok(())
    }

    fn step(&mut self, learning_rate: f64) -> Result<(), NetError> {
        let n = self.plan.trained;
        self.first_moment.resize(n, 0.0);
        self.second_moment.resize(n, 0.0);
        let step = self.clock.tick(self.optimizer, learning_rate, self.weight_decay);
        let (first, others) = self.workers[..self.busy].split_at_mut(1);
        let others: Vec<&[f32]> = others.iter().map(|s| s.weights.as_slice()).collect();
        let part = n.div_ceil(others.len() + 1).next_multiple_of(64);
        let mut jobs: Vec<_> = self
            .weights
            .chunks_mut(part)
            .zip(first[0].weights.chunks_mut(part))
            .zip(self.first_moment.chunks_mut(part).zip(self.second_moment.chunks_mut(part)))
            .enumerate()
            .collect();
        self.pool.each(&mut jobs, |(i, ((weights, gradient), (m, v)))| {
            update(&step, weights, gradient, &others, *i * part, m, v);
        });
        self.fresh = false;
        Ok(())
    }

    fn rows_at_once(&self) -> usize {
        let numbers_a_row = self.plan.input + self.plan.sizes.iter().sum::<usize>();
        (PREDICTION_NUMBERS / numbers_a_row).clamp(1, PREDICTION_ROWS)
    }

    fn weights(&mut self) -> Result<Weights, NetError> {
        Ok(collected(&self.plan, &self.weights, &self.statistics))
    }

    fn gradients(&mut self) -> Result<Vec<(String, Vec<f32>)>, NetError> {
        let trained = self.plan.tensors.iter().filter(|(spec, _)| spec.trained);
        let parts = &self.workers[..self.busy];
        let sum = |i: usize| parts.iter().filter_map(|worker| worker.weights.get(i)).sum::<f32>();
        Ok(trained.map(|(spec, place)| (spec.name.clone(), place.clone().map(sum).collect())).collect())
    }

    fn optimizer_state(&mut self) -> Result<OptimizerState, NetError> {
        let (first, second) = (self.first_moment.clone(), self.second_moment.clone());
        Ok(OptimizerState { clock: self.clock.clone(), first, second })
    }

    fn restore(&mut self, state: OptimizerState) -> Result<bool, NetError> {
        let fits = |v: &Vec<f32>| v.is_empty() || v.len() == self.plan.trained;
        let good = fits(&state.first) && fits(&state.second);
        if good {
            (self.clock, self.first_moment, self.second_moment) = (state.clock, state.first, state.second);
        }
        Ok(good)
    }

    fn steps(&self) -> u64 {
        self.clock.step
    }

    fn start_average(&mut self, from: Option<&Weights>) -> Result<(), NetError> {
        let (mut weights, mut statistics) = (self.weights.clone(), self.statistics.clone());
        if let Some(from) = from {
            spread(&self.plan, from, &mut weights, &mut statistics);
        }
        self.average = Some((weights, statistics));
        Ok(())
    }

    fn average(&mut self, rate: f32) -> Result<(), NetError> {
        let (weights, statistics) = self.average.as_mut().ok_or_else(no_average)?;
        follow(weights, &self.weights, rate);
        follow(statistics, &self.statistics, rate);
        Ok(())
    }

    fn forward_average(&mut self, batch: &Batch, mode: Mode) -> Result<&[f32], NetError> {
        self.exchange()?;
        let done = self.forward(batch, mode).map(|_| ());
        self.exchange()?;
        done.map(|()| self.scores.as_slice())
    }

    fn averaged(&mut self) -> Result<Weights, NetError> {
        let (weights, statistics) = self.average.as_ref().ok_or_else(no_average)?;
        Ok(collected(&self.plan, weights, statistics))
    }
}

simd_fn! {
    /// rate · average + (1 - rate) · now.
    fn follow(average: &mut [f32], now: &[f32], rate: f32) {
        for (average, now) in average.iter_mut().zip(now) {
            *average = rate * *average + (1.0 - rate) * now;
        }
    }
}

/// Tensors to their places among trained numbers and statistics.
fn spread(plan: &Plan, from: &Weights, weights: &mut [f32], statistics: &mut [f32]) {
    for ((spec, place), tensor) in plan.tensors.iter().zip(&from.tensors) {
        let to = if spec.trained { &mut *weights } else { &mut *statistics };
        to[place.clone()].copy_from_slice(&tensor.data);
    }
}

/// Tensors from their places.
fn collected(plan: &Plan, weights: &[f32], statistics: &[f32]) -> Weights {
    let tensors = plan.tensors.iter().map(|(spec, place)| {
        let from = if spec.trained { weights } else { statistics };
        Tensor { name: spec.name.clone(), shape: spec.shape.clone(), data: from[place.clone()].to_vec() }
    });
    Weights { tensors: tensors.collect() }
}

simd_fn! {
    /// Adds the other threads' gradients and takes the step, a cache-sized run at a time.
    fn update(
        step: &Step,
        weights: &mut [f32],
        gradient: &mut [f32],
        others: &[&[f32]],
        offset: usize,
        first: &mut [f32],
        second: &mut [f32],
    ) {
        const RUN: usize = 4096;
        let mut at = 0;
        while at < weights.len() {
            let run = at..(at + RUN).min(weights.len());
            for other in others {
                let from = &other[offset + run.start..offset + run.end];
                for (g, o) in gradient[run.clone()].iter_mut().zip(from) {
                    *g += o;
                }
            }
            step.apply(
                &mut weights[run.clone()],
                &gradient[run.clone()],
                &mut first[run.clone()],
                &mut second[run.clone()],
            );
            at = run.end;
        }
    }
}

/// Two ranges of one slice, the first before the second.
fn two_ranges<'s>(
    slice: &'s mut [f32],
    a: &Range<usize>,
    b: &Range<usize>,
) -> (&'s mut [f32], &'s mut [f32]) {
    let (left, right) = slice.split_at_mut(b.start);
    (&mut left[a.clone()], &mut right[..b.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Shape};

    #[test]
    fn few_rows_of_a_small_network_start_no_thread() {
        // 9·128 + 128·128 + 128 = 17,664 products a row: 452 rows are work for two threads.
        let network = Architecture::mlp().network(Shape::flat(9)).unwrap();
        assert_eq!([1, 452, 453, 1_000_000].map(|rows| threads_for(&network, rows, 8)), [1, 1, 2, 4]);
        assert_eq!(threads_for(&network, 1_000_000, 3), 3);
    }
}
