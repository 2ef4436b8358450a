//! `onesided elicit`: what it prints, draws and refuses.

use crate::folder::Folder;
use serde_json::Value;
use std::sync::atomic::{AtomicU32, Ordering};

/// Runs `elicit` with a reward that may hold blanks.
fn elicit(folder: &Folder, reward: &str, more: &str) -> crate::folder::Said {
    crate::folder::Said::of(
        folder.command(&format!("elicit {more}")).args(["--reward", reward]).output().unwrap(),
    )
}

/// The one sentence of a refusal: exit 2, nothing printed, nothing made.
fn refused(reward: &str, more: &str) -> String {
    // Tests run side by side, each refusal in its own folder.
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let folder = Folder::new(&format!("elicit-refused-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
    let said = elicit(&folder, reward, &format!("{more} --plot p.svg"));
    assert_eq!((said.code, said.stdout.as_str(), folder.files().len()), (2, "", 0), "{said:?}");
    assert_eq!(said.stderr.lines().count(), 1, "{said:?}");
    said.stderr
}

fn close(value: &Value, expected: f64, tolerance: f64) {
    let found = value.as_f64().unwrap_or(f64::NAN);
    assert!((found - expected).abs() < tolerance, "{found} against {expected}");
}

#[test]
fn the_logarithm_and_the_printed_theorem() {
    let found = Folder::new("elicit-log").json("elicit --mu 0.25");
    assert_eq!((&found["reward"], &found["checks"]["convex"]), (&"log".into(), &true.into()));
    let rectified = &found["rectified"];
    // The ranges end at μ/(1+μ) and 1/(1+μ).
    let ranges = rectified["ranges"].as_array().unwrap();
    let places: Vec<&str> = ranges.iter().map(|range| range["maximizer"].as_str().unwrap()).collect();
    assert_eq!(places, ["mu", "inner", "one"]);
    close(&ranges[0]["to"], 0.2, 1e-5);
    close(&ranges[2]["from"], 0.8, 1e-5);
    // At η = 1/2, q* = η(1+μ) and the reward is ln(1+μ) - ln 2.
    let middle = &rectified["maxima"][3];
    close(&middle["q"], 0.625, 1e-12);
    close(&middle["reward"], 1.25f64.ln() - 2f64.ln(), 1e-12);
    close(&rectified["printed_theorem"]["jump_at_prior"], 0.0074, 5e-5);
    close(&rectified["printed_theorem"]["excess_at_one"], 1.25f64.ln(), 1e-12);
    // Only the prior-weighted reduction is calibrated.
    let line = found["line_example"].as_array().unwrap();
    let calibrated: Vec<bool> = line.iter().map(|outcome| outcome["calibrated"].as_bool().unwrap()).collect();
    assert_eq!(calibrated, [false, false, true]);
    close(&line[2]["logistic"]["slope"], 2.0, 1e-3);
    close(&line[2]["logistic"]["intercept"], -(3f64.ln()), 1e-3);
}

#[test]
fn a_formula_agrees_with_the_built_in() {
    let folder = Folder::new("elicit-formula");
    let said = elicit(&folder, "-x*(1-x)", "--mu 0.3 --json");
    assert_eq!(said.code, 0, "{said:?}");
    let formula: Value = serde_json::from_str(&said.stdout).unwrap();
    let built_in = folder.json("elicit --reward square --mu 0.3");
    for i in 0..7 {
        for key in ["J", "I1", "I0"] {
            close(&formula["values"][i][key], built_in["values"][i][key].as_f64().unwrap(), 1e-12);
        }
        let q = &built_in["rectified"]["maxima"][i]["q"];
        close(&formula["rectified"]["maxima"][i]["q"], q.as_f64().unwrap(), 1e-4);
    }
}

#[test]
fn the_text_and_the_picture() {
    let folder = Folder::new("elicit-text");
    let said = folder.run("elicit --plot p.svg");
    assert_eq!(said.code, 0, "{said:?}");
    for part in
        ["ln(1 + e^−v)", "convex, symmetric, strictly proper", "jumps by +0.0074", "too high", "wrote p.svg"]
    {
        assert!(said.stdout.contains(part), "{part}: {}", said.stdout);
    }
    assert!(said.stdout.lines().all(|line| line.chars().count() <= 120), "{}", said.stdout);
    let svg = std::fs::read_to_string(folder.path("p.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("jump +0.0074") && !svg.contains("NaN"));
    // The same command draws the same bytes.
    assert_eq!(folder.run("elicit --plot q.svg").code, 0);
    assert_eq!(folder.run("elicit --plot q.png").code, 0);
    assert!(std::fs::read(folder.path("q.png")).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(svg, std::fs::read_to_string(folder.path("q.svg")).unwrap());
    for reward in ["square", "exponential", "savage", "tangent"] {
        let said = folder.run(&format!("elicit --reward {reward} --mu 0.4 --plot {reward}.svg"));
        assert_eq!(said.code, 0, "{said:?}");
    }
}

#[test]
fn the_page_on_the_theory_shows_what_the_command_prints() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/theory.md");
    let Ok(page) = std::fs::read_to_string(page) else {
        return eprintln!("SKIPPED: the page is in the repository alone");
    };
    let text = Folder::new("elicit-page").run("elicit").stdout;
    let example: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("reduction")).collect();
    assert_eq!(example.len(), 4, "{text}");
    assert!(page.contains(&example.join("\n")), "docs/theory.md is out of date:\n{}", example.join("\n"));
}

#[test]
fn rewards_that_are_none() {
    assert!(refused("logg", "").contains("unknown reward 'logg' (did you mean 'log'?); use log, square"));
    assert!(refused("x*(", "").contains("the reward formula 'x*(' cannot be used"));
    assert!(refused("x+y", "").contains("'x+y' cannot be used"));
    let concave = refused("x*(1-x)", "");
    assert!(
        concave.contains("not convex: halfway between 0 and 1 it is 0.250000, above the chord's 0.000000"),
        "{concave}"
    );
    assert!(refused("x^2", "").contains("not symmetric: J(0) is 0.000000 but J(1) is 1.000000"));
    assert!(refused("", "").contains("reward"));
}

#[test]
fn priors_outside_zero_and_one() {
    for mu in ["0", "1.2", "-0.1", "nan"] {
        let message = refused("log", &format!("--mu {mu}"));
        assert!(message.contains("strictly between 0 and 1"), "{message}");
    }
}

#[test]
fn pictures_that_cannot_be_written() {
    let folder = Folder::new("elicit-plot");
    let missing = folder.refused("elicit --plot none/p.svg");
    assert!(missing.contains("cannot write 'none/p.svg': there is no folder 'none'"), "{missing}");
    assert!(folder.refused("elicit --plot p.gif").contains("pictures are SVG or PNG"));
    assert!(folder.refused("elicit --plot .").contains("cannot write '.'"));
}
