//! The training loop's view of a network on a card.

use super::card::CardData;
use super::choice::passes;
use super::driver::{Buffer, Event, Graph, Pinned};
use super::layout::{HEAD, request_words, words_of};
use super::network::{DeviceNetwork, convolution};
use super::plan::{BLOCK, By, Op, Plan};
use crate::NetError;
use crate::engine::ExecutorConfig;
use crate::executor::{Batch, Draw, Executor, Mode, OptimizerState, no_average};
use crate::optimizer::{COEFFICIENTS, Clock, Optimizer};
use crate::spec::Network;
use crate::weights::{Tensor, Weights};

/// Trains and applies a network on an NVIDIA GPU.
pub struct CudaExecutor {
    // Graphs go first, then what they use.
    graphs: Graphs,
    net: DeviceNetwork,
    request: Pinned,
    scores: Pinned,
    reply: Pinned,
    coefficients: Pinned,
    /// A step was launched since the last wait.
    stepped: bool,
    clock: Clock,
    optimizer: Optimizer,
    weight_decay: f64,
    /// Rows of the last training pass; none after another kind of pass.
    rows: Option<usize>,
    network: Network,
    setting: ExecutorConfig,
    average: Option<Average>,
}

/// A moving average of another network's weights, as a separate network.
struct Average {
    executor: Box<CudaExecutor>,
    /// Averaged statistics: those of the network move with each pass over a batch.
    statistics: Buffer,
    stepped: Event,
}

#[derive(Default)]
struct Graphs {
    train: Option<Graph>,
    observe: Option<Graph>,
    predict: Option<Graph>,
    backward: Option<Graph>,
    step: Option<Graph>,
}

impl CudaExecutor {
    /// A network with these weights over a data set on a card. `setting.batch` is the most rows of a pass.
    pub fn new(
        data: &CardData,
        network: &Network,
        weights: &Weights,
        setting: &ExecutorConfig,
    ) -> Result<Self, NetError> {
        network.check(weights)?;
        let card = &data.0.card;
        card.check(setting.precision)?;
        let context = &card.0.context;
        context.enter()?;
        if network.input != data.0.input {
            return Err(NetError::Config(format!(
                "the network takes {}, but the data on the card are {}",
                network.input, data.0.input
            )));
        }
        let plan = Plan::new(network, setting.precision)?;
        let capacity = setting.batch.max(1).next_multiple_of(8);
        let net = DeviceNetwork::new(card, data, plan, capacity, setting)?;
        net.load(weights)?;
        let (request, scores, reply) = (
            Pinned::new(context, request_words(capacity, setting.strong))?,
            Pinned::new(context, capacity)?,
            Pinned::new(context, capacity)?,
        );
        Ok(Self {
            graphs: Graphs::default(),
            net,
            request,
            scores,
            reply,
            coefficients: Pinned::new(context, COEFFICIENTS)?,
            stepped: false,
            clock: Clock::start(),
            optimizer: setting.optimizer,
            weight_decay: setting.weight_decay,
            rows: None,
            network: network.clone(),
            setting: *setting,
            average: None,
        })
    }

    /// Time of each kernel of a training step in microseconds, in order, with what it does; the median of `repeats`
    /// steps without graphs and without side streams. For tables.
    pub fn profile(
        &mut self,
        batch: &Batch,
        gradient: &[f32],
        repeats: usize,
    ) -> Result<Vec<(String, f32)>, NetError> {
        self.forward(batch, Mode::Train)?;
        self.backward(gradient)?;
        self.step(0.0)?;
        let net = &self.net;
        net.main.wait()?;
        let context = &net.data.0.card.0.context;
        let mut times: Vec<Vec<f32>> = Vec::new();
        let mut labels = Vec::new();
        for repeat in 0..repeats {
            let mut events = vec![(String::new(), Event::new(context)?)];
            events[0].1.record(&net.main)?;
            let mut mark = |label: String| -> Result<(), NetError> {
                let event = Event::new(context)?;
                event.record(&net.main)?;
                events.push((label, event));
                Ok(())
            };
            net.forward(Mode::Train, &mut mark)?;
            net.backward(false, &mut mark)?;
            net.step(&mut mark)?;
            net.main.wait()?;
            for (at, pair) in events.windows(2).enumerate() {
                if repeat == 0 {
                    labels.push(pair[1].0.clone());
                    times.push(Vec::new());
                }
                times[at].push(1000.0 * pair[0].1.until(&pair[1].1)?);
            }
        }
        let middle = |mut some: Vec<f32>| {
            some.sort_by(f32::total_cmp);
            some[some.len() / 2]
        };
        Ok(labels.into_iter().zip(times.into_iter().map(middle)).collect())
    }

