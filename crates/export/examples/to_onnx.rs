//! `cargo run -p onesided-export --example to_onnx MODEL OUT`: a model file as an ONNX file.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [model, out] = paths.as_slice() else { return Err("name a model and an output".into()) };
    let bytes = onesided_export::to_onnx(&onesided::Model::load(model)?)?;
    onesided::data::write_atomically(out.as_ref(), |file| file.write_all(&bytes))?;
    Ok(())
}
