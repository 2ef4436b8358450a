//! The command line as one definition: flags from `args`, and examples for help, manual pages and completions.

use crate::args::Arguments;
use clap::builder::Styles;
use clap::{Command, CommandFactory};

/// Commands for people who study the methods, listed apart from those that learn from their own data.
const RESEARCH: [&str; 5] = ["elicit", "bound", "data", "experiment", "bench"];

/// The flags that most people need, by their long names: `-h` shows these, `--help` all.
const MOST_NEEDED: [(&str, &[&str]); 3] = [
    (
        "fit",
        &[
            "positives",
            "unlabeled",
            "out",
            "report",
            "label",
            "positive",
            "drop",
            "prior",
            "effort",
            "reserve",
        ],
    ),
    ("predict", &["out", "id", "keep", "explain", "label", "all", "recall", "top", "strict"]),
    (
        "negatives",
        &["fdr", "out", "labeling-odds", "splits", "id", "keep", "label", "group", "reserve", "effort"],
    ),
];

/// Two or three examples per command, as they are typed.
const EXAMPLES: [(&str, &[&str]); 17] = [
    ("demo", &["onesided demo", "onesided demo --compare --seeds 1 --json"]),
    (
        "fit",
        &[
            "onesided fit train.csv --label y --out model.safetensors",
            "onesided fit train.csv -l bought --positive yes --drop customer --prior 0.3 -o model.safetensors",
            "onesided fit --positives good/ --unlabeled rest/ --out model.safetensors",
        ],
    ),
    (
        "predict",
        &[
            "onesided predict model.safetensors new.csv --id customer --out ranked.csv",
            "onesided predict model.safetensors new.csv --top 100 --explain",
        ],
    ),
    (
        "evaluate",
        &[
            "onesided evaluate model.safetensors new.csv --label y",
            "onesided evaluate model.safetensors new.csv --truth truth",
        ],
    ),
    (
        "watch",
        &[
            "onesided watch model.safetensors october.csv --history watch.jsonl --strict",
            "onesided watch model.safetensors --history watch.jsonl --out months.svg",
        ],
    ),
    (
        "importance",
        &[
            "onesided importance model.safetensors new.csv --label y",
            "onesided importance model.safetensors new.csv --truth truth --json",
        ],
    ),
    (
        "report",
        &[
            "onesided report model.safetensors train.csv --out page.html",
            "onesided report model.safetensors new.csv --id customer --no-rows --out page.html",
        ],
    ),
    ("export", &["onesided export model.safetensors --format onnx --out model.onnx"]),
    (
        "audit",
        &[
            "onesided audit draw model.safetensors train.csv --label y --rows 200 --out ask.csv",
            "onesided audit read model.safetensors ask.csv",
        ],
    ),
    (
        "negatives",
        &[
            "onesided negatives model.safetensors new.csv --fdr 0.05 --id customer --out close.csv",
            "onesided negatives train.csv --label y --fdr 0.05 --out close.csv",
        ],
    ),
    (
        "prior",
        &["onesided prior train.csv --label y", "onesided prior train.csv --label y --estimator bbe,km2"],
    ),
    ("methods", &["onesided methods", "onesided methods collective"]),
    ("bench", &["onesided bench", "onesided bench --device cpu --only vgg16/512"]),
    (
        "elicit",
        &["onesided elicit --reward square --mu 0.3", "onesided elicit --reward 'x*(x-1)' --plot loss.svg"],
    ),
    ("bound", &["onesided bound model.safetensors train.csv --label y"]),
    ("data", &["onesided data", "onesided data check data/"]),
    (
        "experiment",
        &[
            "onesided experiment --list",
            "onesided experiment table1 --only 20ng/0.2 --results again.jsonl",
            "onesided experiment table table1",
        ],
    ),
];

/// What the whole command is shown with.
const START: &str = "\
Examples:
  onesided demo                                                      the main job on a built-in table
  onesided fit train.csv --label y --out model.safetensors           learn from a table
  onesided predict model.safetensors new.csv --out ranked.csv        rank new rows
  onesided help fit                                                  what fit can do";

/// The command line, with examples behind what help says of a command.
pub fn command() -> Command {
    let all = Arguments::command();
    let template = template(&all);
    all.help_template(template).after_help(START).mut_subcommands(|command| {
        let command = most_needed(command);
        let Some((_, examples)) = EXAMPLES.iter().find(|(name, _)| *name == command.get_name()) else {
            return command;
        };
        let said = command.get_after_help().map(|said| format!("\n\n{said}")).unwrap_or_default();
        let lines: Vec<String> = examples.iter().map(|line| format!("  {line}")).collect();
        command.after_help(format!("Examples:\n{}{said}", lines.join("\n")))
    })
}

/// Leaves in `-h` of a command with many flags those that most people need.
fn most_needed(command: Command) -> Command {
    let Some((_, needed)) = MOST_NEEDED.iter().find(|(name, _)| *name == command.get_name()) else {
        return command;
    };
    command.mut_args(|flag| {
        let rare = flag.get_long().is_some_and(|name| !needed.contains(&name));
        flag.hide_short_help(rare)
    })
}

