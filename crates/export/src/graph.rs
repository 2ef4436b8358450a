//! A graph under way: nodes, constants, inputs and outputs. Every value has a name of its own.

use crate::ExportInput;
use crate::proto::{Axis, Message, Setting, Type, Values, attribute, tensor, value_info};
use std::collections::HashSet;

/// The name of a value.
pub type Value = String;

/// What the names of values inside the graph begin with.
pub const INSIDE: &str = "onesided::";

/// A node or a constant.
struct Step {
    /// The field of `GraphProto`: 1 for a node, 5 for a constant.
    field: u64,
    bytes: Vec<u8>,
    /// The value that it makes.
    makes: Value,
    /// The values that it is made of.
    takes: Vec<Value>,
}

/// Nodes and constants in the order they were added.
#[derive(Default)]
pub struct Graph {
    steps: Vec<Step>,
    ends: Message,
    inputs: Vec<ExportInput>,
    outputs: Vec<Value>,
    named: usize,
}

impl Graph {
    fn name(&mut self) -> Value {
        self.named += 1;
        format!("{INSIDE}{}", self.named)
    }

    /// A column that the caller passes.
    pub fn input(&mut self, name: &str, kind: Type, width: usize, holds: &'static str) -> Value {
        self.input_of(&[Axis::Of(width)], kind, name, kind.name(), width, holds)
    }

    /// The terms of a text: as many places as the caller needs, which are not counted.
    pub fn terms(&mut self, name: &str) -> Value {
        self.input_of(&[Axis::Open("terms")], Type::Text, name, "terms", 0, "words of a text")
    }

    /// Pictures, height by height, width by width, channel last.
    pub fn pictures(&mut self, name: &str, [height, width, channels]: [usize; 3]) -> Value {
        let axes = [height, width, channels].map(Axis::Of);
        self.input_of(&axes, Type::Byte, name, "uint8", height * width * channels, "picture")
    }

    fn input_of(
        &mut self,
        axes: &[Axis],
        of: Type,
        name: &str,
        kind: &'static str,
        width: usize,
        holds: &'static str,
    ) -> Value {
        let info = value_info(name, of, axes).text(3, holds);
        self.ends = std::mem::take(&mut self.ends).bytes(11, &info.0);
        self.inputs.push(ExportInput { name: name.to_string(), kind, holds, width, levels: Vec::new() });
        name.to_string()
    }

    /// The columns that the caller passes, in the order they were added.
    pub fn inputs(&self) -> &[ExportInput] {
        &self.inputs
    }

    /// What the caller gets, a number per row.
    pub fn output(&mut self, name: &str, kind: Type, from: &str) {
        self.add("Identity", &[from], name, "", &[]);
        self.outputs.push(name.to_string());
        self.ends = std::mem::take(&mut self.ends).bytes(12, &value_info(name, kind, &[]).0);
    }

    /// A constant.
    pub fn constant(&mut self, shape: &[i64], values: Values) -> Value {
        let makes = self.name();
        let bytes = tensor(&makes, shape, &values).0;
        self.steps.push(Step { field: 5, bytes, makes: makes.clone(), takes: Vec::new() });
        makes
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
        let bytes = node.text(7, domain).0;
        let takes = inputs.iter().map(|&input| input.to_string()).collect();
        self.steps.push(Step { field: 1, bytes, makes: output.to_string(), takes });
    }

    /// The `ModelProto`. What no output is made of is left out: a runtime would compute it all the same, such as a column per level of
    /// a category for trees, which take its code.
    pub fn finish(self, version: &str, metadata: &[(&str, String)]) -> Vec<u8> {
        let mut needed: HashSet<&str> = self.outputs.iter().map(String::as_str).collect();
        for step in self.steps.iter().rev() {
            if needed.contains(step.makes.as_str()) {
                needed.extend(step.takes.iter().map(String::as_str));
            }
        }
        let kept = self.steps.iter().filter(|step| needed.contains(step.makes.as_str()));
        let mut graph = kept.fold(Message::default(), |graph, step| graph.bytes(step.field, &step.bytes));
        graph = graph.text(2, "onesided");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_output_is_made_of_is_left_out() {
        let mut graph = Graph::default();
        let x = graph.input("x", Type::Double, 1, "number");
        let kept = graph.with("Mul", &x, 2.0);
        let left_out = graph.with("Div", &x, 3.0);
        graph.op("Softsign", &[&left_out]);
        graph.output("score", Type::Float, &kept);
        let bytes = graph.finish("0", &[]);
        let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(has("Mul") && has("Identity"));
        assert!(!has("Div") && !has("Softsign") && !has(&left_out));
        assert!(!bytes.windows(8).any(|window| window == 3.0f64.to_le_bytes()));
    }
}
