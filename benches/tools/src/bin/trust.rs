//! Do the numbers of `guarantee`, `at_top` and `audit` hold what they say? Simulated sets, results as Markdown.
//!
//! ```text
//! cargo run --release -p onesided-tools --bin trust > benches/trust/results.md
//! cargo run --release -p onesided-tools --bin trust -- asked 10000    # audits with a cut alone, with sets of other numbers
//! ```

use onesided_data::Stream;
use onesided_eval::audit::{Plan, Stratum, estimate};
use onesided_eval::{Interval, Over, RecallTarget, at_top};

const SETS: usize = 2000;

fn main() {
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() == Some("asked") {
        return asked(words.next().and_then(|first| first.parse().ok()).unwrap_or(0));
    }
    println!("# Simulations behind the numbers for reviewers\n");
    println!("Made by `benches/tools/src/bin/trust.rs`; {SETS} simulated sets per line.\n");
    population();
    file();
    top();
    audit();
    asked(0);
}

/// The shapes of the positives' scores: how one is drawn, and the share at or above a cut.
type Shape = (&'static str, fn(&mut Stream) -> f32, fn(f64) -> f64);

const SHAPES: [Shape; 3] = [
    ("normal", |s| s.normal() as f32, |c| 0.5 * erfc(c / std::f64::consts::SQRT_2)),
    // Most positives are found easily, a tenth hide among the negatives.
    (
        "two groups",
        |s| (if s.uniform() < 0.1 { s.normal() - 6.0 } else { s.normal() }) as f32,
        |c| {
            0.9 * 0.5 * erfc(c / std::f64::consts::SQRT_2)
                + 0.1 * 0.5 * erfc((c + 6.0) / std::f64::consts::SQRT_2)
        },
    ),
    // Scores of a small tree: 40 values, many ties.
    ("ties", |s| (40.0 * s.uniform().sqrt()).floor() as f32, |c| 1.0 - (c / 40.0).clamp(0.0, 1.0).powi(2)),
];

/// 1 - erf, by the incomplete gamma's continued fraction and series; 1e-12 is plenty here.
fn erfc(x: f64) -> f64 {
    if x < 0.0 {
        return 2.0 - erfc(-x);
    }
    if x < 2.5 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            let n = f64::from(n);
            term *= -x * x / n;
            sum += term / (2.0 * n + 1.0);
        }
        return 1.0 - 2.0 / std::f64::consts::PI.sqrt() * sum;
    }
    let mut f = 0.0;
    for n in (1..120).rev() {
        f = f64::from(n) / 2.0 / (x + f);
    }
    (-x * x).exp() / std::f64::consts::PI.sqrt() / (x + f)
}

/// The probability that the k-th lowest of m is at most a value below or at which a share lies: at least k successes.
fn at_most(m: usize, k: usize, share: f64) -> f64 {
    let mut term = (1.0 - share).powi(m as i32);
    let mut fewer = 0.0;
    for i in 0..k {
        fewer += term;
        term *= (m - i) as f64 / (i + 1) as f64 * share / (1.0 - share).max(1e-300);
    }
    if share >= 1.0 { 1.0 } else { 1.0 - fewer }
}

