//! `auto`, the default: many members, one model, and the plain alternatives to compare it with.

use onesided::data::Stream;
use onesided::eval::auc;
use onesided::{At, Input, InputOptions, Learner, Model, PriorInUnlabeled, Signal};

/// A table as people have it: numbers, one of them often missing, and a category; its truth; and its text. Positives are
/// labeled with probability .4.
fn table(seed: u64, rows: usize) -> (String, Vec<bool>) {
    let mut stream = Stream::new(seed, "auto");
    let mut text = String::from("label,x,z,color\n");
    let mut truth = Vec::new();
    for _ in 0..rows {
        let (x, z, color) = (stream.normal(), stream.normal(), stream.below(5));
        let positive = x * z + [1.5, -1.0, 0.0, 0.5, -1.0][color] + 0.5 * stream.normal() > 0.8;
        let label = u8::from(positive && stream.uniform() < 0.4);
        let z = if stream.below(5) == 0 { String::new() } else { format!("{z:.4}") };
        text.push_str(&format!("{label},{x:.4},{z},{}\n", ["red", "blue", "green", "gray", "pink"][color]));
        truth.push(positive);
    }
    (text, truth)
}

struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("onesided-auto-{}-{name}.csv", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn learner() -> Learner {
    Learner::new().prior_in_unlabeled(PriorInUnlabeled::new(0.2).unwrap())
}

fn data(path: &Scratch) -> onesided::Dataset {
    let options = InputOptions::labeled("label");
    options.read(&Input::one(&path.0)).unwrap()
}

/// What `auto` tries on a table.
const MEMBERS: usize = 18;

#[test]
fn the_default_blends_members_and_ranks_new_rows() {
    let (text, _) = table(1, 1_500);
    let path = Scratch::new("blend", &text);
    let model = learner().fit(&data(&path)).unwrap();
    let report = &model.about().report;
    assert_eq!((model.about().method.as_str(), report.candidates.len()), ("auto", MEMBERS));
    let weights: Vec<f64> = report.candidates.iter().filter_map(|one| one.weight).collect();
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9 && weights.len() == MEMBERS, "{weights:?}");
    assert!(report.candidates.iter().all(|one| one.auc.is_some_and(|auc| auc > 0.5)));
    let beside: Vec<&str> = report.beside.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(beside, ["auto", "naive", "all negative"]);
    assert_eq!(report.beside[2].accuracy, Some(0.8));
    // New rows, read by the model from a file, missing cells and a color it never saw among them.
    let (text, truth) = table(2, 2_000);
    let new = Scratch::new("new", &text.replace("gray", "black"));
    let scores = model.score(&model.read(&new.0).unwrap()).unwrap();
    let found = auc(&scores, &truth).unwrap();
    assert!(found > 0.85, "{found}");
    // What is saved is what was fitted.
    let again = Model::load_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.score(&again.read(&new.0).unwrap()).unwrap(), scores);
}

#[test]
fn threads_do_not_change_a_byte_and_seeds_do() {
    let (text, _) = table(3, 400);
    let path = Scratch::new("threads", &text);
    let fitted = |threads: usize, seed: u64| {
        let quick = learner().set("effort", "quick").unwrap().threads(threads).seed(seed);
        let model = quick.fit(&data(&path)).unwrap();
        model.score(&data(&path)).unwrap()
    };
    let one = fitted(1, 0);
    assert_eq!(one, fitted(3, 0));
    assert_ne!(one, fitted(1, 1));
}

#[test]
fn one_model_is_one_model() {
    let (text, _) = table(4, 400);
    let path = Scratch::new("single", &text);
    let single = learner().set("effort", "quick").unwrap().set("single", "true").unwrap();
    let model = single.fit(&data(&path)).unwrap();
    let kept = model.about().report.candidates.iter().filter(|one| one.weight == Some(1.0)).count();
    assert_eq!((kept, model.about().model.as_str()), (1, "single"));
}

#[test]
fn whoever_gives_up_gets_nothing_and_whoever_has_seen_enough_a_model() {
    let (text, _) = table(5, 400);
    let path = Scratch::new("stop", &text);
    let data = data(&path);
    let quick = learner().set("effort", "quick").unwrap().threads(1);
    let given_up = quick.fit_with(&data, &mut |_| Signal::Abort);
    assert!(given_up.unwrap_err().to_string().contains("interrupted"));
    let enough = quick.fit_with(&data, &mut |progress| match progress.at {
        At::Member { done, .. } if done > 6 => Signal::Finish,
        _ => Signal::Continue,
    });
    assert!(enough.unwrap().about().report.candidates.len() < 6);
}

