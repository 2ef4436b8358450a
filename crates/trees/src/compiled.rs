//! Trees made ready for scoring: no walk, but masks over the leaves, many rows at a time.
//!
//! C. Lucchese, F. M. Nardini, S. Orlando, R. Perego, N. Tonellotto and R. Venturini, "QuickScorer: a fast algorithm to rank documents
//! with additive ensembles of regression trees", SIGIR 2015; T. Ye, H. Zhou, W. Y. Zou, B. Gao and R. Zhang, "RapidScorer: fast tree
//! ensemble evaluation by maximizing compactness in data level parallelization", KDD 2018.
//!
//! The leaves of a tree are numbered from left to right, a bit for each. A row that goes right at a node cannot come to a leaf of the
//! node's left side, so those bits are cleared; when all nodes were looked at, the first bit that is left is the row's leaf. Nodes are
//! looked at in any order and for a block of rows at once: values become their rank among the thresholds of their feature, a byte, and
//! eight leaves are a byte, so that one vector instruction compares sixteen rows or more. A category's levels, of which there are few,
//! are compared for equality; more are looked up.
//!
//! The answers of trees are added in the order of the trees, so logits are the same bytes as by walking.

use crate::code_set::contains;
use crate::model::{FlatTree, Node, Tree};
use std::collections::BTreeMap;
use std::ops::Range;

/// Rows that are scored at once, and rows of a small batch.
pub(crate) const BLOCK: usize = 256;
pub(crate) const SMALL_BLOCK: usize = 16;
/// Leaves of the largest tree that is not walked. The trees of a forest of `auto` have about 300; a walk of 75 ns through one took ten
/// times as long as its masks.
const MOST_LEAVES: usize = 1024;
/// Leaves from which a small batch walks: there are many masks, and few rows to share them.
const SMALL_TREE: usize = 32;
/// Leaves of a word, and of as many words as a byte can number the leaves of.
const WORD: usize = 8;
const PART: usize = 256;
/// Thresholds that a byte tells apart.
const MOST_THRESHOLDS: usize = 255;
/// Levels up to which a comparison for each is quicker than a look at a table.
const FEW_LEVELS: usize = 16;

/// Trees made ready for scoring.
#[derive(Debug)]
pub(crate) struct Compiled {
    columns: Vec<Column>,
    trees: Vec<Form>,
    words: Vec<Word>,
    above: Vec<Test>,
    equal: Vec<Test>,
    tables: Vec<Table>,
    leaves: Vec<f64>,
}

/// What a byte for each row is made of.
#[derive(Debug)]
enum Column {
    /// How many thresholds the value is above; a missing one is above all or none.
    Rank { feature: usize, thresholds: Vec<f32>, missing_left: bool },
    /// The code; beyond the last one that a set has, all are one, and missing is the next.
    Code { feature: usize, last: u32 },
}

#[derive(Debug)]
enum Form {
    /// By masks: which words and leaves are its, and how a row of a small batch walks through a large one.
    Masks {
        words: Range<usize>,
        leaves: Range<usize>,
        alone: Option<FlatTree>,
    },
    Walked(FlatTree),
}

/// Eight leaves: where its tests end.
#[derive(Clone, Copy, Debug)]
struct Word {
    above: usize,
    equal: usize,
    tables: usize,
}

/// Rows whose byte is above, or equal to, a number keep some leaves.
#[derive(Clone, Copy, Debug)]
struct Test {
    column: u32,
    at: i8,
    keep: u8,
}

/// Which leaves rows keep by their byte.
#[derive(Debug)]
struct Table {
    column: u32,
    keep: Box<[u8; 256]>,
}

/// The bytes of a block of rows, column by column, in an order that signed comparisons have.
pub(crate) struct Block<const B: usize> {
    columns: Vec<[i8; B]>,
}

fn signed(byte: usize) -> i8 {
    (byte as u8 ^ 0x80) as i8
}

impl Column {
    fn feature(&self) -> usize {
        match self {
            Column::Rank { feature, .. } | Column::Code { feature, .. } => *feature,
        }
    }

