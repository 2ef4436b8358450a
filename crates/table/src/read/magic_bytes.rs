//! What the first bytes of a file tell of its format.

/// The first four bytes of every Parquet file.
pub(super) const PARQUET: &[u8] = b"PAR1";
/// The first four bytes of a Parquet file whose footer is encrypted.
pub(super) const ENCRYPTED_PARQUET: &[u8] = b"PARE";
/// The first bytes of an Arrow file.
pub(super) const ARROW: &[u8] = b"ARRO";
/// The first bytes of Feather before it was Arrow.
pub(super) const OLD_FEATHER: &[u8] = b"FEA1";
/// What precedes the length of a message in a stream of Arrow.
pub(super) const ARROW_CONTINUES: [u8; 4] = [0xff; 4];
/// The first bytes of `.xlsx`, `.xlsb` and `.ods` files.
pub(super) const ZIP: &[u8] = b"PK\x03\x04";
/// The first bytes of `.xls` files.
pub(super) const OLE: &[u8] = b"\xd0\xcf\x11\xe0";

/// Whether a file starts like Parquet, encrypted or not.
pub(super) fn is_parquet(start: &[u8]) -> bool {
    start == PARQUET || start == ENCRYPTED_PARQUET
}

/// Whether a file starts like Arrow, a stream or Feather.
pub(super) fn is_arrow(start: &[u8]) -> bool {
    start == ARROW || start == OLD_FEATHER || start == ARROW_CONTINUES
}

/// Whether a file starts like a spreadsheet.
pub(super) fn is_sheet(start: &[u8]) -> bool {
    start == ZIP || start == OLE
}

/// Whether a file that is called a spreadsheet starts like a web page.
pub(super) fn is_page(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    start.starts_with(b"<")
}

/// Whether a file starts like zstd: with a frame of data, or one that is to be skipped before it.
pub(super) fn is_zstd(start: &[u8]) -> bool {
    matches!(start, [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Whether a file starts like gzip.
pub(super) fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(&[0x1f, 0x8b])
}
