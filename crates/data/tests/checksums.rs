//! Pages of Parquet files that carry checksums: no flipped bit of theirs changes what is read.

use onesided_data::{Frame, Values, read_parquet_bytes};

/// Made by `fixtures/make_sums.py`.
const SOUND: &[u8] = include_bytes!("fixtures/sums.parquet");

/// The length of the footer is before the last four bytes; what is before the footer is pages.
fn pages() -> std::ops::Range<usize> {
    let end = SOUND.len() - 8;
    let footer = u32::from_le_bytes(SOUND[end..end + 4].try_into().unwrap()) as usize;
    4..end - footer
}

fn cells(frame: &Frame) -> String {
    let values: Vec<&Values> = frame.columns.iter().map(|column| &column.values).collect();
    format!("{values:?}")
}

#[test]
fn no_flipped_bit_of_a_page_changes_a_table() {
    let sound = cells(&read_parquet_bytes(SOUND).unwrap());
    assert!(sound.contains("4.875"), "{sound}");
    let (mut refused, mut told) = (0, 0);
    for at in pages() {
        for bit in 0..8 {
            let mut damaged = SOUND.to_vec();
            damaged[at] ^= 1 << bit;
            match read_parquet_bytes(&damaged) {
                Ok(frame) => assert_eq!(cells(&frame), sound, "byte {at}, bit {bit}"),
                Err(error) => {
                    let sentence = error.to_string();
                    assert!(!sentence.contains('\n'), "{sentence}");
                    told += usize::from(sentence.contains("checksum"));
                    refused += 1;
                }
            }
        }
    }
    // Forty numbers of eight bytes, three texts and their forty codes are under the sums, bit by bit.
    assert!(told > 8 * 40 * 8, "{told} of {refused} refusals name the checksum");
}