/// Help of the whole command; clap's own has one list of commands, this one has two.
fn template(all: &Command) -> String {
    let styles = Styles::default();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let list = |research: bool| -> String {
        let named = all.get_subcommands().map(|command| {
            (command.get_name(), command.get_about().map(ToString::to_string).unwrap_or_default())
        });
        // clap adds this one later.
        let named = named.chain([("help", "Print this message or the help of a command".to_string())]);
        named
            .filter(|(name, _)| RESEARCH.contains(name) == research)
            .map(|(name, about)| format!("  {literal}{name:<11}{literal:#}  {about}\n"))
            .collect()
    };
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n\
         {header}Commands:{header:#}\n{}\n{header}Research:{header:#}\n{}\n\
         {header}Options:{header:#}\n{{options}}{{after-help}}",
        list(false),
        list(true)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided::{READING, ReadingAbout};

    #[test]
    fn the_flags_are_consistent() {
        command().debug_assert();
        // That checks nothing in a release build, where the tests run; what a debug build has stumbled over is said here.
        let mut all = command();
        all.build();
        let mut arguments = 0;
        for command in all.get_subcommands() {
            for argument in command.get_arguments() {
                let takes_values = argument.get_num_args().is_some_and(|number| number.takes_values());
                let negative = argument.is_allow_negative_numbers_set();
                assert!(takes_values || !negative, "{} {}", command.get_name(), argument.get_id());
                arguments += 1;
            }
        }
        assert!(arguments > 100, "{arguments}");
    }

    #[test]
    fn short_help_shows_the_flags_that_most_people_need() {
        for (name, needed) in MOST_NEEDED {
            let mut all = command();
            let of = all.find_subcommand_mut(name).unwrap();
            let (short, long) = (of.render_help().to_string(), of.render_long_help().to_string());
            for flag in needed {
                assert!(short.contains(&format!("--{flag} ")), "{name} --{flag}\n{short}");
            }
            let flags = |help: &str| help.lines().filter(|line| line.trim_start().starts_with('-')).count();
            assert!(flags(&short) <= needed.len() + 5, "{short}");
            assert!(flags(&long) > 2 * flags(&short), "{long}");
            assert!(short.contains("'--help'"), "{short}");
        }
    }

    /// What help tells people to type can be parsed.
    #[test]
    fn examples_are_commands() {
        let words = |line: &str| -> Vec<String> {
            line.split_whitespace().map(|word| word.trim_matches('\'').to_string()).collect()
        };
        for (name, examples) in EXAMPLES {
            for line in examples {
                assert!(line.starts_with(&format!("onesided {name}")), "{line}");
                if let Err(error) = command().try_get_matches_from(words(line)) {
                    panic!("{line}: {error}");
                }
            }
        }
        for line in START.lines().skip(1) {
            let typed = line.trim().split("    ").next().unwrap();
            let outcome = command().try_get_matches_from(words(typed));
            let help = outcome.as_ref().err().map(clap::Error::kind);
            assert!(outcome.is_ok() || help == Some(clap::error::ErrorKind::DisplayHelp), "{typed}");
        }
    }

    /// The words of a line as a shell splits them, up to a pipe, a redirection or a comment.
    fn split(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        for c in line.chars() {
            match (c, quote) {
                (c, Some(open)) if c == open => quote = None,
                ('\'' | '"', None) => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                ('|' | '>' | '#' | ';' | '&', None) => break,
                (c, None) if c.is_whitespace() => words.extend(word.take()),
                (c, _) => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        words
    }

    /// Every command that a page tells people to type can be parsed, in docs/ and in README.md.
    /// A heading holds until the next one, so flags after a group of others would end up under its heading.
    #[test]
    fn flags_are_under_their_own_headings() {
        let files = READING.iter().filter(|setting| setting.about == ReadingAbout::Files);
        let files: Vec<&str> = files.map(|setting| setting.name).collect();
        let review = ["recall", "confidence", "top", "labeling_odds"];
        fn visit(command: &Command, check: &mut dyn FnMut(&str, &str, &str)) {
            for arg in command.get_arguments() {
                if let Some(heading) = arg.get_help_heading() {
                    check(command.get_name(), heading, arg.get_id().as_str());
                }
            }
            command.get_subcommands().for_each(|inner| visit(inner, check));
        }
        let mut seen = 0;
        visit(&command(), &mut |name, heading, flag| {
            let known: &[&str] = match heading {
                "How files are written" => &files,
                "How many rows to review" => &review,
                _ => return,
            };
            assert!(known.contains(&flag), "--{flag} of {name} is under '{heading}'");
            seen += 1;
        });
        assert!(seen > 7 * 7, "{seen}");
    }

    #[test]
    fn commands_of_the_pages_can_be_parsed() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let Ok(docs) = std::fs::read_dir(root.join("docs")) else {
            return eprintln!("SKIPPED: the pages are in the repository alone");
        };
        let mut pages: Vec<_> = docs.map(|entry| entry.unwrap().path()).collect();
        pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
        pages.push(root.join("README.md"));
        let mut checked = 0;
        for page in pages {
            let text = std::fs::read_to_string(&page).unwrap();
            for line in text.lines() {
                let typed = line.trim_start();
                let is_code = line.starts_with("    ") || !line.starts_with(' ');
                // What is left out is not for typing.
                if !typed.starts_with("onesided ") || !is_code || typed.contains('…') {
                    continue;
                }
                let is_command = split(typed).get(1).is_some_and(|word| {
                    word.starts_with('-') || command().get_subcommands().any(|part| part.get_name() == word)
                });
                if !is_command {
                    continue;
                }
                if let Err(error) = command().try_get_matches_from(split(typed)) {
                    let shown = [clap::error::ErrorKind::DisplayHelp, clap::error::ErrorKind::DisplayVersion];
                    assert!(shown.contains(&error.kind()), "{}: {typed}\n{error}", page.display());
                }
                checked += 1;
            }
        }
        assert!(checked > 40, "{checked} commands");
    }

    #[test]
    fn every_command_has_examples() {
        let without: Vec<String> = command()
            .get_subcommands()
            .map(|command| command.get_name().to_string())
            .filter(|name| !["completions", "man"].contains(&name.as_str()))
            .filter(|name| !EXAMPLES.iter().any(|(with, _)| with == name))
            .collect();
        assert_eq!(without, [""; 0]);
    }
}
