//! Links in folders: followed inside, and out of the folder only where that is asked for.
#![cfg(unix)]

use crate::folder::Folder;
use std::fs;
use std::os::unix::fs::symlink;

const FIT: &str = "fit --positives p --unlabeled u --prior 0.5 --method weighted-lr --out m.safetensors";

#[test]
fn links_out_of_a_folder_are_followed_where_asked() {
    let folder = Folder::new("links");
    for name in ["p", "u", "elsewhere"] {
        fs::create_dir_all(folder.path(name)).unwrap();
    }
    for i in 0..20 {
        folder.write(&format!("p/{i}.txt"), format!("goal team number {}", i % 3));
        folder.write(&format!("u/{i}.txt"), format!("rain sun number {}", i % 4));
    }
    // A link inside the folder is one of its files.
    symlink("1.txt", folder.path("p/also.txt")).unwrap();
    let said = folder.run(FIT);
    assert_eq!(said.code, 0, "{said:?}");
    folder.write("elsewhere/secret.txt", "goal team secret");
    symlink(folder.path("elsewhere/secret.txt"), folder.path("u/secret.txt")).unwrap();
    for command in [FIT, "predict m.safetensors u"] {
        let said = folder.run(command);
        assert_eq!(said.code, 2, "{said:?}");
        let sentence = "'u/secret.txt' is a link that leads out of its folder, and such links are not followed; follow them \
                        with --follow-links\n";
        assert!(said.stderr.contains(sentence), "{said:?}");
        assert_eq!(folder.run(&format!("{command} --follow-links")).code, 0);
    }
    // The folder itself may be a link.
    fs::remove_file(folder.path("u/secret.txt")).unwrap();
    symlink("u", folder.path("linked")).unwrap();
    assert_eq!(folder.run("predict m.safetensors linked").code, 0);
}
