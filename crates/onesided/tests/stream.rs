//! Tables scored piece by piece: the same scores, to the bit, as those of the whole.

use onesided::{ClassPrior, Cutting, Input, InputOptions, Learner, ModelChoice, ReadAgain};
use std::path::PathBuf;

fn written(name: &str, rows: usize) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("onesided-model-stream.{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut text = "a,b,c,color,y\n".to_string();
    for i in 0..rows {
        let noise = |k: usize| ((i * 7919 + k * 104_729) % 997) as f64 / 997.0;
        let center = if i % 3 == 0 { 1.0 } else { -1.0 };
        let b = if i % 13 == 5 { String::new() } else { format!("{:.4}", noise(2)) };
        let color = ["red", "blue", "green"][i * i % 3];
        text.push_str(&format!(
            "{:.4},{b},{:.3},{color},{}\n",
            center + noise(1),
            noise(3),
            u8::from(i % 6 == 0)
        ));
    }
    std::fs::write(folder.join(name), text).unwrap();
    folder.join(name)
}

#[test]
fn pieces_have_the_scores_of_the_whole() {
    let (train, new) = (written("train.csv", 240), written("new.csv", 2_103));
    let options = InputOptions::labeled("y");
    let data = options.read(&Input::one(&train)).unwrap();
    let learner = || Learner::new().prior(ClassPrior::new(0.3333).unwrap()).seed(1).threads(2);
    let network = |name: &str| learner().model(name.parse::<ModelChoice>().unwrap()).epochs(2);
    let models = [
        ("linear", network("linear")),
        ("mlp", network("mlp")),
        ("trees", learner().model("trees".parse::<ModelChoice>().unwrap())),
        ("weighted-lr", learner().method("weighted-lr")),
        ("biased-svm", learner().method("biased-svm")),
    ];
    for (name, learner) in models {
        let model = learner.fit(&data).unwrap();
        let whole = model.score(&model.read(&new).unwrap()).unwrap();
        // Networks take 1,024 rows at a time, and pieces of other sizes have other last digits.
        let network = ["linear", "mlp"].contains(&name);
        let sizes: &[usize] = if network { &[1024, 2048, 4096] } else { &[7, 64, 1000, 1024, 4096] };
        for &rows in sizes {
            let (mut scores, mut firsts) = (Vec::new(), Vec::new());
            let cut = Cutting { rows: Some(rows), threads: 2, range: None };
            let streamed = model.stream(&Input::one(&new), &ReadAgain::default(), cut, &mut |piece| {
                firsts.push(piece.number(0));
                scores.extend(piece.scores);
                Ok(())
            });
            assert_eq!(streamed.unwrap().rows, 2_103);
            assert!(scores.iter().zip(&whole).all(|(a, b)| a.to_bits() == b.to_bits()), "{name} in {rows}");
            assert_eq!((scores.len(), firsts.len()), (2_103, 2_103usize.div_ceil(rows)));
            assert!(firsts.iter().enumerate().all(|(at, &first)| first == at * rows));
        }
        // Whole tables that a model was fitted on are recognized in pieces, too.
        for (path, same) in [(&train, true), (&new, false)] {
            let mut recognizer = model.recognizer().unwrap();
            let cut = Cutting { rows: Some(17), threads: 1, range: None };
            let added = model.stream(&Input::one(path), &ReadAgain::default(), cut, &mut |piece| {
                recognizer.add(&piece.data);
                Ok(())
            });
            added.unwrap();
            assert_eq!(recognizer.is_same(), same, "{name}");
            assert_eq!(model.was_fitted_on(&model.read(path).unwrap()).unwrap(), Some(same), "{name}");
        }
    }
}
