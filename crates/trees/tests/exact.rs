//! Trees small enough to be worked out by hand, and what must hold for every tree.

use onesided_data::{Matrix, Stream};
use onesided_trees::{
    Binned, Boosting, Derivatives, LabeledRows, Node, Tree, TreesConfig, TreesError, TreesModel, fit,
};

/// Two rows per leaf, no penalty, one tree taken whole.
fn by_hand() -> TreesConfig {
    TreesConfig {
        trees: 1,
        learning_rate: 1.0,
        l2: 0.0,
        min_child_rows: 1,
        max_leaves: 2,
        ..TreesConfig::default()
    }
}

fn one_tree(
    values: Vec<f32>,
    positive: &[bool],
    weights: Option<&[f32]>,
    config: &TreesConfig,
) -> (f64, Tree) {
    let matrix = Matrix::new(positive.len(), values.len() / positive.len(), values).unwrap();
    let binned = Binned::new(&matrix).unwrap();
    let sample = LabeledRows { binned: &binned, positive, weights };
    let rows: Vec<u32> = (0..positive.len() as u32).collect();
    let model = fit(&sample, &rows, &[], config).unwrap().model;
    (model.start(), model.trees()[0].clone())
}

fn stump(tree: &Tree) -> (u32, f32, bool, f32, f32) {
    match tree.nodes[..] {
        [
            Node::Split { feature, threshold, missing_left, .. },
            Node::Leaf { value: left },
            Node::Leaf { value: right },
        ] => (feature, threshold, missing_left, left, right),
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_split_and_its_leaves() {
    // Labels 0 0 1 | 1 1 1 by the second feature: the logit starts at ln(4/2), so σ = 2/3. Left G = 3·2/3 - 1 = 1,
    // H = 3·2/9 = 2/3; right G = -1, H = 2/3. Splitting after the second row instead: left G = 4/3, H = 4/9, right
    // G = -4/3, H = 8/9, a gain of ½(4 + 2) = 3 against ½(1.5 + 1.5) = 1.5.
    let values = vec![5.0, 1.0, 5.0, 2.0, 5.0, 3.0, 5.0, 4.0, 5.0, 5.0, 5.0, 6.0];
    let (start, tree) = one_tree(values, &[false, false, true, true, true, true], None, &by_hand());
    assert!((start - 2f64.ln()).abs() < 1e-12);
    let (feature, threshold, _, left, right) = stump(&tree);
    assert_eq!((feature, threshold), (1, 2.5));
    assert!((left + 3.0).abs() < 1e-6 && (right - 1.5).abs() < 1e-6, "{left} {right}");
}

#[test]
fn penalty_rate_and_weights_enter_the_leaves() {
    // One negative of weight 2 against two positives of weight 1: the logit starts at 0, σ = 1/2. Left G = 2·½ = 1 and
    // H = 2·¼ = ½; right G = -1, H = ½. With λ = 1 and rate 0.1 the leaves answer ∓0.1 · 1 / 1.5.
    let config = TreesConfig { l2: 1.0, learning_rate: 0.1, ..by_hand() };
    let (start, tree) = one_tree(vec![0.0, 1.0, 1.0], &[false, true, true], Some(&[2.0, 1.0, 1.0]), &config);
    assert_eq!(start, 0.0);
    let (_, _, _, left, right) = stump(&tree);
    assert!((left + 0.1 / 1.5).abs() < 1e-7 && (right - 0.1 / 1.5).abs() < 1e-7, "{left} {right}");
}

#[test]
fn a_weight_of_two_is_a_row_twice() {
    let mut stream = Stream::new(4, "rows");
    let values: Vec<f32> = (0..60).map(|_| stream.normal() as f32).collect();
    let positive: Vec<bool> = values.iter().map(|&x| f64::from(x) + stream.normal() > 0.0).collect();
    let config = TreesConfig { trees: 5, min_child_rows: 1, min_child_weight: 0.5, ..TreesConfig::default() };
    let matrix = Matrix::new(60, 1, values).unwrap();
    let binned = Binned::new(&matrix).unwrap();
    let rows: Vec<u32> = (0..60).collect();
    let weights: Vec<f32> = (0..60).map(|i| if i < 20 { 2.0 } else { 1.0 }).collect();
    let weighted = LabeledRows { binned: &binned, positive: &positive, weights: Some(&weights) };
    let plain = LabeledRows { weights: None, ..weighted };
    let twice: Vec<u32> = rows.iter().chain(&rows[..20]).copied().collect();
    let a = fit(&weighted, &rows, &[], &config).unwrap().model.logits_of(&binned, &rows).unwrap();
    let b = fit(&plain, &twice, &[], &config).unwrap().model.logits_of(&binned, &rows).unwrap();
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5), "{a:?} {b:?}");
}

