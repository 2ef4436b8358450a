//! The moving average of a network's weights, as the network that is judged and kept.
//!
//! Averaged weights score better than the last ones of a noisy run (Polyak and Juditsky, 1992). With a rate near 1 the
//! average lags behind the first epochs; at the end of a schedule that falls to zero it has caught up.

use crate::NetError;
use crate::executor::{Batch, Executor, Mode, OptimizerState};
use crate::weights::Weights;

/// An executor seen through its averaged weights: it scores with them and gives them out.
pub(crate) struct Averaged<'e> {
    pub executor: &'e mut dyn Executor,
    /// The most rows of a pass under the average.
    pub rows_at_once: usize,
}

impl Executor for Averaged<'_> {
    fn forward(&mut self, batch: &Batch, mode: Mode) -> Result<&[f32], NetError> {
        self.executor.forward_average(batch, mode)
    }

    fn backward(&mut self, gradient: &[f32]) -> Result<(), NetError> {
        self.executor.backward(gradient)
    }

    fn step(&mut self, learning_rate: f64) -> Result<(), NetError> {
        self.executor.step(learning_rate)
    }

    fn rows_at_once(&self) -> usize {
        self.executor.rows_at_once().min(self.rows_at_once)
    }

    fn weights(&mut self) -> Result<Weights, NetError> {
        self.executor.averaged()
    }

    fn gradients(&mut self) -> Result<Vec<(String, Vec<f32>)>, NetError> {
        self.executor.gradients()
    }

    fn optimizer_state(&mut self) -> Result<OptimizerState, NetError> {
        self.executor.optimizer_state()
    }

    fn restore(&mut self, state: OptimizerState) -> Result<bool, NetError> {
        self.executor.restore(state)
    }

    fn steps(&self) -> u64 {
        self.executor.steps()
    }

    fn start_average(&mut self, from: Option<&Weights>) -> Result<(), NetError> {
        self.executor.start_average(from)
    }

    fn average(&mut self, rate: f32) -> Result<(), NetError> {
        self.executor.average(rate)
    }

    fn forward_average(&mut self, batch: &Batch, mode: Mode) -> Result<&[f32], NetError> {
        self.executor.forward_average(batch, mode)
    }

    fn averaged(&mut self) -> Result<Weights, NetError> {
        self.executor.averaged()
    }
}