    /// Every engine of every convolution with its time in milliseconds. For tables.
    pub fn engines(&self) -> Result<Vec<(String, f32)>, NetError> {
        let net = &self.net;
        net.data.0.card.0.context.enter()?;
        let mut rows = Vec::new();
        let mut seen = Vec::new();
        for i in 0..net.plan.ops.len() {
            let Some(shape) = convolution(&net.plan.ops[i], net.capacity) else { continue };
            for c in passes(shape) {
                if seen.contains(&c) {
                    continue;
                }
                seen.push(c);
                for (tried, words) in net.data.0.card.0.choices.table(&c)? {
                    rows.push((
                        format!(
                            "{} #{} {words} workspace {}",
                            c.key(),
                            tried.plan.index,
                            tried.plan.workspace
                        ),
                        tried.milliseconds,
                    ));
                }
            }
        }
        Ok(rows)
    }
}

/// The four bytes of a draw.
fn word(draw: Draw) -> u32 {
    u32::from_le_bytes([draw.down as u8, draw.right as u8, draw.mirror, 0])
}

impl Drop for CudaExecutor {
    /// A step may still be under way; its memory must outlive it.
    fn drop(&mut self) {
        if self.net.data.0.card.0.context.enter().is_ok() {
            let _ = self.net.main.wait();
        }
    }
}

impl Executor for CudaExecutor {
    fn forward(&mut self, batch: &Batch, mode: Mode) -> Result<&[f32], NetError> {
        let net = &self.net;
        batch.check(net.data.0.rows, net.plan.input)?;
        let (n, capacity) = (batch.rows.len(), net.capacity);
        if n > capacity {
            return Err(NetError::Config(format!(
                "a batch of {n} rows was given to a network that was set up for {capacity}"
            )));
        }
        let changed = batch.strong.len() + batch.dropped.len() + batch.partners.len();
        if changed > net.strong {
            let most = net.strong;
            return Err(NetError::Config(format!(
                "a batch of {changed} strong views or mixed rows was given to a network that was set up for {most}"
            )));
        }
        net.data.0.card.0.context.enter()?;
        let request = self.request.words();
        request[0] = n as u32;
        request[1] = u32::from(!batch.draws.is_empty());
        request[2] = batch.dropout_key as u32;
        request[3] = (batch.dropout_key >> 32) as u32;
        request[4] = changed as u32;
        request[5] = match (batch.dropped, batch.partners) {
            ([], []) => 0,
            (_, []) => 1,
            _ => 2,
        };
        request[HEAD..HEAD + n].copy_from_slice(batch.rows);
        for (to, draw) in request[HEAD + capacity..HEAD + 2 * capacity].iter_mut().zip(batch.draws) {
            *to = word(*draw);
        }
        let (views, how) = (words_of(batch.strong), &mut request[HEAD + 2 * capacity..]);
        how[..views.len()].copy_from_slice(views);
        for (to, view) in how.chunks_exact_mut(4).zip(batch.dropped) {
            let (least, factor) = view.numbers();
            to.copy_from_slice(&[view.key as u32, (view.key >> 32) as u32, least, factor.to_bits()]);
        }
        for (to, partner) in how.chunks_exact_mut(3).zip(batch.partners) {
            to.copy_from_slice(&[partner.row, word(partner.draw), partner.share.to_bits()]);
        }
        let graph = match mode {
            Mode::Train => &mut self.graphs.train,
            Mode::Observe => &mut self.graphs.observe,
            Mode::Predict => &mut self.graphs.predict,
        };
        let graph = match graph {
            Some(graph) => graph,
            none => none.insert(net.main.capture(|| {
                net.main.send(net.head(), self.request.pointer(), 4 * request_words(capacity, net.strong))?;
                net.forward(mode, &mut |_| Ok(()))?;
                net.main.fetch(self.scores.pointer(), net.at(net.layout.scores), 4 * capacity)
            })?),
        };
        graph.launch(&net.main)?;
        net.main.wait()?;
        self.stepped = false;
        self.rows = (mode == Mode::Train).then_some(n);
        Ok(&self.scores.floats()[..n])
    }