#[test]
fn missing_values_go_where_they_do_good() {
    let nan = f32::NAN;
    let labels = [true, true, false, false, true, true];
    let (_, tree) = one_tree(vec![0.0, 0.0, 1.0, 1.0, nan, nan], &labels, None, &by_hand());
    assert!(stump(&tree).2, "with the positives, to the left");
    let (_, tree) = one_tree(vec![1.0, 1.0, 0.0, 0.0, nan, nan], &labels, None, &by_hand());
    assert!(!stump(&tree).2, "with the positives, to the right");
}

/// A table that takes many splits, with missing cells.
fn table(rows: usize, cols: usize) -> (Matrix, Vec<bool>) {
    let mut stream = Stream::new(9, "table");
    let cell = |stream: &mut Stream| match stream.below(20) {
        0 => f32::NAN,
        _ => stream.normal() as f32,
    };
    let values: Vec<f32> = (0..rows * cols).map(|_| cell(&mut stream)).collect();
    let score = |row: &[f32]| f64::from(row[0].max(-1.0) * row[1 % cols].max(-1.0));
    let positive = values.chunks(cols).map(|row| score(row) + stream.normal() > 0.3).collect();
    (Matrix::new(rows, cols, values).unwrap(), positive)
}

#[test]
fn neither_threads_nor_repetition_change_a_bit() {
    // 20,000 rows and 30 features are enough work for several threads.
    let (matrix, positive) = table(20_000, 30);
    let binned = Binned::new(&matrix).unwrap();
    let sample = LabeledRows { binned: &binned, positive: &positive, weights: None };
    let rows: Vec<u32> = (0..20_000).collect();
    let fitted = |threads, seed| {
        let config = TreesConfig {
            trees: 4,
            row_share: 0.7,
            column_share: 0.5,
            threads,
            seed,
            ..TreesConfig::default()
        };
        fit(&sample, &rows, &[], &config).unwrap().model
    };
    assert_eq!(fitted(1, 0), fitted(3, 0));
    assert_ne!(fitted(1, 0), fitted(1, 1), "other rows and features are drawn");
}

#[test]
fn logits_from_bins_are_those_from_values() {
    let (matrix, positive) = table(2_000, 3);
    let binned = Binned::new(&matrix).unwrap();
    let sample = LabeledRows { binned: &binned, positive: &positive, weights: None };
    let (training, held_out): (Vec<u32>, Vec<u32>) = (0..2_000).partition(|row| row % 3 > 0);
    let fitted = fit(&sample, &training, &held_out, &TreesConfig::default()).unwrap();
    let all: Vec<u32> = (0..2_000).collect();
    assert_eq!(fitted.model.logits_of(&binned, &all).unwrap(), fitted.model.logits(&matrix).unwrap());
    // Stopped early, and kept the trees of the lowest loss.
    let (losses, trees) = (&fitted.held_out_loss, fitted.model.trees().len());
    assert!(losses.len() < 201 && losses.len() == trees + 1 + 10, "{} losses, {trees} trees", losses.len());
    assert!(losses.iter().all(|&loss| loss >= losses[trees]));
}

#[test]
fn depth_and_leaves_are_bounded() {
    let (matrix, positive) = table(3_000, 4);
    let binned = Binned::new(&matrix).unwrap();
    let sample = LabeledRows { binned: &binned, positive: &positive, weights: None };
    let rows: Vec<u32> = (0..3_000).collect();
    let config = TreesConfig { trees: 3, max_leaves: 100, max_depth: 3, ..TreesConfig::default() };
    for tree in fit(&sample, &rows, &[], &config).unwrap().model.trees() {
        let leaves = tree.nodes.iter().filter(|node| matches!(node, Node::Leaf { .. })).count();
        assert!(leaves <= 8 && leaves > 4, "{leaves}");
    }
    let config = TreesConfig { trees: 3, max_leaves: 7, ..TreesConfig::default() };
    for tree in fit(&sample, &rows, &[], &config).unwrap().model.trees() {
        assert_eq!(tree.nodes.len(), 13, "seven leaves and six splits");
    }
}

