//! Where everything lies on the card, and the structures that kernels read (declared the same way in `kernels/`).

use super::plan::{By, Op, Plan, Taker, Takers};
use crate::device::Precision;
use crate::optimizer::COEFFICIENTS;
use crate::spec::Activation;
use crate::strong_views::WORDS;

/// The words of a plain structure, for a copy to the card.
pub(crate) fn words<S: Copy>(structure: &S) -> Vec<u32> {
    words_of(std::slice::from_ref(structure)).to_vec()
}

/// The words of plain structures one after the other.
pub(crate) fn words_of<S: Copy>(structures: &[S]) -> &[u32] {
    assert!(size_of::<S>().is_multiple_of(4) && align_of::<S>() >= 4, "structures are made of words");
    // SAFETY: `S` is a `repr(C)` structure of u64, i32, f32 and pairs of i16 without gaps that are read as numbers; its
    // bytes are copied as they are.
    unsafe { std::slice::from_raw_parts(structures.as_ptr().cast::<u32>(), size_of_val(structures) / 4) }
}

/// One side of a product; see `matmul.cu`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Operand {
    pub p: u64,
    pub ld: i32,
    pub height: i32,
    pub width: i32,
    pub outer: i32,
}

/// What is done with a product.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Finish {
    pub out: u64,
    pub sums: u64,
    pub bias: u64,
    pub activation: i32,
    pub gap: i32,
    pub kept: u64,
    pub below: u64,
    pub below_activation: i32,
    pub gap_too: i32,
    pub bias_gradient: u64,
}

/// A product.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Job {
    pub a: Operand,
    pub b: Operand,
    pub m: i32,
    pub n: i32,
    pub k: i32,
    pub k_part: i32,
    pub finish: Finish,
}

/// A batch norm; see `norm.cu`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Norm {
    pub gamma: u64,
    pub beta: u64,
    pub running_mean: u64,
    pub running_variance: u64,
    pub scale: u64,
    pub shift: u64,
    pub mean: u64,
    pub inverse: u64,
    pub gamma_gradient: u64,
    pub beta_gradient: u64,
    pub of_gradient: u64,
    pub of_input: u64,
    pub constant: u64,
    pub parts: u64,
    pub counter: u64,
}

/// Channels of a tile of the norm kernels.
pub(crate) const TILE: usize = 64;
/// Threads of a block of them.
pub(crate) const NORM_THREADS: usize = 512;
/// Words before the row numbers in what is sent with a batch.
pub(crate) const HEAD: usize = 6;
/// Bytes that places are aligned to.
const ALIGNMENT: usize = 256;

/// Places in one large buffer, in bytes from its start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub total: usize,
    /// Head, row numbers, draws, how the last rows are changed.
    pub request: usize,
    pub scores: usize,
    /// Gradient of the scores, then the optimizer's coefficients.
    pub reply: usize,
    pub weights: usize,
    /// bf16 copies of the weights; the weights themselves in f32 mode.
    pub working: usize,
    pub gradient: usize,
    pub half_gradient: usize,
    pub halves: usize,
    pub first: usize,
    pub second: usize,
    pub statistics: usize,
    pub input: usize,
    /// Outputs of the operations.
    pub values: Vec<usize>,
    /// What a product was before its activation, where the output loses digits of it (softsign) or a norm's gradient
    /// takes the output's place; elsewhere the output.
    pub kept: Vec<usize>,
    /// Gradients of the outputs; some share the place of an output that is no longer needed.
    pub gradients: Vec<usize>,
    /// What is added to them where an output is taken twice.
    pub seconds: Vec<Option<usize>>,
    /// What each `Norm` keeps for itself.
    pub norms: Vec<NormPlaces>,
    /// Parts of products that are summed up later, one place a side stream.
    pub parts: Vec<usize>,
    pub jobs: usize,
    pub tables: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NormPlaces {
    /// Eight vectors of one number per channel.
    pub vectors: usize,
    pub parts: usize,
    pub counter: usize,
}

/// Sizes that the layout follows from, besides the plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub capacity: usize,
    /// Most strong views or mixed rows of a batch.
    pub strong: usize,
    pub precision: Precision,
    /// Blocks of rows that sums are taken over.
    pub norm_blocks: usize,
    /// Numbers of the largest product that is summed up from parts.
    pub parts: usize,
    pub sides: usize,
}

/// Jobs there can be for one operation: forward, backward, weights.
pub(crate) const JOBS: usize = 3;