    fn backward(&mut self, gradient: &[f32]) -> Result<(), NetError> {
        let Some(n) = self.rows else {
            return Err(NetError::Config("a backward pass needs a training pass before it".into()));
        };
        if gradient.len() != n {
            let given = gradient.len();
            return Err(NetError::Config(format!("{given} gradients were given for a batch of {n} rows")));
        }
        let net = &self.net;
        net.data.0.card.0.context.enter()?;
        // Activations give their place to gradients on the way back, so a pass can be gone back through once.
        self.rows = None;
        let reply = self.reply.floats();
        reply[..n].copy_from_slice(gradient);
        reply[n..net.capacity].fill(0.0);
        let graph = match &mut self.graphs.backward {
            Some(graph) => graph,
            none => none.insert(net.main.capture(|| {
                net.main.send(net.at(net.layout.reply), self.reply.pointer(), 4 * net.capacity)?;
                net.backward(true, &mut |_| Ok(()))
            })?),
        };
        graph.launch(&net.main)
    }

    fn step(&mut self, learning_rate: f64) -> Result<(), NetError> {
        let net = &self.net;
        net.data.0.card.0.context.enter()?;
        if self.stepped {
            // The coefficients of the step before may not have been copied yet.
            net.main.wait()?;
        }
        self.stepped = true;
        let step = self.clock.tick(self.optimizer, learning_rate, self.weight_decay);
        self.coefficients.floats()[..COEFFICIENTS].copy_from_slice(&step.coefficients());
        let graph = match &mut self.graphs.step {
            Some(graph) => graph,
            none => none.insert(net.main.capture(|| {
                let place = net.at(net.layout.reply + 4 * net.capacity);
                net.main.send(place, self.coefficients.pointer(), 4 * COEFFICIENTS)?;
                net.step(&mut |_| Ok(()))
            })?),
        };
        graph.launch(&net.main)
    }

    fn rows_at_once(&self) -> usize {
        self.net.capacity
    }

    fn weights(&mut self) -> Result<Weights, NetError> {
        let net = &self.net;
        net.data.0.card.0.context.enter()?;
        net.main.wait()?;
        let tensors = net.plan.tensors.iter().map(|(spec, place)| {
            let start = if spec.trained { net.layout.weights } else { net.layout.statistics };
            let mut data = vec![0.0; place.len()];
            net.memory.read(start + 4 * place.start, &mut data)?;
            Ok(Tensor { name: spec.name.clone(), shape: spec.shape.clone(), data })
        });
        Ok(Weights { tensors: tensors.collect::<Result<_, NetError>>()? })
    }

    fn gradients(&mut self) -> Result<Vec<(String, Vec<f32>)>, NetError> {
        let net = &self.net;
        net.data.0.card.0.context.enter()?;
        net.main.wait()?;
        let half = |place: usize| {
            net.plan.ops.iter().any(|op| match op {
                Op::Conv { weight, by: By::Cudnn, .. } => weight.start == place,
                _ => false,
            })
        };
        let trained = net.plan.tensors.iter().filter(|(spec, _)| spec.trained);
        trained
            .map(|(spec, place)| {
                let mut data = vec![0.0f32; place.len()];
                if half(place.start) {
                    let mut small = vec![0u16; place.len()];
                    net.memory.read(net.layout.half_gradient + 2 * place.start, &mut small)?;
                    for (to, from) in data.iter_mut().zip(small) {
                        *to = f32::from_bits(u32::from(from) << 16);
                    }
                } else {
                    net.memory.read(net.layout.gradient + 4 * place.start, &mut data)?;
                }
                Ok((spec.name.clone(), data))
            })
            .collect()
    }

