//! The part of protocol buffers and of `onnx.proto` that a graph needs, written by hand.

/// A message under way.
#[derive(Clone, Debug, Default)]
pub struct Message(pub Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A whole number.
    pub fn int(mut self, field: u64, value: i64) -> Self {
        self.varint(field << 3);
        self.varint(value as u64);
        self
    }

    /// Bytes, a string or another message.
    pub fn bytes(mut self, field: u64, value: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    /// A string.
    pub fn text(self, field: u64, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }
}

/// Numbers or strings of a shape.
#[derive(Clone, Debug)]
pub enum Values {
    /// `float`.
    Floats(Vec<f32>),
    /// `double`.
    Doubles(Vec<f64>),
    /// `int64`.
    Ints(Vec<i64>),
    /// `uint8`.
    Bytes(Vec<u8>),
}

/// The number of a type in `onnx.proto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// 32 bits.
    Float = 1,
    /// Whole numbers from 0 to 255.
    Byte = 2,
    /// Strings.
    Text = 8,
    /// Truth values.
    Bool = 9,
    /// 64 bits.
    Double = 11,
}

impl Type {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Type::Float => "float",
            Type::Byte => "uint8",
            Type::Text => "string",
            Type::Bool => "bool",
            Type::Double => "double",
        }
    }
}

/// A `TensorProto`.
pub fn tensor(name: &str, shape: &[i64], values: &Values) -> Message {
    let mut message = Message::default();
    for &length in shape {
        message = message.int(1, length);
    }
    let (kind, raw): (i64, Vec<u8>) = match values {
        Values::Floats(all) => (1, all.iter().flat_map(|x| x.to_le_bytes()).collect()),
        Values::Doubles(all) => (11, all.iter().flat_map(|x| x.to_le_bytes()).collect()),
        Values::Ints(all) => (7, all.iter().flat_map(|x| x.to_le_bytes()).collect()),
        Values::Bytes(all) => (2, all.clone()),
    };
    message.int(2, kind).text(8, name).bytes(9, &raw)
}

/// A setting of a node.
#[derive(Clone, Debug)]
pub enum Setting {
    /// A whole number.
    Int(i64),
    /// Several.
    Ints(Vec<i64>),
    /// A string.
    Text(&'static str),
    /// Strings.
    Texts(Vec<String>),
    /// A tensor.
    Tensor(Values),
}

/// An `AttributeProto`.
pub fn attribute(name: &str, setting: &Setting) -> Message {
    let message = Message::default().text(1, name);
    match setting {
        Setting::Int(value) => message.int(3, *value).int(20, 2),
        Setting::Ints(all) => all.iter().fold(message, |message, &one| message.int(8, one)).int(20, 7),
        Setting::Text(one) => message.text(4, one).int(20, 3),
        Setting::Texts(all) => all.iter().fold(message, |message, one| message.text(9, one)).int(20, 8),
        Setting::Tensor(values) => {
            let length = match values {
                Values::Floats(all) => all.len(),
                Values::Doubles(all) => all.len(),
                Values::Ints(all) => all.len(),
                Values::Bytes(all) => all.len(),
            };
            message.bytes(5, &tensor("", &[length as i64], values).0).int(20, 4)
        }
    }
}

/// How long an axis is: a number, or a name where the caller decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axis {
    /// So many places.
    Of(usize),
    /// As many as are passed.
    Open(&'static str),
}

/// A `ValueInfoProto`: rows, and the axes behind them.
pub fn value_info(name: &str, kind: Type, axes: &[Axis]) -> Message {
    let mut shape = Message::default();
    for axis in [Axis::Open("rows")].iter().chain(axes) {
        let axis = match axis {
            Axis::Of(length) => Message::default().int(1, *length as i64),
            Axis::Open(name) => Message::default().text(2, name),
        };
        shape = shape.bytes(1, &axis.0);
    }
    let of = Message::default().int(1, kind as i64).bytes(2, &shape.0);
    Message::default().text(1, name).bytes(2, &Message::default().bytes(1, &of.0).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_by_hand() {
        // Field 1 as a varint of 300 and field 2 as a string: the examples of the format's own page.
        assert_eq!(Message::default().int(1, 300).0, [0x08, 0xac, 0x02]);
        assert_eq!(Message::default().text(2, "testing").0, [&[0x12, 7], &b"testing"[..]].concat());
        let two = tensor("a", &[2], &Values::Ints(vec![1, -1]));
        assert_eq!(two.0[..7], [0x08, 2, 0x10, 7, 0x42, 1, b'a']);
        assert_eq!(two.0.len(), 7 + 2 + 16);
    }
}