fn population() {
    println!("## Recall over the population\n");
    println!(
        "`held` is the share of sets in which the recall is at least the target; the mean recall next to that of the"
    );
    println!(
        "exact law: (m - k + 1) / (m + 1), or with ties the sum over the values that the k-th score can have.\n"
    );
    println!(
        "| scores | m | recall | confidence | k | held | mean recall | exact |\n|---|---|---|---|---|---|---|---|"
    );
    for (name, draw, above) in SHAPES {
        for (m, recall, confidence) in
            [(59, 0.95, 0.95), (100, 0.9, 0.95), (200, 0.95, 0.95), (500, 0.95, 0.9), (1000, 0.8, 0.95)]
        {
            let target = RecallTarget::new(recall, confidence).unwrap();
            let (mut held, mut mean, mut rank) = (0, 0.0, 0);
            for set in 0..SETS as u64 {
                let mut stream = Stream::new(set, name);
                let scores: Vec<f32> = (0..m).map(|_| draw(&mut stream)).collect();
                let cut = target.cut(&scores, Over::Population).unwrap();
                let found = above(f64::from(cut.cut));
                held += usize::from(found >= recall);
                mean += found / SETS as f64;
                rank = cut.rank;
            }
            let exact = match name {
                "ties" => (0..40)
                    .map(f64::from)
                    .map(|v| {
                        above(v) * (at_most(m, rank, 1.0 - above(v + 1.0)) - at_most(m, rank, 1.0 - above(v)))
                    })
                    .sum(),
                _ => (m - rank + 1) as f64 / (m + 1) as f64,
            };
            println!(
                "| {name} | {m} | {recall} | {confidence} | {rank} | {:.4} | {mean:.4} | {exact:.4} |",
                held as f64 / SETS as f64
            );
        }
    }
    println!();
}

fn file() {
    println!("## Recall in one file\n");
    println!(
        "`M` positives are hidden in the file. `any`: the cut promises for every number from 1 to 20,000; `known`: for"
    );
    println!(
        "numbers within a fifth of the true one; `population`: what the other promise's cut comes to in the file.\n"
    );
    println!(
        "| scores | m | recall | M | any: held | mean recall | known: held | mean recall | population: held |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, draw, _) in SHAPES {
        for (m, recall) in [(200usize, 0.9), (400, 0.95)] {
            for hidden in [1usize, 19, 50, 200, 1000] {
                let target = RecallTarget::new(recall, 0.95).unwrap();
                let near = Over::File { least: (hidden * 4 / 5).max(1), most: hidden * 6 / 5 };
                let overs = [Over::File { least: 1, most: 20_000 }, near, Over::Population];
                let (mut held, mut mean) = ([0usize; 3], [0.0; 3]);
                for set in 0..SETS as u64 {
                    let mut stream = Stream::new(set, name);
                    let scores: Vec<f32> = (0..m).map(|_| draw(&mut stream)).collect();
                    let new: Vec<f32> = (0..hidden).map(|_| draw(&mut stream)).collect();
                    for (at, over) in overs.into_iter().enumerate() {
                        let cut = target.cut(&scores, over).unwrap().cut;
                        let share = new.iter().filter(|&&s| s >= cut).count() as f64 / hidden as f64;
                        held[at] += usize::from(share >= recall - 1e-12);
                        mean[at] += share / SETS as f64;
                    }
                }
                let share = |at: usize| held[at] as f64 / SETS as f64;
                println!(
                    "| {name} | {m} | {recall} | {hidden} | {:.4} | {:.4} | {:.4} | {:.4} | {:.4} |",
                    share(0),
                    mean[0],
                    share(1),
                    mean[1],
                    share(2)
                );
            }
        }
    }
    println!();
}

fn covers(interval: Interval, truth: f64) -> usize {
    usize::from(interval.low - 1e-12 <= truth && truth <= interval.high + 1e-12)
}