    fn byte(&self, value: f32) -> i8 {
        signed(match self {
            Column::Rank { thresholds, missing_left: false, .. } if value.is_nan() => thresholds.len(),
            Column::Rank { thresholds, .. } => thresholds.partition_point(|&threshold| value > threshold),
            Column::Code { last, .. } if value.is_nan() => *last as usize + 2,
            Column::Code { last, .. } => (value as u32).min(last + 1) as usize,
        })
    }
}

/// Where the columns of features are.
#[derive(Default)]
struct Places {
    /// The first column and the thresholds of all, by feature and the side of missing values.
    ranks: BTreeMap<(u32, bool), (usize, Vec<f32>)>,
    /// By feature.
    codes: BTreeMap<u32, (usize, u32)>,
}

impl Compiled {
    pub fn new(trees: &[Tree]) -> Self {
        let (mut places, mut columns) = (Places::default(), Vec::new());
        for tree in trees {
            places.collect(tree);
        }
        for (&(feature, missing_left), (at, thresholds)) in &mut places.ranks {
            thresholds.sort_by(f32::total_cmp);
            thresholds.dedup();
            *at = columns.len();
            let feature = feature as usize;
            columns.extend(thresholds.chunks(MOST_THRESHOLDS).map(|some| Column::Rank {
                feature,
                thresholds: some.to_vec(),
                missing_left,
            }));
        }
        // Levels that do not fit into a byte are walked by.
        places.codes.retain(|_, (_, last)| *last <= 253);
        for (&feature, (at, last)) in &mut places.codes {
            *at = columns.len();
            columns.push(Column::Code { feature: feature as usize, last: *last });
        }
        let mut compiled = Self {
            columns,
            trees: Vec::with_capacity(trees.len()),
            words: Vec::new(),
            above: Vec::new(),
            equal: Vec::new(),
            tables: Vec::new(),
            leaves: Vec::new(),
        };
        for tree in trees {
            let form = compiled.masks(tree, &places);
            compiled.trees.push(form.unwrap_or_else(|| Form::Walked(FlatTree::new(tree))));
        }
        compiled
    }

    /// Writes down a tree's masks, unless it is to be walked.
    fn masks(&mut self, tree: &Tree, places: &Places) -> Option<Form> {
        let spans = spans(tree)?;
        let leaves = spans[0].1;
        let known = |node: &Node| match node {
            Node::Categories { feature, .. } => places.codes.contains_key(feature),
            _ => true,
        };
        if leaves > MOST_LEAVES || !tree.nodes.iter().all(known) {
            return None;
        }
        let (first_word, first_leaf) = (self.words.len(), self.leaves.len());
        self.leaves.resize(first_leaf + leaves, 0.0);
        for (node, &(from, _)) in tree.nodes.iter().zip(&spans) {
            if let Node::Leaf { value } = node {
                self.leaves[first_leaf + from] = f64::from(*value);
            }
        }
        for word in 0..leaves.div_ceil(WORD) {
            self.word(tree, places, &spans, word * WORD);
        }
        let alone = (leaves > SMALL_TREE).then(|| FlatTree::new(tree));
        Some(Form::Masks {
            words: first_word..self.words.len(),
            leaves: first_leaf..self.leaves.len(),
            alone,
        })
    }

