//! A separate folder for each test, and the binary to run in it.

pub mod schema;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A temporary folder, removed when dropped.
pub struct Folder(PathBuf);

/// What a run of the binary said.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    pub fn new(test: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{test}.{}.{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    /// The names of the files, sorted; hidden ones too.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Runs `onesided` with arguments separated by blanks.
    pub fn run(&self, arguments: &str) -> Said {
        Said::of(self.command(arguments).output().unwrap())
    }

    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
        command.current_dir(&self.0).args(arguments.split_whitespace());
        command
    }

    /// Runs a command that must work, and parses its one JSON object, which must be as its schema says.
    pub fn json(&self, arguments: &str) -> serde_json::Value {
        let said = self.run(&format!("{arguments} --json"));
        assert_eq!(said.code, 0, "{said:?}");
        assert_eq!(said.stdout.lines().count(), 1, "{said:?}");
        let object = serde_json::from_str(&said.stdout).unwrap();
        schema::hold(arguments, &object);
        object
    }

    /// Runs a command that must fail as bad input: exit 2, one sentence, no output, and no file made or changed.
    pub fn refused(&self, arguments: &str) -> String {
        let contents = || -> Vec<(String, Vec<u8>)> {
            let read = |name: String| (name.clone(), fs::read(self.path(&name)).unwrap_or_default());
            self.files().into_iter().map(read).collect()
        };
        let before = contents();
        let said = self.run(arguments);
        assert_eq!((said.code, said.stdout.as_str()), (2, ""), "{arguments}: {said:?}");
        let errors: Vec<&str> = said.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(errors.len(), 1, "{arguments}: {said:?}");
        assert!(!said.stderr.contains("panicked") && !said.stderr.contains("backtrace"), "{said:?}");
        assert!(before == contents(), "{arguments} left something behind: {:?}", self.files());
        errors[0].to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Said {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// 300 rows: `a` is about 2 for positives and -2 for the rest, `b` tells nothing. A third of the rows is positive, and
/// half of those are labeled (`y`); `t` is the truth.
pub fn table() -> String {
    let mut text = "id,a,b,y,t\n".to_string();
    for i in 0..300u32 {
        // A fixed scramble in [0, 1).
        let noise = |k: u32| f64::from((i * 7919 + k * 104_729) % 997) / 997.0;
        let positive = i % 3 == 0;
        let center = if positive { 2.0 } else { -2.0 };
        let labeled = u32::from(i % 6 == 0);
        text.push_str(&format!(
            "r{i},{:.4},{:.4},{labeled},{}\n",
            center + 2.0 * noise(1) - 1.0,
            noise(2),
            u32::from(positive)
        ));
    }
    text
}

/// Flags of a quick fit of [`table`].
pub const QUICK: &str =
    "--label y --drop id --drop t --prior 0.3333 --model linear --epochs 10 --learning-rate 0.05";
