use onesided_classic::genpu::GenPu;
use onesided_classic::Task;
use onesided_data::{Label, Matrix, PriorInUnlabeled, Scenario, Stream};
use std::time::Instant;

fn main() {
    let arg = |name: &str, or: f64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(or);
    let seeds = arg("SEEDS", 1.0) as u64;
    let settings = GenPu {
        lambda_p: arg("LP", 1.0), lambda_u: arg("LU", 1.0), lambda_n: arg("LN", 1.0),
        steps: arg("STEPS", 3000.0) as usize, batch: arg("BATCH", 64.0) as usize, rate: arg("RATE", 2e-4),
        smooth: arg("SMOOTH", 0.9), noise: arg("NOISE", 0.1), looks: arg("LOOKS", 8.0) as usize,
        hidden: Some(arg("HIDDEN", 0.0) as usize).filter(|&h| h > 0), verbose: arg("V", 0.0) > 0.0,
        ..GenPu::default()
    };
    let mnist = arg("MNIST", 0.0) > 0.0;
    for seed in 0..seeds {
        let (rows, labels, test, truth, mu) = if mnist { digits(seed) } else { mixture(seed) };
        let start = Instant::now();
        let task = Task { rows: &rows, labels: &labels, prior: Some(PriorInUnlabeled::new(mu).unwrap()), scenario: Scenario::CaseControl, seed };
        let fit = settings.fit_game(&task).unwrap();
        let accuracy = |model: &onesided_classic::ClassicModel| {
            let scores = model.scores(&test).unwrap();
            let right = scores.iter().zip(&truth).filter(|(s, t)| (**s > 0.0) == **t).count();
            right as f64 / truth.len() as f64
        };
        println!("seed {seed} chosen {:.4} in {:.1} s; {}", accuracy(&fit.model), start.elapsed().as_secs_f64(),
            fit.seen.iter().map(|(r, m)| format!("{r:.3}/{:.4}", accuracy(m))).collect::<Vec<_>>().join(" "));
        if mnist {
            let mut pgm = vec![];
            for side in [&fit.positives, &fit.negatives] {
                for block in 0..3 { for y in 0..28 { for i in 0..16 { pgm.extend(side[(block * 16 + i) * 784 + y * 28..][..28].iter().map(|v| (255.0 * v.clamp(0.0, 1.0)) as u8)); } } }
            }
            let mut out = format!("P5 {} {} 255\n", 28 * 16, 28 * 6).into_bytes();
            out.extend(pgm);
            std::fs::write("/tmp/genpu.pgm", out).unwrap();
        } else {
            let dump = |v: &[f32]| v.chunks(2).map(|c| format!("{} {}", c[0], c[1])).collect::<Vec<_>>().join("\n");
            std::fs::write(format!("/tmp/genpu_p{seed}.txt"), dump(&fit.positives)).unwrap();
            std::fs::write(format!("/tmp/genpu_n{seed}.txt"), dump(&fit.negatives)).unwrap();
        }
    }
}

fn mixture(seed: u64) -> (Matrix, Vec<Label>, Matrix, Vec<bool>, f64) {
    let mut s = Stream::new(seed, "mixture");
    let centers = [[(-2.0, 2.0), (2.0, -2.0), (0., 0.)], [(2.0, 2.0), (-2.0, -2.0), (0.0, 0.0)]];
    let mut draw = |positive: bool| {
        let (kind, modes) = if positive { (0, 2) } else { (1, 3) };
        let c: (f64, f64) = centers[kind][s.below(modes)];
        [(c.0 + 0.4 * s.normal()) as f32, (c.1 + 0.4 * s.normal()) as f32]
    };
    let (mut v, mut l) = (vec![], vec![]);
    for _ in 0..100 { v.extend(draw(true)); l.push(Label::Positive); }
    for i in 0..2000 { v.extend(draw(i % 10 < 4)); l.push(Label::Unlabeled); }
    let (mut tv, mut t) = (vec![], vec![]);
    for i in 0..2000 { tv.extend(draw(i % 10 < 4)); t.push(i % 10 < 4); }
    (Matrix::new(l.len(), 2, v).unwrap(), l, Matrix::new(t.len(), 2, tv).unwrap(), t, 0.4)
}

fn digits(seed: u64) -> (Matrix, Vec<Label>, Matrix, Vec<bool>, f64) {
    let set = onesided_data::mnist(std::path::Path::new("/tmp/sets/mnist")).unwrap();
    let pick = |images: &onesided_data::Images| {
        let (mut v, mut t) = (vec![], vec![]);
        for (i, &l) in images.labels.iter().enumerate() {
            if l == 3 || l == 5 { v.extend(images.bytes[i * 784..(i + 1) * 784].iter().map(|&b| f32::from(b) / 255.0)); t.push(l == 3); }
        }
        (Matrix::new(t.len(), 784, v).unwrap(), t)
    };
    let (rows, truth) = pick(&set.train);
    let (test, test_truth) = pick(&set.test);
    let mut order: Vec<usize> = (0..truth.len()).filter(|&i| truth[i]).collect();
    Stream::new(seed, "labels").shuffle(&mut order);
    let mut labels = vec![Label::Unlabeled; truth.len()];
    order[..100].iter().for_each(|&i| labels[i] = Label::Positive);
    let mu = (order.len() - 100) as f64 / (truth.len() - 100) as f64;
    (rows, labels, test, test_truth, mu)
}
