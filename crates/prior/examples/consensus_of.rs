//! The consensus of the estimators that look at scores, for samples of scores in a file.
//!
//! `cargo run --release -p onesided-prior --example consensus_of -- SCORES OUT.csv [FROM STEP]`: SCORES holds 32-bit floats,
//! for each task n_p, n_u, the scores of P and those of U.

use onesided_prior::{Evidence, Needs, answer, consensus, estimators};
use std::fmt::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [scores, out, rest @ ..] = &given[..] else { return Err("SCORES OUT.csv [FROM STEP]".into()) };
    let number = |at: usize, or: usize| rest.get(at).map_or(Ok(or), |text| text.parse());
    let (from, step) = (number(0, 0)?, number(1, 1)?);
    let bytes = std::fs::read(scores)?;
    let floats: Vec<f64> =
        bytes.chunks_exact(4).map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))).collect();
    let mut text = String::from("task,consensus,low,high,mu,from,to,one_sided,bound\n");
    let (mut at, mut task) = (0, 0);
    while at + 2 <= floats.len() {
        let (n_p, n_u) = (floats[at] as usize, floats[at + 1] as usize);
        let (p, u) = floats[at + 2..at + 2 + n_p + n_u].split_at(n_p);
        if task % step == from {
            let evidence = Evidence::of_scores(p, u);
            let estimates: Vec<_> = estimators()
                .iter()
                .filter(|one| one.info().needs == Needs::Scores)
                .filter_map(|one| one.estimate(&evidence).ok())
                .collect();
            let said = consensus(&estimates, &evidence)?;
            let found = answer(&said, &evidence)?;
            writeln!(
                text,
                "{task},{:.6},{:.6},{:.6},{:.6},{:.6},{:.6},{},{:.6}",
                said.mu,
                said.interval.0,
                said.interval.1,
                found.mu,
                found.interval.0,
                found.interval.1,
                u8::from(found.one_sided),
                found.bound
            )?;
        }
        at += 2 + n_p + n_u;
        task += 1;
    }
    std::fs::write(out, text)?;
    Ok(())
}
