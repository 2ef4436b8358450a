//! Isotonic regression by pooling adjacent violators (Ayer, Brunk, Ewing, Reid and Silverman 1955).

/// The non-decreasing sequence nearest to `values` in weighted least squares. A weight of 0 takes its neighbors' value.
pub(crate) fn increasing(values: &[f64], weights: &[f64]) -> Vec<f64> {
    // Blocks of (mean, weight, length), their means strictly rising.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::with_capacity(values.len());
    for (&value, &weight) in values.iter().zip(weights) {
        let mut block = (value, weight, 1);
        while let Some(&(mean, mass, length)) = blocks.last() {
            if mean < block.0 && mass > 0.0 && block.1 > 0.0 {
                break;
            }
            blocks.pop();
            let total = mass + block.1;
            let pooled =
                if total > 0.0 { (mean * mass + block.0 * block.1) / total } else { mean.max(block.0) };
            block = (pooled, total, length + block.2);
        }
        blocks.push(block);
    }
    blocks.iter().flat_map(|&(mean, _, length)| std::iter::repeat_n(mean, length)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violators_are_pooled() {
        assert_eq!(increasing(&[1.0, 3.0, 2.0, 4.0], &[1.0; 4]), [1.0, 2.5, 2.5, 4.0]);
        assert_eq!(increasing(&[3.0, 2.0, 1.0], &[1.0, 1.0, 2.0]), [1.75; 3]);
        assert_eq!(increasing(&[1.0, 9.0, 2.0], &[1.0, 0.0, 1.0]), [1.0, 1.0, 2.0]);
        assert!(increasing(&[], &[]).is_empty());
    }
}
