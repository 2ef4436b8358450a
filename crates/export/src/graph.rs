//! A graph under way: nodes, constants, inputs and outputs. Every value has a name of its own.

use crate::Input;
use crate::proto::{Axis, Message, Setting, Type, Values, attribute, tensor, value_info};

/// The name of a value.
pub type Value = String;

/// What the names of values inside the graph begin with.
pub const INSIDE: &str = "onesided::";

/// Nodes and constants in the order they were added.
#[derive(Default)]
pub struct Graph {
    body: Message,
    ends: Message,
    inputs: Vec<Input>,
    named: usize,
}

impl Graph {
    fn name(&mut self) -> Value {
        self.named += 1;
        format!("{INSIDE}{}", self.named)
    }

    /// A column that the caller passes.
    pub fn input(&mut self, name: &str, kind: Type, width: usize) -> Value {
        self.input_of(name, kind, &[Axis::Of(width)]);
        self.inputs.push(Input { name: name.to_string(), kind: kind.name(), width, levels: Vec::new() });
        name.to_string()
    }

    /// The terms of a text: as many places as the caller needs, which are not counted.
    pub fn terms(&mut self, name: &str) -> Value {
        self.input_of(name, Type::Text, &[Axis::Open("terms")]);
        self.inputs.push(Input { name: name.to_string(), kind: "terms", width: 0, levels: Vec::new() });
        name.to_string()
    }

    /// Pictures, height by height, width by width, channel last.
    pub fn pictures(&mut self, name: &str, [height, width, channels]: [usize; 3]) -> Value {
        self.input_of(name, Type::Byte, &[Axis::Of(height), Axis::Of(width), Axis::Of(channels)]);
        let width = height * width * channels;
        self.inputs.push(Input { name: name.to_string(), kind: "uint8", width, levels: Vec::new() });
        name.to_string()
    }

    fn input_of(&mut self, name: &str, kind: Type, axes: &[Axis]) {
        self.ends = std::mem::take(&mut self.ends).bytes(11, &value_info(name, kind, axes).0);
    }

    /// The columns that the caller passes, in the order they were added.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// What the caller gets, a number per row.
    pub fn output(&mut self, name: &str, kind: Type, from: &str) {
        self.add("Identity", &[from], name, "", &[]);
        self.ends = std::mem::take(&mut self.ends).bytes(12, &value_info(name, kind, &[]).0);
    }

    /// A constant.
    pub fn constant(&mut self, shape: &[i64], values: Values) -> Value {
        let name = self.name();
        self.body = std::mem::take(&mut self.body).bytes(5, &tensor(&name, shape, &values).0);
        name
    }

    /// One number in 32 bits.
    pub fn float(&mut self, value: f32) -> Value {
        self.constant(&[], Values::Floats(vec![value]))
    }

    /// A value of another shape; -1 for as many as there are.
    pub fn reshape(&mut self, value: &str, shape: &[i64]) -> Value {
        let shape = self.constant(&[shape.len() as i64], Values::Ints(shape.to_vec()));
        self.op("Reshape", &[value, &shape])
    }

    /// One place of each row, as a column.
    pub fn place(&mut self, value: &str, at: usize) -> Value {
        let at = self.constant(&[1], Values::Ints(vec![at as i64]));
        self.op_with("Gather", &[value, &at], "", &[("axis", Setting::Int(1))])
    }

    /// An operator of two values with a number of 64 bits as the second.
    pub fn with(&mut self, kind: &str, value: &str, number: f64) -> Value {
        let number = self.double(number);
        self.op(kind, &[value, &number])
    }

    /// One number in 64 bits.
    pub fn double(&mut self, value: f64) -> Value {
        self.constant(&[], Values::Doubles(vec![value]))
    }

    /// The result of an operator of the main set.
    pub fn op(&mut self, kind: &str, inputs: &[&str]) -> Value {
        self.op_with(kind, inputs, "", &[])
    }

    /// The result of an operator with settings.
    pub fn op_with(
        &mut self,
        kind: &str,
        inputs: &[&str],
        domain: &str,
        settings: &[(&str, Setting)],
    ) -> Value {
        let name = self.name();
        self.add(kind, inputs, &name, domain, settings);
        name
    }

    /// A value as another type.
    pub fn cast(&mut self, value: &str, to: Type) -> Value {
        self.op_with("Cast", &[value], "", &[("to", Setting::Int(to as i64))])
    }

    fn add(&mut self, kind: &str, inputs: &[&str], output: &str, domain: &str, settings: &[(&str, Setting)]) {
        let mut node = inputs.iter().fold(Message::default(), |node, input| node.text(1, input));
        node = node.text(2, output).text(4, kind);
        for (name, setting) in settings {
            node = node.bytes(5, &attribute(name, setting).0);
        }
        node = node.text(7, domain);
        self.body = std::mem::take(&mut self.body).bytes(1, &node.0);
    }

    /// The `ModelProto`.
    pub fn finish(self, version: &str, metadata: &[(&str, String)]) -> Vec<u8> {
        let mut graph = self.body.text(2, "onesided");
        graph.0.extend_from_slice(&self.ends.0);
        let set = |domain: &str, version: i64| Message::default().text(1, domain).int(2, version);
        let mut model = Message::default().int(1, 10).text(2, "onesided").text(3, version);
        model = model.bytes(7, &graph.0).bytes(8, &set("", 18).0).bytes(8, &set("ai.onnx.ml", 5).0);
        for (key, value) in metadata {
            model = model.bytes(14, &Message::default().text(1, key).text(2, value).0);
        }
        model.0
    }
}