fn top() {
    println!("## Lift, precision and count at k\n");
    println!(
        "A file of 5,000 rows, positives N(2, 1) and negatives N(0, 1); the share of positives is known. `lift`: coverage of"
    );
    println!(
        "the expected lift by its 95 % interval; `count`: of the number of positives in the first k by its own.\n"
    );
    println!("| m | share | k | lift | count | count without its scatter |\n|---|---|---|---|---|---|");
    for m in [30, 200] {
        for share in [0.01, 0.1, 0.3] {
            for k in [50usize, 500, 1500] {
                let mut held = [0usize; 3];
                for set in 0..SETS as u64 {
                    let mut stream = Stream::new(set, "top");
                    let positive: Vec<f32> = (0..m).map(|_| (2.0 + stream.normal()) as f32).collect();
                    let truth: Vec<bool> = (0..5000).map(|_| stream.uniform() < share).collect();
                    let list: Vec<f32> =
                        truth.iter().map(|&t| (if t { 2.0 } else { 0.0 } + stream.normal()) as f32).collect();
                    let known = Interval { value: share, low: share, high: share };
                    let at = at_top(&positive, &list, k, Some(known)).unwrap();
                    let expected = 0.5 * erfc((f64::from(at.cut) - 2.0) / std::f64::consts::SQRT_2);
                    held[0] += covers(at.lift, expected * 5000.0 / k as f64);
                    let count = list.iter().zip(&truth).filter(|(s, t)| **t && **s >= at.cut).count() as f64;
                    held[1] += covers(at.positives.unwrap(), count);
                    let plain = at.precision.unwrap();
                    held[2] += covers(plain, count / k as f64);
                }
                let share_of = |at: usize| held[at] as f64 / SETS as f64;
                println!(
                    "| {m} | {share} | {k} | {:.3} | {:.3} | {:.3} |",
                    share_of(0),
                    share_of(1),
                    share_of(2)
                );
            }
        }
    }
    println!();
}

/// What an audit of one setting came to.
#[derive(Default)]
struct Tally {
    sets: f64,
    share: usize,
    precision: usize,
    recall: usize,
    cuts: usize,
    width: f64,
    uniform: usize,
    uniform_width: f64,
    expected: f64,
    asked_precision: usize,
    asked_recall: usize,
    asked_width: f64,
}

const ROWS: usize = 20_000;
const ANSWERS: [usize; 3] = [50, 200, 1000];

fn audit() {
    println!("## Audits\n");
    println!(
        "Files of {ROWS} rows. Scores of the good model are calibrated (positives N(2.5, 1), negatives N(0, 1): AUC .96),"
    );
    println!(
        "those of the useless one are noise, those of the inverted one the good one's turned around, and the hiding one is the"
    );
    println!(
        "good one but for a fifth of the positives, which it puts at the bottom of the list. Coverage of 95 %"
    );
    println!(
        "intervals of the share of positives in the file, of precision and of recall at all cuts; mean widths; next to"
    );
    println!(
        "them the same number of answers drawn evenly. `positives` is how many the draw holds on average.\n"
    );
    println!(
        "| share | model | answers | positives | share covered | precision | recall | width | even: covered | even: width | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for share in [0.01, 0.1, 0.5] {
        for model in ["good", "useless", "inverted", "hiding"] {
            for (answers, t) in ANSWERS.into_iter().zip(audits(share, model, None, 0)) {
                let part = |count: usize| count as f64 / t.sets;
                let cut = |count: usize| count as f64 / t.cuts.max(1) as f64;
                println!(
                    "| {share} | {model} | {answers} | {:.1} | {:.3} | {:.3} | {:.3} | {:.4} | {:.3} | {:.4} | {:.2} |",
                    t.expected / t.sets,
                    part(t.share),
                    cut(t.precision),
                    cut(t.recall),
                    t.width / t.sets,
                    part(t.uniform),
                    t.uniform_width / t.sets,
                    t.width / t.uniform_width,
                );
            }
        }
    }
}

/// Audits with `--top K`, whose first K rows get a quarter of the draws and, where they are few, exact intervals.
fn asked(first: u64) {
    println!("\n## Audits with a cut that was asked for\n");
    println!(
        "The same files and models with `--top`: coverage of 95 % intervals of the share of positives in the file, and of"
    );
    println!(
        "precision and recall of the first rows, as many as were asked for; the mean width of that precision.\n"
    );
    println!(
        "| share | model | `--top` | answers | share covered | precision | recall | width of precision |\n|---|---|---|---|---|---|---|---|"
    );
    for share in [0.01, 0.1, 0.5] {
        for model in ["good", "useless", "inverted", "hiding"] {
            for top in [100, 1000] {
                for (answers, t) in ANSWERS.into_iter().zip(audits(share, model, Some(top), first)) {
                    let part = |count: usize| count as f64 / t.sets;
                    println!(
                        "| {share} | {model} | {top} | {answers} | {:.3} | {:.3} | {:.3} | {:.3} |",
                        part(t.share),
                        part(t.asked_precision),
                        part(t.asked_recall),
                        t.asked_width / t.sets,
                    );
                }
            }
        }
    }
}

