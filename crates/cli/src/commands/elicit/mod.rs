//! `onesided elicit`: from a reward to its loss, what holds of it, and what training with it would learn.

mod findings;
mod picture;
mod text;

use crate::args::Elicit;
use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::output_path;
use findings::Findings;
use onesided::data::write_atomically;
use onesided::loss::elicit::{Rectified, Reward};

/// Derives, checks, maximizes and predicts; draws on request. A reward that elicits no loss is refused with its witness.
pub fn run(flags: &Elicit, as_json: bool) -> Result<(), Failure> {
    if let Some(out) = &flags.plot {
        output_path::check_picture(out, &[])?;
    }
    // On one line, whatever it was typed as: it is part of sentences and of the picture's title.
    let reward: String = flags.reward.split_whitespace().collect::<Vec<_>>().join(" ");
    let rectified = Rectified::new(Reward::named_or_formula(&reward)?, flags.mu)?;
    let findings = Findings::of(&rectified)?;
    if let Some(out) = &flags.plot {
        let chart = picture::of(&rectified, &findings);
        write_atomically(out, |file| {
            if output_path::has_extension(out, "png") {
                file.write_all(&chart.to_png()?)
            } else {
                file.write_all(chart.to_svg().as_bytes())
            }
        })?;
    }
    if as_json {
        return print_json(&findings.json(flags.plot.as_deref()));
    }
    let mut text = text::of(&findings);
    if let Some(out) = &flags.plot {
        text.push_str(&format!("\nwrote {}\n", out.display()));
    }
    print(&text)
}
