//! Numbers and lists as bytes, least significant byte first.

use crate::TreesError;

/// Bytes that are being written.
#[derive(Default)]
pub(crate) struct Writer(pub Vec<u8>);

/// Bytes that are being read.
pub(crate) struct Reader<'b>(&'b [u8]);

/// A number with a fixed number of bytes.
pub(crate) trait Plain: Copy {
    const BYTES: usize;
    fn put(self, to: &mut Vec<u8>);
    /// From as many bytes.
    fn get(from: &[u8]) -> Self;
}

macro_rules! plain {
    ($($number:ty),*) => {$(
        impl Plain for $number {
            const BYTES: usize = size_of::<$number>();

            fn put(self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }

            fn get(from: &[u8]) -> Self {
                from.first_chunk().map_or(Self::default(), |bytes| Self::from_le_bytes(*bytes))
            }
        }
    )*};
}

plain!(u8, u32, u64, f32, f64);

impl<A: Plain, B: Plain> Plain for (A, B) {
    const BYTES: usize = A::BYTES + B::BYTES;

    fn put(self, to: &mut Vec<u8>) {
        self.0.put(to);
        self.1.put(to);
    }

    fn get(from: &[u8]) -> Self {
        (A::get(from), B::get(&from[A::BYTES..]))
    }
}

impl<T: Plain + Default, const MANY: usize> Plain for [T; MANY] {
    const BYTES: usize = MANY * T::BYTES;

    fn put(self, to: &mut Vec<u8>) {
        self.into_iter().for_each(|one| one.put(to));
    }

    fn get(from: &[u8]) -> Self {
        std::array::from_fn(|at| T::get(&from[at * T::BYTES..]))
    }
}

impl Writer {
    pub fn one<T: Plain>(&mut self, number: T) -> &mut Self {
        number.put(&mut self.0);
        self
    }

    pub fn list<T: Plain>(&mut self, list: &[T]) -> &mut Self {
        self.0.reserve(8 + list.len() * T::BYTES);
        self.one(list.len() as u64);
        list.iter().for_each(|number| number.put(&mut self.0));
        self
    }

    /// A list of what is written one by one.
    pub fn each<T>(&mut self, list: &[T], mut write: impl FnMut(&mut Self, &T)) -> &mut Self {
        self.one(list.len() as u64);
        list.iter().for_each(|one| write(self, one));
        self
    }
}

impl<'b> Reader<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    fn take(&mut self, bytes: usize) -> Result<&'b [u8], TreesError> {
        let (taken, rest) = self.0.split_at_checked(bytes).ok_or(TreesError::Message)?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn one<T: Plain>(&mut self) -> Result<T, TreesError> {
        Ok(T::get(self.take(T::BYTES)?))
    }

    pub fn flag(&mut self) -> Result<bool, TreesError> {
        Ok(self.one::<u8>()? != 0)
    }

    pub fn list<T: Plain>(&mut self) -> Result<Vec<T>, TreesError> {
        let many = usize::try_from(self.one::<u64>()?).map_err(|_| TreesError::Message)?;
        let bytes = self.take(many.checked_mul(T::BYTES).ok_or(TreesError::Message)?)?;
        Ok(bytes.chunks_exact(T::BYTES).map(T::get).collect())
    }

    pub fn each<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, TreesError>,
    ) -> Result<Vec<T>, TreesError> {
        let many = self.one::<u64>()?;
        (0..many).map(|_| read(self)).collect()
    }

    /// That nothing is left.
    pub fn end(self) -> Result<(), TreesError> {
        if self.0.is_empty() { Ok(()) } else { Err(TreesError::Message) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_what_is_cut_short_is_refused() {
        let mut writer = Writer::default();
        writer.one(7u8).one(f64::NEG_INFINITY).list(&[(1u32, [2u64, 3])]).list::<f32>(&[0.5, -0.0]);
        writer.each(&["a", "bc"], |writer, text| _ = writer.list(text.as_bytes()));
        let bytes = writer.0;
        let read = |bytes: &[u8]| -> Result<_, TreesError> {
            let mut reader = Reader::new(bytes);
            let numbers = (reader.one::<u8>()?, reader.one::<f64>()?);
            let lists = (reader.list::<(u32, [u64; 2])>()?, reader.list::<f32>()?);
            let texts = reader.each(|reader| reader.list::<u8>())?;
            reader.end()?;
            Ok((numbers, lists, texts))
        };
        let (numbers, lists, texts) = read(&bytes).unwrap();
        assert_eq!((numbers, lists), ((7, f64::NEG_INFINITY), (vec![(1, [2, 3])], vec![0.5, -0.0])));
        assert_eq!(texts, [b"a".to_vec(), b"bc".to_vec()]);
        assert!((0..bytes.len()).all(|end| read(&bytes[..end]).is_err()));
        assert!(read(&[&bytes[..], &[0]].concat()).is_err());
    }
}
