//! Nothing from a file commands the terminal it is printed to, or the spreadsheet a list is opened in.

use crate::folder::Folder;

const FIT: &str = "--label y --prior 0.5 --method weighted-lr --out m.safetensors";

fn with_model(test: &str, name: &str) -> Folder {
    let folder = Folder::new(test);
    let rows: String = (0..40).map(|i| format!("{i},{},{}\n", i % 7, u8::from(i % 4 == 0))).collect();
    folder.write("x.csv", format!("{name},z,y\n{rows}"));
    let said = folder.run(&format!("fit -v x.csv {FIT}"));
    assert_eq!(said.code, 0, "{said:?}");
    folder
}

fn is_tame(text: &str) -> bool {
    !text.contains(|c: char| c.is_control() && c != '\n')
}

#[test]
fn names_ids_and_messages_are_escaped() {
    let folder = with_model("terminal", "x\u{1b}[31m");
    let rows: String = (0..5).map(|i| format!("{i},{i},\"a\u{1b}]0;own\u{7}\r\nb\u{9b}2J\"\n")).collect();
    folder.write("new.csv", format!("x\u{1b}[31m,z,id\n{rows}"));
    let said = folder.run("predict m.safetensors new.csv --id id --explain 2");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(is_tame(&said.stdout) && is_tame(&said.stderr), "{said:?}");
    assert!(said.stdout.contains(r"a\u{1b}]0;own\u{7}\r\nb\u{9b}2J"), "{said:?}");
    assert!(said.stdout.contains(r"x\u{1b}[31m "), "{said:?}");
    assert_eq!(said.stdout.lines().count(), 6, "{said:?}");
    let json = folder.run("predict m.safetensors new.csv --id id --json");
    assert!(is_tame(&json.stdout), "{json:?}");
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(value["top"][0]["id"], "a\u{1b}]0;own\u{7}\r\nb\u{9b}2J");
    // Errors: a column that is not there, and a file of such a name.
    folder.write("other.csv", "a,b\n1,2\n");
    let said = folder.run("predict m.safetensors other.csv");
    assert!(said.code == 2 && is_tame(&said.stderr), "{said:?}");
    let mut command = folder.command("predict m.safetensors");
    let said = crate::folder::Said::of(command.arg("\u{1b}[2Jgone.csv").output().unwrap());
    assert!(said.code == 2 && is_tame(&said.stderr), "{said:?}");
}

#[test]
fn lists_for_spreadsheets() {
    let folder = with_model("spreadsheets", "x");
    folder.write("new.csv", "x,z,id\n1,2,=1+1\n2,3,@run\n3,4,-5\n4,5,plain\n");
    let list = |more: &str| {
        let said = folder.run(&format!("predict m.safetensors new.csv --id id --out list.csv {more}"));
        assert_eq!(said.code, 0, "{said:?}");
        let text = std::fs::read_to_string(folder.path("list.csv")).unwrap();
        let mut ids: Vec<String> =
            text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().to_string()).collect();
        ids.sort();
        ids
    };
    assert_eq!(list(""), ["-5", "=1+1", "@run", "plain"]);
    assert_eq!(list("--safe-csv"), ["'-5", "'=1+1", "'@run", "plain"]);
    // Headers, wide signs, and what stands behind blanks.
    folder.write("new.csv", "x,z,=id\n1,2,＝1+1\n2,3,\" =1+1\"\n3,4,\"\t@run\"\n4,5,plain\n");
    let said = folder.run("predict m.safetensors new.csv --id =id --keep =id --out list.csv --safe-csv");
    assert_eq!(said.code, 0, "{said:?}");
    let text = std::fs::read_to_string(folder.path("list.csv")).unwrap();
    let starts = |cell: &str| cell.trim_start().starts_with(['=', '＝', '@']);
    assert!(!text.lines().any(|line| line.split(',').any(starts)), "{text}");
    assert!(text.contains("'=id") && text.contains("'＝1+1"), "{text}");
    let message = folder.refused("predict m.safetensors new.csv --safe-csv");
    assert!(message.contains("--out <FILE>"), "{message}");
}

#[test]
fn every_command_escapes_what_files_name() {
    let folder = with_model("terminal-commands", "x\u{1b}[31m");
    let spec = |method: &str| {
        format!(
            "title = \"t\\u001b[31m\"\nhidden = [0.3]\nseeds = [1]\n[train]\nnetwork = \"linear\"\nepochs = 1\n[[data]]\n\
             name = \"digits\"\ntitle = \"d\\u001b[2J\"\npositive = [\"0\", \"2\"]\n[[method]]\nname = \"{method}\"\ntitle = \"m\\u001b[2J\"\n"
        )
    };
    folder.write("spec.toml", spec("collective"));
    folder.write("unknown.toml", spec("m\\u001b[31m"));
    folder.write("broken.toml", "title = \"a\"\nhid\u{1b}[2Jden = [0.3]\n");
    folder.write("r.jsonl", "{\"run\u{1b}[2J\": 1}\n{}\n");
    for (command, code) in [
        ("evaluate m.safetensors x.csv --label y", 0),
        ("importance m.safetensors x.csv --label y", 0),
        ("prior x.csv --label y", 0),
        ("experiment spec.toml --results new.jsonl", 0),
        ("experiment table spec.toml --results new.jsonl", 0),
        ("experiment spec.toml --results r.jsonl", 2),
        ("experiment unknown.toml", 2),
        ("experiment broken.toml", 2),
    ] {
        let said = folder.run(command);
        assert_eq!(said.code, code, "{command}: {said:?}");
        assert!(is_tame(&said.stdout) && is_tame(&said.stderr), "{command}: {said:?}");
    }
}
