//! Losses and gradients of GenPU's players, against PyTorch; the script that made them is next to the file in `golden/`.

use onesided_classic::genpu::dense::{DenseNet, Pass};
use onesided_classic::genpu::players::{Judge, Shown, discriminator, generator};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Single precision here, double there.
const CLOSE: f64 = 2e-6;

#[derive(Deserialize)]
struct Golden {
    mu: f64,
    smooth: f64,
    lambda: BTreeMap<String, f64>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    nets: BTreeMap<String, DenseNet>,
    positive: Vec<f32>,
    unlabeled: Vec<f32>,
    latent_p: Vec<f32>,
    latent_n: Vec<f32>,
    made_p: Vec<f32>,
    losses: BTreeMap<String, f64>,
    gradients: BTreeMap<String, Vec<f64>>,
}

impl Case {
    fn assert_same(&self, name: &str, loss: f64, gradient: &[f32]) {
        assert!((loss - self.losses[name]).abs() < CLOSE, "{name}: {loss}, not {}", self.losses[name]);
        let theirs = &self.gradients[name];
        assert_eq!(gradient.len(), theirs.len(), "{name}");
        let far = gradient.iter().zip(theirs).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
        assert!(far < CLOSE, "{name}: a gradient is {far:e} off");
    }
}

#[test]
fn players_pay_and_learn_what_pytorch_says() {
    let golden: Golden = serde_json::from_str(include_str!("golden/genpu.json")).unwrap();
    let (mu, lambda) = (golden.mu, &golden.lambda);
    assert_eq!(golden.cases.len(), 2);
    for case in &golden.cases {
        let [g_p, g_n, d_p, d_u, d_n] = ["g_p", "g_n", "d_p", "d_u", "d_n"].map(|name| &case.nets[name]);
        let (mut made_p, mut made_n) = (Pass::default(), Pass::default());
        g_p.forward(&case.latent_p, &mut made_p);
        g_n.forward(&case.latent_n, &mut made_n);
        assert!(made_p.output().iter().zip(&case.made_p).all(|(a, b)| (a - b).abs() < 2e-6));
        let real = |rows| Shown { rows, target: golden.smooth, weight: 1.0 };
        let made = |rows, weight| Shown { rows, target: 0.0, weight };
        let (p, n) = (made_p.output(), made_n.output());
        let shown = [
            ("d_p", d_p, vec![real(&case.positive), made(p, 1.0)]),
            ("d_u", d_u, vec![real(&case.unlabeled), made(p, mu), made(n, 1.0 - mu)]),
            ("d_n", d_n, vec![real(&case.positive), made(n, 1.0)]),
        ];
        let mut pass = Pass::default();
        for (name, net, shown) in shown {
            let mut gradient = vec![0.0; net.parameters().len()];
            let loss = discriminator(net, &shown, &mut pass, &mut gradient);
            case.assert_same(name, loss, &gradient);
        }
        let judge = |net, weight: &str, sign| Judge { net, weight: lambda[weight], sign };
        let judged = [
            ("g_p", g_p, &made_p, [judge(d_p, "p", 1.0), judge(d_u, "u", 1.0)]),
            ("g_n", g_n, &made_n, [judge(d_u, "u", 1.0), judge(d_n, "n", -1.0)]),
        ];
        for (name, net, made, judges) in judged {
            let mut gradient = vec![0.0; net.parameters().len()];
            let loss = generator(net, made, made.output(), &judges, &mut pass, &mut gradient);
            case.assert_same(name, loss, &gradient);
        }
    }
}

#[derive(Deserialize)]
struct Run {
    method: String,
    accuracy: f64,
}

/// The table of docs/classic-results.md says what the committed runs say.
#[test]
fn the_page_and_the_runs_agree() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let Ok(page) = std::fs::read_to_string(format!("{root}/docs/classic-results.md")) else {
        return eprintln!("SKIPPED: the page is in the repository alone");
    };
    let runs = std::fs::read_to_string(format!("{root}/benches/classic/results/genpu_mnist.jsonl")).unwrap();
    let runs: Vec<Run> = runs.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for method in ["genpu", "nnpu", "nnpu-ranked"] {
        let of: Vec<f64> = runs.iter().filter(|run| run.method == method).map(|run| run.accuracy).collect();
        assert!(of.len() >= 5, "{method}: {} runs", of.len());
        let mean = of.iter().sum::<f64>() / of.len() as f64;
        let spread = of.iter().map(|a| (a - mean).powi(2)).sum::<f64>() / (of.len() - 1) as f64;
        let each: Vec<String> = of.iter().map(|accuracy| format!("{accuracy:.2}")).collect();
        let row = format!("| `{method}` | {} | {mean:.2} ± {:.2} |", each.join(" | "), spread.sqrt());
        assert!(page.contains(&row), "the page lacks: {row}");
    }
}