fn audits(share: f64, model: &str, asked: Option<usize>, first: u64) -> [Tally; 3] {
    let mut tallies: [Tally; 3] = Default::default();
    for set in first..first + SETS as u64 {
        let mut stream = Stream::new(set, "audit simulation");
        let logit = (share / (1.0f64 - share)).ln();
        let mut rows: Vec<(f32, bool)> = (0..ROWS)
            .map(|_| {
                let truth = stream.uniform() < share;
                let hides = model == "hiding" && truth && stream.uniform() < 0.2;
                let x = if hides {
                    -2.5
                } else if truth {
                    2.5
                } else {
                    0.0
                } + stream.normal();
                // ln of the ratio of both densities, and the prior.
                let score = match model {
                    "good" | "hiding" => 2.5 * x - 3.125 + logit,
                    "inverted" => -(2.5 * x - 3.125) + logit,
                    _ => 2.5 * stream.normal() - 1.5 + logit,
                };
                ((1.0 / (1.0 + (-score).exp())) as f32, truth)
            })
            .collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (answers, t) in ANSWERS.into_iter().zip(&mut tallies) {
            t.add(&rows, answers, set, asked);
        }
    }
    tallies
}

impl Tally {
    /// One audit of a ranked list: probabilities and truth.
    fn add(&mut self, rows: &[(f32, bool)], answers: usize, set: u64, asked: Option<usize>) {
        let q: Vec<f32> = rows.iter().map(|row| row.0).collect();
        let predicted = q.iter().filter(|&&q| q >= 0.5).count();
        let plan = Plan::new(&q, &[predicted], asked.as_slice(), answers).unwrap();
        let empty = |rows: usize| Stratum { rows, answered: 0.0, positive: 0.0 };
        let mut strata: Vec<Stratum> = plan.strata.iter().map(|range| empty(range.rows())).collect();
        for drawn in plan.draw(set) {
            strata[drawn.stratum].answered += 1.0;
            strata[drawn.stratum].positive += f64::from(u8::from(rows[drawn.place].1));
        }
        let found = estimate(&strata, 0.95).unwrap();
        let all = rows.iter().filter(|row| row.1).count();
        let truth = all as f64 / ROWS as f64;
        self.sets += 1.0;
        self.share += covers(found.share, truth);
        self.width += found.share.high - found.share.low;
        self.expected += strata.iter().map(|s| s.positive).sum::<f64>();
        for cut in &found.cuts {
            let above = rows[..cut.rows].iter().filter(|row| row.1).count();
            self.cuts += 1;
            let precision = covers(cut.precision, above as f64 / cut.rows as f64);
            let recall = covers(cut.recall, above as f64 / all as f64);
            self.precision += precision;
            self.recall += recall;
            if asked == Some(cut.rows) {
                self.asked_precision += precision;
                self.asked_recall += recall;
                self.asked_width += cut.precision.high - cut.precision.low;
            }
        }
        // The same number of answers, drawn evenly.
        let mut places: Vec<usize> = (0..ROWS).collect();
        Stream::new(set, "even").shuffle(&mut places);
        let positive = places[..answers].iter().filter(|&&place| rows[place].1).count() as f64;
        let even = estimate(&[Stratum { rows: ROWS, answered: answers as f64, positive }], 0.95).unwrap();
        self.uniform += covers(even.share, truth);
        self.uniform_width += even.share.high - even.share.low;
    }
}