    /// The tests that clear any of the eight leaves from `first` on.
    fn word(&mut self, tree: &Tree, places: &Places, spans: &[(usize, usize)], first: usize) {
        // By feature: what is left of the word for each of its codes.
        let mut codes: BTreeMap<u32, Box<[u8; 256]>> = BTreeMap::new();
        for node in &tree.nodes {
            let (Node::Split { left, .. } | Node::Categories { left, .. }) = *node else { continue };
            let keep = !bits(spans[left as usize], first);
            if keep == u8::MAX {
                continue;
            }
            match *node {
                Node::Split { feature, threshold, missing_left, .. } => {
                    let (column, thresholds) = &places.ranks[&(feature, missing_left)];
                    let at = thresholds.partition_point(|&other| threshold > other);
                    let column = (column + at / MOST_THRESHOLDS) as u32;
                    self.above.push(Test { column, at: signed(at % MOST_THRESHOLDS), keep });
                }
                Node::Categories { feature, set, missing_left, .. } => {
                    let (_, last) = places.codes[&feature];
                    let masks = codes.entry(feature).or_insert_with(|| Box::new([u8::MAX; 256]));
                    for code in 0..=last + 1 {
                        if !contains(&tree.sets[set as usize], code) {
                            masks[code as usize] &= keep;
                        }
                    }
                    if !missing_left {
                        masks[last as usize + 2] &= keep;
                    }
                }
                Node::Leaf { .. } => {}
            }
        }
        for (feature, masks) in codes {
            let (column, last) = places.codes[&feature];
            let column = column as u32;
            if last as usize + 3 <= FEW_LEVELS {
                let some = masks.iter().enumerate().filter(|(_, keep)| **keep != u8::MAX);
                self.equal.extend(some.map(|(code, &keep)| Test { column, at: signed(code), keep }));
            } else {
                self.tables.push(Table { column, keep: masks });
            }
        }
        self.words.push(Word { above: self.above.len(), equal: self.equal.len(), tables: self.tables.len() });
    }

    /// A place for the bytes of a block.
    pub fn block<const B: usize>(&self) -> Block<B> {
        Block { columns: vec![[0; B]; self.columns.len()] }
    }

    /// Adds what the trees say of up to `B` rows to their logits, tree by tree.
    pub fn add<'r, const B: usize>(
        &self,
        trees: &[Tree],
        row: impl Fn(usize) -> &'r [f32],
        logits: &mut [f64],
        block: &mut Block<B>,
    ) {
        let rows: Vec<&[f32]> = (0..logits.len().min(B)).map(row).collect();
        for (bytes, column) in block.columns.iter_mut().zip(&self.columns) {
            let feature = column.feature();
            bytes.iter_mut().zip(&rows).for_each(|(byte, row)| *byte = column.byte(row[feature]));
        }
        let pass = Pass { compiled: self, trees, rows: &rows, logits, block };
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V4::try_new() {
            return simd.vectorize(OnWideVectors { pass, simd });
        }
        pulp::Arch::new().dispatch(pass);
    }

    /// The leaf of each row of a block in a tree, or in a part of one, and what is left of all words together: nothing where the leaf
    /// is in another part.
    #[inline(always)]
    fn leaf<const B: usize>(&self, words: Range<usize>, block: &Block<B>) -> ([u8; B], [u8; B]) {
        let (mut leaf, mut any) = ([0u8; B], [0u8; B]);
        // From the last word to the first: that of the first bit is written last.
        for word in words.clone().rev() {
            let from = word
                .checked_sub(1)
                .map_or(Word { above: 0, equal: 0, tables: 0 }, |before| self.words[before]);
            let to = self.words[word];
            let mut left = [u8::MAX; B];
            for test in &self.above[from.above..to.above] {
                let bytes = &block.columns[test.column as usize];
                clear(&mut left, bytes, test.keep, |byte| byte > test.at);
            }
            for test in &self.equal[from.equal..to.equal] {
                let bytes = &block.columns[test.column as usize];
                clear(&mut left, bytes, test.keep, |byte| byte == test.at);
            }
            for table in &self.tables[from.tables..to.tables] {
                for (left, &byte) in left.iter_mut().zip(&block.columns[table.column as usize]) {
                    *left &= table.keep[usize::from(byte as u8 ^ 0x80)];
                }
            }
            let first = ((word - words.start) * WORD) as u8;
            for ((leaf, any), &left) in leaf.iter_mut().zip(&mut any).zip(&left) {
                *leaf = if left == 0 { *leaf } else { first + left.trailing_zeros() as u8 };
                *any |= left;
            }
        }
        (leaf, any)
    }

    /// The leaf of each row of a block in a tree of more leaves than a byte numbers.
    #[inline(always)]
    fn leaf_of_many<const B: usize>(&self, words: Range<usize>, block: &Block<B>) -> [u16; B] {
        let mut leaves = [0u16; B];
        // From the last part to the first, as words are.
        for first in words.clone().step_by(PART / WORD).rev() {
            let (leaf, any) = self.leaf(first..words.end.min(first + PART / WORD), block);
            let before = ((first - words.start) * WORD) as u16;
            for ((leaves, leaf), any) in leaves.iter_mut().zip(leaf).zip(any) {
                *leaves = if any == 0 { *leaves } else { before + u16::from(leaf) };
            }
        }
        leaves
    }
}