#[test]
fn constant_features_leave_the_log_odds() {
    let (start, tree) = one_tree(vec![7.0; 4], &[true, false, false, false], None, &by_hand());
    assert!((start + 3f64.ln()).abs() < 1e-12);
    assert!(matches!(tree.nodes[..], [Node::Leaf { value }] if value.abs() < 1e-6), "{tree:?}");
}

#[test]
fn what_cannot_be_learned_from_is_refused() {
    let binned = Binned::new(&Matrix::new(2, 1, vec![0.0, 1.0]).unwrap()).unwrap();
    let refusal = |positive: &[bool], weights, rows: &[u32]| {
        fit(&LabeledRows { binned: &binned, positive, weights }, rows, &[], &TreesConfig::default())
            .unwrap_err()
    };
    assert_eq!(refusal(&[true, true], None, &[0, 1]), TreesError::OneClass);
    assert_eq!(refusal(&[true, false], Some(&[1.0, 0.0]), &[0, 1]), TreesError::OneClass);
    assert_eq!(refusal(&[true, false], None, &[]), TreesError::OneClass);
    assert_eq!(refusal(&[true, false], None, &[0, 2]), TreesError::NoSuchRow { row: 2, rows: 2 });
    assert!(refusal(&[true], None, &[0]).to_string().contains("1 labels were given for 2 rows"));
    assert!(refusal(&[true, false], Some(&[1.0, -1.0]), &[0, 1]).to_string().contains("weight 2 is -1"));
}

/// One leaf for all rows, from derivatives given once.
fn boosted(training: &[u32], start: f64, derivatives: &[Derivatives]) -> Result<TreesModel, TreesError> {
    let binned = Binned::new(&Matrix::new(3, 1, vec![0.0, 1.0, 1.0]).unwrap()).unwrap();
    let config = by_hand();
    let boosting = Boosting { binned: &binned, training, start, config: &config };
    let mut fill = |_: &[f64], of_rows: &mut [Derivatives]| of_rows.copy_from_slice(derivatives);
    boosting.run(&mut fill, None, &mut |_| true).map(|boosted| boosted.model)
}

#[test]
fn a_row_counts_at_each_of_its_places() {
    // Row 0 alone goes left: G = 3 - 1, H = 1 + 3. Rows 1 and 2: G = -2, H = 4.
    let places = [(3.0, 1.0), (-1.0, 3.0), (-1.0, 2.0), (-1.0, 2.0)];
    let model = boosted(&[0, 0, 1, 2], 0.25, &places).unwrap();
    let (_, threshold, _, left, right) = stump(&model.trees()[0]);
    assert_eq!((model.start(), threshold, left, right), (0.25, 0.5, -0.5, 0.5));
}

#[test]
fn what_no_step_can_be_taken_from_is_refused() {
    let message = |training: &[u32], start, of_rows: &[Derivatives]| {
        boosted(training, start, of_rows).unwrap_err().to_string()
    };
    assert_eq!(boosted(&[], 0.0, &[]), Err(TreesError::NoRows));
    assert!(message(&[3], 0.0, &[(1.0, 1.0)]).contains("row 3 was asked for"));
    assert!(message(&[0], f64::NAN, &[(1.0, 1.0)]).contains("must be a finite number, but is NaN"));
    for wrong in [(f32::NAN, 1.0), (f32::INFINITY, 1.0), (0.0, -1.0), (0.0, f32::NAN), (0.0, f32::INFINITY)] {
        let text = message(&[0, 1], 0.0, &[(1.0, 1.0), wrong]);
        assert!(text.starts_with("before tree 1, training row 2 has the gradient"), "{text}");
    }
    // A gradient over hardly any curvature is a long step, not an infinite one.
    let model = boosted(&[0, 1], 0.0, &[(f32::MAX, f32::MIN_POSITIVE), (-1.0, 1.0)]).unwrap();
    model.check().unwrap();
}