impl Layout {
    pub fn new(plan: &Plan, sizes: &Sizes) -> Self {
        let (capacity, number) = (sizes.capacity, bytes(sizes.precision));
        let mut layout = Self::default();
        let mut total = 0;
        let mut take = |bytes: usize| {
            let at = total;
            total += bytes.max(4).next_multiple_of(ALIGNMENT);
            at
        };
        layout.request = take(4 * request_words(capacity, sizes.strong));
        layout.scores = take(4 * capacity);
        layout.reply = take(4 * (capacity + COEFFICIENTS));
        layout.weights = take(4 * plan.trained);
        layout.working =
            if sizes.precision == Precision::Bf16 { take(2 * plan.trained) } else { layout.weights };
        layout.gradient = take(4 * plan.trained);
        layout.half_gradient = if plan.ops.iter().any(|op| matches!(op, Op::Conv { by: By::Cudnn, .. })) {
            take(2 * plan.trained)
        } else {
            layout.gradient
        };
        layout.halves = take(plan.trained / super::plan::BLOCK);
        layout.first = take(4 * plan.trained);
        layout.second = take(4 * plan.trained);
        layout.statistics = take(4 * plan.statistics);
        layout.input = take(number * capacity * plan.input.len());
        layout.values = plan.sizes.iter().map(|size| take(number * capacity * size)).collect();
        layout.kept = (0..plan.ops.len())
            .map(|i| match plan.ops[i].folded() {
                Some(Activation::Softsign) => take(number * capacity * plan.sizes[i]),
                Some(Activation::Relu) if plan.ops.get(i + 1).is_some_and(Op::is_norm) => {
                    take(number * capacity * plan.sizes[i])
                }
                _ => layout.values[i],
            })
            .collect();
        layout.place_gradients(plan, &mut |size| take(number * capacity * size));
        layout.norms = plan
            .norms
            .iter()
            .map(|&channels| {
                let tiles = channels.div_ceil(TILE);
                NormPlaces {
                    vectors: take(4 * 8 * vector(channels)),
                    parts: take(4 * 2 * TILE * tiles * sizes.norm_blocks),
                    counter: take(4 * tiles),
                }
            })
            .collect();
        layout.parts = (0..sizes.sides).map(|_| take(4 * sizes.parts)).collect();
        layout.jobs = take(JOBS * plan.ops.len() * size_of::<Job>());
        layout.tables = take(plan.norms.len() * size_of::<Norm>());
        layout.total = total;
        layout
    }

    /// Where the gradients of the outputs lie. The gradient of a norm's input takes the place of that input; a sum hands its
    /// gradient to both of its parts as it is.
    ///
    /// The gradient of an ordinary norm's output is used up before the next one is written, so all share one place. At
    /// the ends of residual blocks it is needed until that of the block before is complete, so two places take turns.
    fn place_gradients(&mut self, plan: &Plan, take: &mut dyn FnMut(usize) -> usize) {
        let takers: Vec<Takers> = (0..plan.ops.len()).map(|op| plan.takers(op)).collect();
        let ends_block = |op: usize| match &plan.ops[op] {
            Op::Norm { add, .. } => add.is_some() || takers[op].second.is_some(),
            _ => false,
        };
        let largest = |chosen: &dyn Fn(usize) -> bool| {
            (0..plan.ops.len()).filter(|&op| chosen(op)).map(|op| plan.sizes[op]).max().unwrap_or(0)
        };
        let shared = take(largest(&|op| plan.ops[op].is_norm() && !ends_block(op)));
        let of_ends = largest(&ends_block);
        let ends = [take(of_ends), take(of_ends)];
        let apart = take(largest(&|op| matches!(takers[op].second, Some(Taker::Main(_)))));
        self.gradients = vec![0; plan.ops.len()];
        self.seconds = vec![None; plan.ops.len()];
        let mut turn = 0;
        for op in (0..plan.ops.len()).rev() {
            let Takers { first, second } = takers[op];
            self.gradients[op] = match (first, second) {
                // The end of a block still needs its output when its gradient is there.
                (Some(next), _) if plan.ops[next].is_norm() && !ends_block(op) => self.values[op],
                (Some(next), _) if matches!(plan.ops[next], Op::Add { .. }) => self.gradients[next],
                (Some(_), _) if ends_block(op) => {
                    turn += 1;
                    ends[turn % 2]
                }
                (Some(_), _) if plan.ops[op].is_norm() => shared,
                (Some(_), _) => take(plan.sizes[op]),
                (None, Some(Taker::Added(sum))) => self.gradients[sum],
                (None, _) => self.reply,
            };
            self.seconds[op] = match second {
                Some(Taker::Added(sum)) if first.is_some() => Some(self.gradients[sum]),
                Some(Taker::Main(_)) => Some(apart),
                _ => None,
            };
        }
    }
}

/// Words of what is sent with a batch.
pub(crate) fn request_words(capacity: usize, strong: usize) -> usize {
    HEAD + 2 * capacity + WORDS * strong
}

/// Numbers from one of a norm's vectors to the next.
pub(crate) fn vector(channels: usize) -> usize {
    channels.next_multiple_of(TILE)
}

/// Bytes of an activation.
pub(crate) fn bytes(precision: Precision) -> usize {
    match precision {
        Precision::Bf16 => 2,
        Precision::F32 => 4,
    }
}