/// Keeps some leaves of the rows whose byte passes a test, and all of the others. Written without a condition: the compiler makes a
/// branch of one, which costs ten times as much as the vector instructions that it makes of this.
#[inline(always)]
fn clear<const B: usize>(left: &mut [u8; B], bytes: &[i8; B], keep: u8, test: impl Fn(i8) -> bool) {
    let cleared = !keep;
    for (left, &byte) in left.iter_mut().zip(bytes) {
        *left &= !(cleared & u8::from(test(byte)).wrapping_neg());
    }
}

/// All trees over one block, compiled for every width of vectors that processors have.
struct Pass<'a, const B: usize> {
    compiled: &'a Compiled,
    trees: &'a [Tree],
    rows: &'a [&'a [f32]],
    logits: &'a mut [f64],
    block: &'a Block<B>,
}

impl<const B: usize> pulp::WithSimd for Pass<'_, B> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.run(|_, _, _| 0);
    }
}

impl<const B: usize> Pass<'_, B> {
    /// `few` adds the answers of small trees to the logits of the first rows, and says of how many it did.
    #[inline(always)]
    fn run(self, few: impl Fn(&mut [f64], &[u8; B], &[f64]) -> usize) {
        let Self { compiled, trees, rows, logits, block } = self;
        for (tree, form) in trees.iter().zip(&compiled.trees) {
            match form {
                Form::Masks { alone: Some(flat), .. } if B <= SMALL_BLOCK => flat.add(tree, rows, logits),
                Form::Walked(flat) => flat.add(tree, rows, logits),
                Form::Masks { words, leaves, .. } if leaves.len() <= PART => {
                    let (leaf, _) = compiled.leaf(words.clone(), block);
                    let answers = &compiled.leaves[leaves.clone()];
                    let done = few(logits, &leaf, answers);
                    let rows = logits.iter_mut().zip(&leaf).skip(done);
                    rows.for_each(|(logit, &leaf)| *logit += answers[usize::from(leaf)]);
                }
                Form::Masks { words, leaves, .. } => {
                    let leaf = compiled.leaf_of_many(words.clone(), block);
                    let answers = &compiled.leaves[leaves.clone()];
                    let rows = logits.iter_mut().zip(&leaf);
                    rows.for_each(|(logit, &leaf)| *logit += answers[usize::from(leaf)]);
                }
            }
        }
    }
}

/// A pass on a processor whose vectors hold the answers of a small tree, so that an instruction looks up eight of them.
#[cfg(target_arch = "x86_64")]
struct OnWideVectors<'a, const B: usize> {
    pass: Pass<'a, B>,
    simd: pulp::x86::V4,
}

#[cfg(target_arch = "x86_64")]
impl<const B: usize> pulp::NullaryFnOnce for OnWideVectors<'_, B> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let simd = self.simd;
        self.pass.run(
            #[inline(always)]
            |logits, leaf, answers| look_up(simd, logits, leaf, answers),
        );
    }
}

/// Numbers of a vector.
#[cfg(target_arch = "x86_64")]
const WIDE: usize = 8;

