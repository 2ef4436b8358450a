//! MATLAB's files of level 5, as far as published data sets need them: numeric arrays, packed or not.
//!
//! The MathWorks, "MAT-File Format", chapter 1. After a header of 128 bytes come elements: a tag of two numbers (type
//! and length) and as many bytes. An array is an element of type 14 that holds four others (flags, dimensions, name,
//! values), each padded to 8 bytes; an element of type 15 is a zlib stream with one such array inside. An element of at
//! most 4 bytes may share 8 bytes with its tag, the length then in the upper half of the type.
//!
//! Only little-endian files are read: MATLAB has written no others for two decades.

use super::SetError;
use super::source::Source;
use flate2::bufread::ZlibDecoder;
use onesided_data::check_memory;
use std::io::{BufReader, Read};

const FORMAT: &str = "MATLAB 5";
const MATRIX: u32 = 14;
const PACKED: u32 = 15;
/// The most bytes that flags, dimensions or name can have in a file of ours.
const LONGEST_PART: u64 = 4096;

/// A numeric array as it is stored: column-major, the first dimension fastest.
#[derive(Debug)]
pub(super) struct Array {
    pub name: String,
    pub dimensions: Vec<usize>,
    /// The type of the stored values: 2 is unsigned bytes, 9 is doubles.
    kind: u32,
    bytes: Vec<u8>,
}

impl Array {
    /// The values, if they are stored as unsigned bytes.
    pub fn into_bytes(self) -> Option<Vec<u8>> {
        (self.kind == 2).then_some(self.bytes)
    }

    /// The values as small whole numbers, if that is what they are. MATLAB stores doubles in fewer bytes where they fit.
    pub fn whole_numbers(&self) -> Option<Vec<u16>> {
        let width = width(self.kind)?;
        let whole = |bytes: &[u8]| {
            let mut low = [0; 8];
            low[..width].copy_from_slice(bytes);
            let value = match self.kind {
                7 => f64::from(f32::from_le_bytes([low[0], low[1], low[2], low[3]])),
                9 => f64::from_le_bytes(low),
                // A negative number of fewer than 8 bytes reads as a large positive one, and is refused all the same
                // unless it is of one byte.
                1 if low[0] > 127 => -1.0,
                _ => u64::from_le_bytes(low) as f64,
            };
            ((0.0..=32_767.0).contains(&value) && value.fract() == 0.0).then_some(value as u16)
        };
        self.bytes.chunks_exact(width).map(whole).collect()
    }
}

/// How many bytes a value of a numeric type has.
fn width(kind: u32) -> Option<usize> {
    match kind {
        1 | 2 => Some(1),
        3 | 4 => Some(2),
        5..=7 => Some(4),
        9 | 12 | 13 => Some(8),
        _ => None,
    }
}

/// The next arrays of a file, at most `count` of them, whose values take at most `most` bytes each.
pub(super) fn arrays(source: &mut Source, count: usize, most: u64) -> Result<Vec<Array>, SetError> {
    let header = source.bytes(128, "its header")?;
    match header[124..] {
        [0, 1, b'I', b'M'] => {}
        [1, 0, b'M', b'I'] => return Err(source.not(FORMAT, "it is big-endian, which is not supported")),
        _ => return Err(source.not(FORMAT, "its header has no mark of the format")),
    }
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let tag = source.bytes(8, "an array's tag")?;
        let (kind, length) = (word(&tag[..4]), word(&tag[4..]));
        // A packed stream may be somewhat longer than what is in it, if that cannot be packed.
        let limit = most + most / 64 + 4 * LONGEST_PART;
        if !matches!(kind, MATRIX | PACKED) || u64::from(length) > limit {
            let detail = format!("element {} has type {kind} and {length} bytes", found.len() + 1);
            return Err(source.not(FORMAT, detail));
        }
        let bytes = source.bytes(length.into(), &format!("array {}", found.len() + 1))?;
        let outcome = match kind {
            MATRIX => Parts { bytes: bytes.as_slice(), left: length.into() }.array(most),
            _ => unpacked(&bytes, most),
        };
        found.push(outcome.map_err(|why| source.not(FORMAT, format!("array {}: {why}", found.len() + 1)))?);
    }
    Ok(found)
}

/// The array inside a zlib stream.
fn unpacked(bytes: &[u8], most: u64) -> Result<Array, String> {
    let mut stream = BufReader::new(ZlibDecoder::new(bytes));
    let mut tag = [0; 8];
    stream.read_exact(&mut tag).map_err(|cause| format!("its zlib stream is broken ({cause})"))?;
    if word(&tag[..4]) != MATRIX {
        return Err(format!("its zlib stream holds an element of type {}, not an array", word(&tag[..4])));
    }
    let mut parts = Parts { bytes: &mut stream, left: word(&tag[4..]).into() };
    let array = parts.array(most)?;
    // The checksum comes last; only a read past the end looks at it.
    match stream.read(&mut [0]) {
        Ok(0) => Ok(array),
        Ok(_) => Err("its zlib stream continues after its end".to_string()),
        Err(cause) => Err(format!("its zlib stream is broken ({cause})")),
    }
}

