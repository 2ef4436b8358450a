//! Kernels from source: compiled for the card at hand when first needed, by NVRTC.

use super::driver::{Context, Kernel, Module};
use crate::NetError;
use crate::device::Precision;
use cudarc::nvrtc::sys;
use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::sync::{Arc, Mutex};

const PRELUDE: &str = include_str!("kernels/prelude.cuh");
const NORM: &str = include_str!("kernels/norm.cu");
const MATMUL: &str = concat!(include_str!("kernels/product.cuh"), include_str!("kernels/matmul.cu"));
const DENSE: &str = concat!(include_str!("kernels/product.cuh"), include_str!("kernels/dense.cu"));
const THIN: &str = include_str!("kernels/thin.cu");
const POINTWISE: &str = include_str!("kernels/pointwise.cu");

/// A file of kernels with the settings it is compiled under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Program {
    Pointwise(Precision),
    /// `wide` where channels can be read 16 bytes at a time.
    Norm {
        precision: Precision,
        wide: bool,
    },
    Product {
        precision: Precision,
        product: Product,
        /// Whether each operand can be read four numbers at a time.
        vectors: (bool, bool),
        /// 64×64 tiles rather than 32×32.
        large: bool,
    },
    /// bf16 only; which operands lie in memory with k outermost.
    Dense {
        turned: (bool, bool),
    },
    /// bf16 only; one to three channels.
    Thin {
        channels: usize,
    },
}

impl Program {
    /// The quicker kernel for a product of dense layers in bf16 whose rows are multiples of four numbers.
    pub fn dense(product: Product) -> Option<Self> {
        match product {
            Product::DenseForward => Some(Program::Dense { turned: (false, false) }),
            Product::DenseBackward => Some(Program::Dense { turned: (false, true) }),
            Product::DenseWeights => Some(Program::Dense { turned: (true, true) }),
            Product::ConvForward | Product::ConvBackward | Product::ConvWeights => None,
        }
    }
}

/// The products of the layers; each names how its two operands are found (see `matmul.cu`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Product {
    DenseForward,
    DenseBackward,
    DenseWeights,
    ConvForward,
    ConvBackward,
    ConvWeights,
}

impl Program {
    fn source(self) -> (&'static str, Vec<String>) {
        let half = |precision: Precision| format!("-DHALF={}", i32::from(precision == Precision::Bf16));
        match self {
            Program::Dense { turned: (a, b) } => {
                let flag = |name: &str, on: bool| format!("-D{name}={}", i32::from(on));
                (DENSE, vec![half(Precision::Bf16), flag("A_TURNED", a), flag("B_TURNED", b)])
            }
            Program::Thin { channels } => {
                (THIN, vec![half(Precision::Bf16), format!("-DCHANNELS={channels}")])
            }
            Program::Pointwise(precision) => (POINTWISE, vec![half(precision)]),
            Program::Norm { precision, wide } => {
                (NORM, vec![half(precision), format!("-DVECTOR={}", if wide { 8 } else { 1 })])
            }
            Program::Product { precision, product, vectors, large } => {
                let (a, b) = match product {
                    Product::DenseForward => ("ROWS", "ROWS"),
                    Product::DenseBackward => ("ROWS", "COLUMNS"),
                    Product::DenseWeights => ("COLUMNS", "COLUMNS"),
                    Product::ConvForward => ("PATCHES", "ROWS"),
                    Product::ConvBackward => ("PATCHES_BACK", "FILTERS_BACK"),
                    Product::ConvWeights => ("COLUMNS", "PATCHES_T"),
                };
                let vector = |can: bool| if can { 4 } else { 1 };
                let options = vec![
                    half(precision),
                    format!("-DA_KIND={a}"),
                    format!("-DB_KIND={b}"),
                    format!("-DA_VECTOR={}", vector(vectors.0)),
                    format!("-DB_VECTOR={}", vector(vectors.1)),
                    format!("-DLARGE={}", i32::from(large)),
                ];
                (MATMUL, options)
            }
        }
    }
}