    fn optimizer_state(&mut self) -> Result<OptimizerState, NetError> {
        let net = &self.net;
        net.data.0.card.0.context.enter()?;
        net.main.wait()?;
        let (first, second) = match self.clock.step {
            0 => (Vec::new(), Vec::new()),
            _ => (net.trained(net.layout.first)?, net.trained(net.layout.second)?),
        };
        Ok(OptimizerState { clock: self.clock.clone(), first, second })
    }

    fn restore(&mut self, state: OptimizerState) -> Result<bool, NetError> {
        let net = &self.net;
        net.data.0.card.0.context.enter()?;
        net.main.wait()?;
        let fits = |v: &[f32]| v.is_empty() || v.len() == net.trained_len();
        if !fits(&state.first) || !fits(&state.second) {
            return Ok(false);
        }
        for (place, values) in [(net.layout.first, &state.first), (net.layout.second, &state.second)] {
            if values.is_empty() {
                net.write_trained(place, &vec![0.0; net.trained_len()])?
            } else {
                net.write_trained(place, values)?
            }
        }
        self.clock = state.clock;
        Ok(true)
    }

    fn steps(&self) -> u64 {
        self.clock.step
    }

    fn start_average(&mut self, from: Option<&Weights>) -> Result<(), NetError> {
        let now = self.weights()?;
        let weights = from.unwrap_or(&now);
        // Every unlabeled row once, as a weak view.
        let setting =
            ExecutorConfig { batch: self.setting.batch - self.setting.strong, strong: 0, ..self.setting };
        let executor = Box::new(CudaExecutor::new(&self.net.data, &self.network, weights, &setting)?);
        let context = &self.net.data.0.card.0.context;
        let numbers = self.net.plan.statistics;
        let statistics = match Buffer::new(context, 4 * numbers.max(1))? {
            Some(buffer) => buffer,
            None => return Err(self.net.data.0.card.full(4 * numbers, setting.batch, None)?),
        };
        let mut held = vec![0.0f32; numbers];
        executor.net.memory.read(executor.net.layout.statistics, &mut held)?;
        statistics.write(0, &held)?;
        self.average = Some(Average { executor, statistics, stepped: Event::new(context)? });
        Ok(())
    }

    fn average(&mut self, rate: f32) -> Result<(), NetError> {
        let net = &self.net;
        net.data.0.card.0.context.enter()?;
        let Average { executor, statistics, stepped } = self.average.as_ref().ok_or_else(no_average)?;
        let own = &executor.net;
        stepped.record(&net.main)?;
        own.main.after(stepped)?;
        let mut arguments = [own.weight(0).into(), own.working(0).into(), net.weight(0).into(), rate.into()];
        own.pointwise(c"follow", &own.main, (net.plan.trained / BLOCK, 1, 1), 256, &mut arguments)?;
        let count = net.plan.statistics;
        if count > 0 {
            let mut arguments = [
                statistics.at.into(),
                own.at(own.layout.statistics).into(),
                net.at(net.layout.statistics).into(),
                count.into(),
                rate.into(),
            ];
            let grid = (count.div_ceil(256), 1, 1);
            own.pointwise(c"follow_statistics", &own.main, grid, 256, &mut arguments)?;
        }
        Ok(())
    }

    fn forward_average(&mut self, batch: &Batch, mode: Mode) -> Result<&[f32], NetError> {
        self.rows = None;
        let Average { executor, .. } = self.average.as_mut().ok_or_else(no_average)?;
        executor.forward(batch, mode)
    }

    fn averaged(&mut self) -> Result<Weights, NetError> {
        let Average { executor, statistics, .. } = self.average.as_mut().ok_or_else(no_average)?;
        let mut weights = executor.weights()?;
        let tensors = executor.net.plan.tensors.iter().zip(&mut weights.tensors);
        for ((_, place), tensor) in tensors.filter(|((spec, _), _)| !spec.trained) {
            statistics.read(4 * place.start, &mut tensor.data)?;
        }
        Ok(weights)
    }
}