/// The elements inside an array, of which `left` bytes remain.
struct Parts<R> {
    bytes: R,
    left: u64,
}

impl<R: Read> Parts<R> {
    fn array(&mut self, most: u64) -> Result<Array, String> {
        let (_, flags) = self.part("flags", LONGEST_PART)?;
        // Classes 6 to 15 are the numeric ones; bit 3 of the second byte says that an imaginary half follows.
        match flags[..] {
            [6..=15, second, ..] if second & 8 == 0 => {}
            _ => return Err("it is not an array of real numbers".to_string()),
        }
        let (_, dimensions) = self.part("dimensions", LONGEST_PART)?;
        let dimensions: Vec<usize> = dimensions.chunks_exact(4).map(|word_| word(word_) as usize).collect();
        let (_, name) = self.part("name", LONGEST_PART)?;
        let name = String::from_utf8_lossy(&name).into_owned();
        let (kind, bytes) = self.part("values", most)?;
        let expected =
            dimensions.iter().try_fold(1usize, |product, &dimension| product.checked_mul(dimension));
        match (expected, width(kind)) {
            (Some(values), Some(width)) if values.checked_mul(width) == Some(bytes.len()) => {}
            _ => return Err(format!("{} bytes of type {kind} do not fill {dimensions:?}", bytes.len())),
        }
        match self.left {
            0 => Ok(Array { name, dimensions, kind, bytes }),
            left => Err(format!("{left} bytes are left over")),
        }
    }

    /// The type and the bytes of the next element, which has at most `most` bytes.
    fn part(&mut self, what: &str, most: u64) -> Result<(u32, Vec<u8>), String> {
        let tag = self.take(8, what)?;
        let (first, second) = (word(&tag[..4]), word(&tag[4..]));
        let short = first >> 16;
        if short > 0 {
            return match short {
                1..=4 => Ok((first & 0xffff, tag[4..4 + short as usize].to_vec())),
                _ => Err(format!("its {what} have a length of {short} in four bytes")),
            };
        }
        let length = u64::from(second);
        if length > most {
            return Err(format!("its {what} have {length} bytes, and at most {most} are expected"));
        }
        let bytes = self.take(length, what)?;
        let padding = (8 - length % 8) % 8;
        self.take(padding, what)?;
        Ok((first, bytes))
    }

    fn take(&mut self, count: u64, what: &str) -> Result<Vec<u8>, String> {
        let early = || format!("it ends before the end of its {what}");
        self.left = self.left.checked_sub(count).ok_or_else(early)?;
        // A list that grows is there twice for a moment.
        check_memory(|| format!("its {what}"), 2 * count).map_err(|error| error.to_string())?;
        let mut bytes = Vec::with_capacity(count.min(1 << 20) as usize);
        match (&mut self.bytes).take(count).read_to_end(&mut bytes) {
            Ok(found) if found as u64 == count => Ok(bytes),
            Ok(_) => Err(early()),
            Err(cause) => Err(format!("its zlib stream is broken ({cause})")),
        }
    }
}

/// Four bytes as a number.
fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// Files for the tests of this format and of the sets that come in it.
#[cfg(test)]
pub(super) mod written {
    use flate2::{Compression, write::ZlibEncoder};
    use std::io::Write;

    /// An element with its tag and padding.
    pub fn element(kind: u32, bytes: &[u8]) -> Vec<u8> {
        let mut element = [kind.to_le_bytes(), (bytes.len() as u32).to_le_bytes()].concat();
        element.extend(bytes);
        element.resize(element.len().div_ceil(8) * 8, 0);
        element
    }

    /// An array of class `class` with values of type `kind`.
    pub fn array(class: u8, name: &str, dimensions: &[u32], kind: u32, bytes: &[u8]) -> Vec<u8> {
        let dimensions: Vec<u8> = dimensions.iter().flat_map(|dimension| dimension.to_le_bytes()).collect();
        // A name of up to four bytes shares its tag's eight, as MATLAB writes it.
        let mut short = [1, 0, name.len() as u8, 0].to_vec();
        short.extend(name.as_bytes());
        short.resize(8, 0);
        let flags = element(6, &[class, 0, 0, 0, 0, 0, 0, 0]);
        element(14, &[flags, element(5, &dimensions), short, element(kind, bytes)].concat())
    }

    /// The same, packed. Packed elements have no padding.
    pub fn packed(array: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(array).unwrap();
        let stream = encoder.finish().unwrap();
        [&15u32.to_le_bytes(), &(stream.len() as u32).to_le_bytes(), stream.as_slice()].concat()
    }

    /// A file of these elements.
    pub fn file(elements: &[Vec<u8>]) -> Vec<u8> {
        let mut file = b"MATLAB 5.0 MAT-file".to_vec();
        file.resize(124, b' ');
        file.extend([0, 1, b'I', b'M']);
        file.extend(elements.concat());
        file
    }
}

#[cfg(test)]
mod tests {
    use super::super::damage::{cuts, damaged};
    use super::written::{array, element, file, packed};
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<Array>, SetError> {
        arrays(&mut Source::new("f.mat", bytes)?, 2, 1000)
    }

