//! Tables of very many columns: found by their names, whatever their order.
//!
//! Every column was once looked for among all others, 80 s for 200,000 of them. No test measures time, but one of that many
//! steps would not end.

use crate::folder::Folder;

const COLUMNS: usize = 50_000;

fn table(order: impl Iterator<Item = usize> + Clone, with_label: bool) -> String {
    let mut text: String = order.clone().map(|column| format!("x{column},")).collect();
    text.push_str("y\n");
    for row in 0..12 {
        text.extend(order.clone().map(|column| format!("{},", (row * 7 + column) % 11)));
        text.push_str(if with_label && row % 3 == 0 { "1\n" } else { "0\n" });
    }
    text
}

#[test]
fn many_columns_are_found_in_any_order() {
    let folder = Folder::new("wide");
    folder.write("fitted.csv", table(0..COLUMNS, true));
    folder.write("turned.csv", table((0..COLUMNS).rev(), false));
    let said = folder.run("fit -v fitted.csv --label y --prior 0.5 --method weighted-lr --out m.safetensors");
    assert_eq!(said.code, 0, "{said:?}");
    let list = |table: &str| {
        let said = folder.run(&format!("predict m.safetensors {table} --in-sample --out list.csv"));
        assert_eq!(said.code, 0, "{said:?}");
        std::fs::read_to_string(folder.path("list.csv")).unwrap()
    };
    let (straight, turned) = (list("fitted.csv"), list("turned.csv"));
    assert_eq!(straight.lines().count(), 13);
    assert_eq!(straight, turned);
}