/// Adds the answers of a tree of at most 32 leaves to the logits of all rows that fill vectors, and says how many these are.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn look_up(simd: pulp::x86::V4, logits: &mut [f64], leaf: &[u8], answers: &[f64]) -> usize {
    if answers.len() > 4 * WIDE {
        return 0;
    }
    let mut table = [[0.0f64; WIDE]; 4];
    table.as_flattened_mut()[..answers.len()].copy_from_slice(answers);
    let [a, b, c, d]: [std::arch::x86_64::__m512d; 4] = table.map(pulp::cast);
    let (f, sum) = (simd.avx512f, |logits: &mut [f64; WIDE], answers| {
        let sum = simd.avx512f._mm512_add_pd(pulp::cast(*logits), answers);
        *logits = pulp::cast(sum);
    });
    let places = |leaf: &[u8; WIDE]| f._mm512_cvtepu8_epi64(pulp::cast([u64::from_le_bytes(*leaf), 0]));
    let (logits, _) = logits.as_chunks_mut::<WIDE>();
    let (leaf, _) = leaf.as_chunks::<WIDE>();
    let rows = logits.iter_mut().zip(leaf);
    if answers.len() <= WIDE {
        rows.for_each(|(logits, leaf)| sum(logits, f._mm512_permutexvar_pd(places(leaf), a)));
    } else if answers.len() <= 2 * WIDE {
        rows.for_each(|(logits, leaf)| sum(logits, f._mm512_permutex2var_pd(a, places(leaf), b)));
    } else {
        let half = pulp::cast([2 * WIDE as i64; WIDE]);
        rows.for_each(|(logits, leaf)| {
            let at = places(leaf);
            let (low, high) = (f._mm512_permutex2var_pd(a, at, b), f._mm512_permutex2var_pd(c, at, d));
            sum(logits, f._mm512_mask_blend_pd(f._mm512_cmpge_epi64_mask(at, half), low, high));
        });
    }
    WIDE * logits.len()
}

impl Places {
    fn collect(&mut self, tree: &Tree) {
        for node in &tree.nodes {
            match *node {
                Node::Leaf { .. } => {}
                Node::Split { feature, threshold, missing_left, .. } => {
                    self.ranks.entry((feature, missing_left)).or_default().1.push(threshold);
                }
                Node::Categories { feature, set, .. } => {
                    let codes = tree.sets[set as usize].len() as u32 * 32;
                    let last = (0..codes).rev().find(|&code| contains(&tree.sets[set as usize], code));
                    let (_, known) = self.codes.entry(feature).or_default();
                    *known = (*known).max(last.unwrap_or(0));
                }
            }
        }
    }
}