    fn sound(pack: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        let y: Vec<u8> = [1.0f64, 10.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        file(&[pack(&array(9, "X", &[3, 2], 2, &[1, 2, 3, 4, 5, 6])), pack(&array(6, "y", &[2, 1], 9, &y))])
    }

    fn message(bytes: &[u8]) -> String {
        let message = read(bytes).unwrap_err().to_string();
        let inner = message.strip_prefix("'f.mat' is not a sound MATLAB 5 file: ").unwrap_or(&message);
        inner.strip_suffix("; copy or download it again").unwrap().to_string()
    }

    #[test]
    fn arrays_plain_and_packed() {
        for bytes in [sound(<[u8]>::to_vec), sound(packed)] {
            let mut found = read(&bytes).unwrap();
            let y = found.pop().unwrap();
            assert_eq!((y.name.as_str(), y.dimensions.as_slice()), ("y", [2, 1].as_slice()));
            assert_eq!(y.whole_numbers(), Some(vec![1, 10]));
            assert_eq!(y.into_bytes(), None);
            let x = found.pop().unwrap();
            assert_eq!((x.name.as_str(), x.dimensions.as_slice()), ("X", [3, 2].as_slice()));
            assert_eq!(x.into_bytes(), Some(vec![1, 2, 3, 4, 5, 6]));
        }
    }

    #[test]
    fn whole_numbers_of_every_type() {
        let of = |kind: u32, bytes: &[u8]| {
            let array = Array { name: String::new(), dimensions: vec![], kind, bytes: bytes.to_vec() };
            array.whole_numbers()
        };
        assert_eq!((of(2, &[200]), of(1, &[200]), of(1, &[100])), (Some(vec![200]), None, Some(vec![100])));
        assert_eq!((of(4, &[1, 2]), of(3, &[255, 255])), (Some(vec![513]), None));
        assert_eq!((of(6, &[9, 0, 0, 0]), of(5, &[255; 4])), (Some(vec![9]), None));
        assert_eq!((of(7, &2.0f32.to_le_bytes()), of(7, &2.5f32.to_le_bytes())), (Some(vec![2]), None));
        assert_eq!((of(13, &[3, 0, 0, 0, 0, 0, 0, 0]), of(12, &[255; 8])), (Some(vec![3]), None));
        assert_eq!(
            (of(9, &f64::NAN.to_le_bytes()), of(9, &(-1f64).to_le_bytes()), of(14, &[])),
            (None, None, None)
        );
    }

    #[test]
    fn lengths_are_checked_before_they_are_believed() {
        let with = |element: Vec<u8>| message(&file(&[element]));
        let x = |dimensions: &[u32], bytes: &[u8]| array(9, "X", dimensions, 2, bytes);
        assert_eq!(with(element(9, &[0; 8])), "element 1 has type 9 and 8 bytes");
        assert_eq!(
            with([14u32.to_le_bytes(), [255; 4]].concat()),
            "element 1 has type 14 and 4294967295 bytes"
        );
        assert_eq!(
            with([14u32.to_le_bytes(), [0, 1, 0, 0]].concat()),
            "'f.mat' ends after 136 bytes, before the end of array 1"
        );
        assert_eq!(with(x(&[3, 3], &[0; 6])), "array 1: 6 bytes of type 2 do not fill [3, 3]");
        let huge = [u32::MAX; 5];
        assert!(with(x(&huge, &[0; 6])).starts_with("array 1: 6 bytes of type 2 do not fill [4294967295, "));
        assert!(with(x(&[2, 501], &[0; 1002])).contains("have 1002 bytes, and at most 1000 are expected"));
        assert_eq!(
            with(packed(&element(9, &[0; 8]))),
            "array 1: its zlib stream holds an element of type 9, not an array"
        );
        let text = array(4, "X", &[1, 1], 2, b"a");
        assert_eq!(with(text), "array 1: it is not an array of real numbers");
        // The array's own length cuts its values off.
        let mut shorter = x(&[1, 6], &[0; 6]);
        shorter[4] -= 8;
        assert_eq!(with(shorter), "array 1: it ends before the end of its values");
        // A flipped bit of the packed values shows in the checksum.
        let mut flipped = packed(&x(&[1, 6], &[0; 6]));
        let last = flipped.len() - 1;
        flipped[last] ^= 1;
        assert!(with(flipped).starts_with("array 1: its zlib stream is broken"));
    }

    #[test]
    fn headers() {
        assert_eq!(message(&[0; 200]), "its header has no mark of the format");
        assert_eq!(message(&[]), "'f.mat' ends after 0 bytes, before the end of its header");
        let mut big = sound(packed);
        big[124..128].copy_from_slice(&[1, 0, b'M', b'I']);
        assert_eq!(message(&big), "it is big-endian, which is not supported");
    }

    #[test]
    fn cut_anywhere_it_is_refused_and_damaged_anywhere_it_does_not_panic() {
        for bytes in [sound(<[u8]>::to_vec), sound(packed)] {
            cuts(&bytes, |cut| assert!(read(cut).is_err()));
            damaged(&bytes, |bytes| drop(read(bytes)));
        }
    }
}