/// The machine code of a program for an architecture such as `sm_90`. Needs NVRTC, but no card.
pub(crate) fn compile(program: Program, architecture: &str) -> Result<Vec<u8>, NetError> {
    let (source, mut options) = program.source();
    options.push(format!("--gpu-architecture={architecture}"));
    options.push("--std=c++17".into());
    let text = CString::new(format!("{PRELUDE}\n{source}")).map_err(|_| failed("its source holds a zero"))?;
    let options: Vec<CString> = options.into_iter().filter_map(|o| CString::new(o).ok()).collect();
    let pointers: Vec<_> = options.iter().map(|o| o.as_ptr()).collect();
    let mut raw = std::ptr::null_mut();
    // SAFETY: C strings that live through the calls, places for results, and buffers of the sizes NVRTC asks for.
    unsafe {
        let made = sys::nvrtcCreateProgram(
            &mut raw,
            text.as_ptr(),
            c"onesided.cu".as_ptr(),
            0,
            std::ptr::null(),
            std::ptr::null(),
        );
        check(made)?;
        let compiled = sys::nvrtcCompileProgram(raw, pointers.len() as i32, pointers.as_ptr());
        if compiled != sys::nvrtcResult::NVRTC_SUCCESS {
            let mut size = 0;
            check(sys::nvrtcGetProgramLogSize(raw, &mut size))?;
            let mut log = vec![0u8; size];
            check(sys::nvrtcGetProgramLog(raw, log.as_mut_ptr().cast()))?;
            let _ = sys::nvrtcDestroyProgram(&mut raw);
            let log = String::from_utf8_lossy(&log);
            let line = log.lines().find(|l| l.contains("error")).unwrap_or(log.trim_end_matches('\0').trim());
            return Err(failed(&format!("{program:?} for {architecture}: {line}")));
        }
        let mut size = 0;
        check(sys::nvrtcGetCUBINSize(raw, &mut size))?;
        let mut image = vec![0u8; size];
        check(sys::nvrtcGetCUBIN(raw, image.as_mut_ptr().cast()))?;
        let _ = sys::nvrtcDestroyProgram(&mut raw);
        Ok(image)
    }
}

fn check(result: sys::nvrtcResult) -> Result<(), NetError> {
    if result == sys::nvrtcResult::NVRTC_SUCCESS { Ok(()) } else { Err(failed(&format!("{result:?}"))) }
}

fn failed(why: &str) -> NetError {
    NetError::Device(format!("the GPU's kernels could not be compiled ({why})"))
}

/// Loaded programs of one card.
pub(crate) struct Programs {
    context: Arc<Context>,
    architecture: String,
    loaded: Mutex<HashMap<Program, Arc<Module>>>,
}

impl Programs {
    pub fn new(context: &Arc<Context>, architecture: String) -> Self {
        Self { context: context.clone(), architecture, loaded: Mutex::default() }
    }

    /// Compiles and loads what is not there yet, several at once.
    pub fn prepare(&self, programs: &[Program]) -> Result<(), NetError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut missing: Vec<Program> = Vec::new();
        for program in programs {
            if !loaded.contains_key(program) && !missing.contains(program) {
                missing.push(*program);
            }
        }
        let images: Vec<Result<Vec<u8>, NetError>> = std::thread::scope(|scope| {
            let running: Vec<_> =
                missing.iter().map(|&p| scope.spawn(move || compile(p, &self.architecture))).collect();
            let lost = || Err(failed("the compiler's thread ended"));
            running.into_iter().map(|thread| thread.join().unwrap_or_else(|_| lost())).collect()
        });
        for (program, image) in missing.into_iter().zip(images) {
            loaded.insert(program, Arc::new(Module::load(&self.context, &image?)?));
        }
        Ok(())
    }

    /// A kernel of a program; the module stays as long as the card is open.
    pub fn kernel(&self, program: Program, name: &CStr) -> Result<Kernel, NetError> {
        self.prepare(&[program])?;
        let loaded = self.loaded.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        loaded[&program].kernel(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_compiles_for_the_architectures_in_use() {
        if let Err(missing) = super::super::library::nvrtc() {
            eprintln!("skipped: {missing}");
            return;
        }
        for architecture in ["sm_80", "sm_90"] {
            for precision in [Precision::Bf16, Precision::F32] {
                let mut programs = vec![Program::Pointwise(precision)];
                programs.extend([true, false].map(|wide| Program::Norm { precision, wide }));
                use Product::*;
                for product in
                    [DenseForward, DenseBackward, DenseWeights, ConvForward, ConvBackward, ConvWeights]
                {
                    for bits in 0..8 {
                        let vectors = (bits & 1 == 1, bits & 2 == 2);
                        programs.push(Program::Product { precision, product, vectors, large: bits & 4 == 4 });
                    }
                }
                programs.extend((1..=3).map(|channels| Program::Thin { channels }));
                programs.extend(
                    [DenseForward, DenseBackward, DenseWeights].into_iter().filter_map(Program::dense),
                );
                for program in programs {
                    let image = compile(program, architecture).unwrap();
                    assert!(image.starts_with(b"\x7fELF"), "{program:?}");
                }
            }
        }
    }
}
