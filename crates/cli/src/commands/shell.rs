//! `onesided completions` and `onesided man`: what shells and packagers want, made from the definition of the flags.

use crate::failure::Failure;
use crate::help::command;
use crate::output::{print, print_as_is};
use clap::{Args, Command};
use clap_complete::Shell;
use onesided::data::write_atomically;
use std::path::{Path, PathBuf};

const VERSION: &str = concat!("onesided ", env!("CARGO_PKG_VERSION"));

/// Flags of `completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Where they go:
  bash        onesided completions bash > ~/.local/share/bash-completion/completions/onesided
  zsh         onesided completions zsh > ~/.zfunc/_onesided        (with fpath+=~/.zfunc before compinit in ~/.zshrc)
  fish        onesided completions fish > ~/.config/fish/completions/onesided.fish
  powershell  onesided completions powershell >> $PROFILE")]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Flags of `man`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onesided man fit | man -l -
  onesided man --dir ~/.local/share/man/man1")]
pub struct Man {
    /// The command whose page to print [default: onesided itself].
    #[arg(conflicts_with = "dir")]
    pub command: Option<String>,
    /// Write one page per command into this folder instead of printing one.
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Prints the script for a shell.
pub fn completions(flags: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(flags.shell, &mut command(), "onesided", &mut script);
    print_as_is(&script)
}

/// Prints a page, or writes them all.
pub fn man(flags: &Man) -> Result<(), Failure> {
    let pages = pages()?;
    if let Some(folder) = &flags.dir {
        return write(&pages, folder);
    }
    let name = flags.command.as_ref().map_or("onesided".to_string(), |name| format!("onesided-{name}"));
    match pages.iter().find(|(page, _)| *page == name) {
        Some((_, text)) => print_as_is(text),
        None => {
            let name = flags.command.as_deref().unwrap_or_default();
            Err(Failure::Input(crate::usage::unknown_command(name, "onesided man", &command())))
        }
    }
}

fn write(pages: &[(String, Vec<u8>)], folder: &Path) -> Result<(), Failure> {
    if !folder.is_dir() {
        return Err(Failure::Input(format!("there is no folder '{}'; make it first", folder.display())));
    }
    for (name, text) in pages {
        write_atomically(&folder.join(format!("{name}.1")), |file| file.write_all(text))?;
    }
    print(&format!("wrote {} pages to {}\n", pages.len(), folder.display()))
}

/// The page of each command by its name: `onesided`, `onesided-fit`, `onesided-audit-draw`.
fn pages() -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut whole = command().disable_help_subcommand(true);
    whole.build();
    let mut pages = Vec::new();
    add(&whole, &mut pages)?;
    Ok(pages)
}

fn add(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> Result<(), Failure> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let mut text = Vec::new();
    let page = clap_mangen::Man::new(command.clone()).date("").source(VERSION).manual("onesided");
    page.render(&mut text).map_err(|error| Failure::Internal(format!("cannot make '{name}': {error}")))?;
    pages.push((name.to_string(), text));
    for part in command.get_subcommands() {
        add(part, pages)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let pages = pages().unwrap();
        let text = |name: &str| {
            let (_, text) = pages.iter().find(|(page, _)| page == name).unwrap();
            String::from_utf8(text.clone()).unwrap()
        };
        for part in command().get_subcommands() {
            assert!(text(&format!("onesided-{}", part.get_name())).starts_with(".ie"), "{}", part.get_name());
        }
        assert!(text("onesided-fit").contains("learning\\-rate"));
        assert!(text("onesided-audit-draw").contains("onesided"));
    }
}
