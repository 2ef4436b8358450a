//! Numbers of scikit-learn and scipy; the scripts that made them are next to the files in `golden/`.

use onesided_data::PriorInUnlabeled;
use onesided_eval::{Calibration, with_truth};

/// Lines of whitespace-separated words, as the scripts write them.
fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().map(|line| line.split_whitespace().collect())
}

#[test]
fn metrics_with_truth_equal_those_of_scikit_learn() {
    let golden = include_str!("golden/with_truth.txt");
    let rows = || lines(golden).filter(|words| words[0] == "row");
    let probabilities: Vec<f32> = rows().map(|words| words[1].parse().unwrap()).collect();
    let truth: Vec<bool> = rows().map(|words| words[2] == "1").collect();
    let metrics = with_truth(&probabilities, &truth, 0.4).unwrap().entries();
    let expected: Vec<_> = lines(golden).filter(|words| words[0] != "row").collect();
    assert_eq!(expected.len(), metrics.len());
    for (words, (name, value)) in expected.iter().zip(metrics) {
        let (value, expected) = (value.unwrap(), words[1].parse::<f64>().unwrap());
        assert_eq!(words[0], name);
        assert!((value - expected).abs() < 1e-12, "{name}: {value}, scikit-learn has {expected}");
    }
}

#[test]
fn calibration_equals_the_constrained_solver() {
    let golden = include_str!("golden/calibration.txt");
    let scores = |sample: &str| -> Vec<f32> {
        lines(golden).filter(|words| words[0] == sample).map(|words| words[1].parse().unwrap()).collect()
    };
    let (positive, unlabeled) = (scores("positive"), scores("unlabeled"));
    assert_eq!((positive.len(), unlabeled.len()), (120, 300));
    let fits: Vec<_> = lines(golden).filter(|words| words[0] == "fit").collect();
    assert_eq!(fits.len(), 3);
    for words in fits {
        let [mu, slope, offset] = [1, 2, 3].map(|k| words[k].parse::<f64>().unwrap());
        let fitted = Calibration::fit(&positive, &unlabeled, PriorInUnlabeled::new(mu).unwrap()).unwrap();
        // The flat bottom of the cost leaves the solver about 1e-5 of play.
        assert!((fitted.slope / slope - 1.0).abs() < 1e-4, "{fitted:?}, scipy has slope {slope} at {mu}");
        assert!((fitted.offset - offset).abs() < 1e-4, "{fitted:?}, scipy has offset {offset} at {mu}");
    }
}