/// The leaves below each node, from the first to before the last; `None` where nodes share a child, or one has no parent.
fn spans(tree: &Tree) -> Option<Vec<(usize, usize)>> {
    let children = |node: &Node| match *node {
        Node::Leaf { .. } => None,
        Node::Split { left, right, .. } | Node::Categories { left, right, .. } => {
            Some([left as usize, right as usize])
        }
    };
    let (mut parents, mut many) = (vec![0; tree.nodes.len()], vec![1usize; tree.nodes.len()]);
    parents[0] = 1;
    // Children come after their parents.
    for (at, node) in tree.nodes.iter().enumerate().rev() {
        let Some([left, right]) = children(node) else { continue };
        (parents[left], parents[right]) = (parents[left] + 1, parents[right] + 1);
        many[at] = many[left].saturating_add(many[right]);
    }
    if parents.iter().any(|&parents| parents != 1) {
        return None;
    }
    let mut spans = vec![(0, many[0]); tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate() {
        let Some([left, right]) = children(node) else { continue };
        let (from, to) = spans[at];
        (spans[left], spans[right]) = ((from, from + many[left]), (from + many[left], to));
    }
    Some(spans)
}

/// The bits of those leaves that are among the eight from `first` on.
fn bits((from, to): (usize, usize), first: usize) -> u8 {
    (0..WORD).filter(|bit| (from..to).contains(&(first + bit))).fold(0, |bits, bit| bits | 1 << bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreesModel;
    use crate::code_set::code_set;
    use onesided_data::{Matrix, Stream};

    /// A random tree of so many leaves on three features of numbers and two of categories.
    fn tree(leaves: usize, levels: u32, stream: &mut Stream) -> Tree {
        let mut tree = Tree::default();
        let mut open = vec![0usize];
        tree.nodes.push(Node::Leaf { value: stream.normal() as f32 });
        while open.len() < leaves {
            let at = open.swap_remove(stream.below(open.len()));
            let (left, right) = (tree.nodes.len() as u32, tree.nodes.len() as u32 + 1);
            let missing_left = stream.below(2) == 0;
            tree.nodes[at] = if stream.below(3) > 0 {
                let (feature, threshold) = (stream.below(3) as u32, (stream.normal() * 50.0).round() / 50.0);
                Node::Split { feature, threshold: threshold as f32, missing_left, left, right }
            } else {
                let codes: Vec<u32> = (0..levels).filter(|_| stream.below(2) == 0).collect();
                let (feature, set) = (3 + stream.below(2) as u32, tree.push_set(code_set(codes.into_iter())));
                Node::Categories { feature, set, missing_left, left, right }
            };
            let mut leaf = || Node::Leaf { value: stream.normal() as f32 };
            tree.nodes.extend([leaf(), leaf()]);
            open.extend([left as usize, right as usize]);
        }
        tree
    }

    fn rows(many: usize, levels: u32, stream: &mut Stream) -> Matrix {
        let cell = |column: usize, stream: &mut Stream| match (stream.below(9), column < 3) {
            (0, _) => f32::NAN,
            (1, true) => [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY][stream.below(4)],
            // Codes that no tree knows, and what is no code.
            (1, false) => [-1.0, 1e9, 0.5, 400.0][stream.below(4)],
            (_, true) => ((stream.normal() * 50.0).round() / 50.0) as f32,
            (_, false) => stream.below(levels as usize + 2) as f32,
        };
        let cells = (0..many * 5).map(|at| cell(at % 5, stream)).collect();
        Matrix::new(many, 5, cells).unwrap()
    }

    #[test]
    fn masks_say_to_the_bit_what_walks_say() {
        let mut stream = Stream::new(1, "compiled");
        // Few levels, many levels, more than a byte tells apart; small trees, large ones, and such as are walked.
        for levels in [3, 40, 300] {
            for leaves in [1, 2, 6, 8, 9, 16, 31, 32, 33, 120, 256, 257, 300, 1_025] {
                // So many thresholds that a feature has several columns.
                let many = if leaves == 120 { 40 } else { 3 };
                let trees: Vec<Tree> = (0..many).map(|_| tree(leaves, levels, &mut stream)).collect();
                let matrix = rows(300, levels, &mut stream);
                let model = TreesModel::from_parts(5, 0.25, trees).unwrap();
                let walks: Vec<FlatTree> = model.trees().iter().map(FlatTree::new).collect();
                let walked = |row: usize| {
                    let values = model.trees().iter().zip(&walks);
                    values.fold(0.25, |sum, (tree, flat)| {
                        sum + f64::from(flat.value(&tree.sets, matrix.row(row)))
                    })
                };
                let said = model.logits(&matrix).unwrap();
                assert_eq!(
                    said,
                    (0..300).map(walked).collect::<Vec<f64>>(),
                    "{leaves} leaves, {levels} levels"
                );
                // One row, a few, a block and what is left of one are scored by other loops.
                for some in [1, 16, 17, 100, 256] {
                    let matrix = matrix.select(&(0..some).collect::<Vec<usize>>());
                    assert_eq!(model.logits(&matrix).unwrap(), said[..some]);
                }
                let by_masks = |(tree, form): (&Tree, &Form)| {
                    let few = leaves <= MOST_LEAVES && (levels < 250 || tree.sets.is_empty());
                    matches!(form, Form::Masks { .. }) == few
                };
                let forms = Compiled::new(model.trees()).trees;
                assert!(model.trees().iter().zip(&forms).all(by_masks), "{leaves} leaves, {levels} levels");
            }
        }
    }

    #[test]
    fn nodes_that_share_a_child_are_walked() {
        let split = |left, right| Node::Split { feature: 0, threshold: 0.0, missing_left: true, left, right };
        let leaf = |value| Node::Leaf { value };
        let nodes = vec![split(1, 2), split(2, 3), leaf(1.0), leaf(2.0)];
        let model = TreesModel::from_parts(1, 0.0, vec![Tree { nodes, ..Tree::default() }]).unwrap();
        let matrix = Matrix::new(2, 1, vec![-1.0, 1.0]).unwrap();
        assert_eq!(model.logits(&matrix).unwrap(), [1.0, 1.0]);
    }
}