#[test]
fn members_look_up_while_they_train() {
    let (text, _) = table(6, 400);
    let path = Scratch::new("look", &text);
    let data = data(&path);
    for threads in [1, 2] {
        let quick = learner().set("effort", "quick").unwrap().threads(threads);
        // Told while no member is done yet, and not again after the answer to stop: nothing else is begun.
        let (mut first, mut last) = (None, 0);
        let stopped = quick.fit_with(&data, &mut |progress| {
            let At::Member { done, .. } = progress.at else { return Signal::Continue };
            first.get_or_insert(done);
            last = done;
            Signal::Abort
        });
        assert!(stopped.is_err());
        assert_eq!((first, last), (Some(0), 0), "{threads} threads");
        // Asked often: many times for each of the members, of which there are at most fifteen on three folds.
        let mut asked = 0;
        quick
            .fit_with(&data, &mut |_| {
                asked += 1;
                Signal::Continue
            })
            .unwrap();
        assert!(asked > 500, "{asked} times with {threads} threads");
    }
}

#[test]
fn systems_look_up_between_candidates() {
    let (text, _) = table(7, 300);
    let path = Scratch::new("systems", &text);
    for method in ["weighted-lr", "biased-svm", "ldce"] {
        let mut asked = 0;
        let stopped = learner().set("method", method).unwrap().fit_with(&data(&path), &mut |_| {
            asked += 1;
            if asked == 3 { Signal::Abort } else { Signal::Continue }
        });
        assert!(stopped.unwrap_err().to_string().contains("interrupted"), "{method}");
        // Candidates under way on other threads may still ask.
        assert!((3..20).contains(&asked), "{method}: {asked}");
    }
}

/// Nine columns that differ much and whose sum hardly does, but by the class: 44 labels, two thirds of the rows positive. Trees
/// and ridges look where rows differ. Least squares finds the sum.
#[test]
fn a_class_in_a_direction_in_which_rows_hardly_differ_is_found() {
    let mut stream = Stream::new(7, "sum");
    let mut rows = |many: usize, most_labels: usize| {
        let mut text = String::from("label,a,b,c,d,e,f,g,h,i\n");
        let (mut truth, mut labels) = (Vec::new(), 0);
        for _ in 0..many {
            let positive = stream.uniform() < 0.65;
            let label = u8::from(positive && labels < most_labels);
            labels += usize::from(label);
            let mut cells: Vec<f64> = (0..8).map(|_| stream.normal()).collect();
            let sum = f64::from(u8::from(positive)) + 0.2 * stream.normal();
            cells.push(sum - cells.iter().sum::<f64>());
            let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:.4}")).collect();
            text.push_str(&format!("{label},{}\n", cells.join(",")));
            truth.push(positive);
        }
        (text, truth)
    };
    let (text, _) = rows(700, 44);
    let training = Scratch::new("sum", &text);
    let mu = PriorInUnlabeled::new(0.63).unwrap();
    let model = Learner::new().prior_in_unlabeled(mu).fit(&data(&training)).unwrap();
    let chosen = model.about().report.candidates.iter().find(|one| one.chosen).unwrap();
    assert_eq!(chosen.name, "linear, least squares");
    let (text, truth) = rows(1_000, 44);
    let new = Scratch::new("sum-new", &text);
    let scores = model.score(&model.read(&new.0).unwrap()).unwrap();
    let found = auc(&scores, &truth).unwrap();
    assert!(found > 0.8, "{found}");
    let again = Model::load_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.score(&again.read(&new.0).unwrap()).unwrap(), scores);
}

/// What a month's share of positives is told by: of unlabeled rows both what single folds said and what their mean says, of positives what folds said
/// that had not met them.
#[test]
fn a_blend_keeps_how_it_scores_rows_that_it_has_met() {
    let (text, _) = table(5, 900);
    let path = Scratch::new("met", &text);
    let model = learner().set("effort", "quick").unwrap().fit(&data(&path)).unwrap();
    let scores = model.about().scores.as_ref().unwrap();
    let [positive, other] = scores.met.as_ref().unwrap();
    assert_eq!(positive, &scores.positive);
    assert!(other.mean < scores.other.mean, "{} and {}", other.mean, scores.other.mean);
}
