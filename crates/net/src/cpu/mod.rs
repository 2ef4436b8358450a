//! The CPU executor and its kernels.

mod conv;
mod executor;
mod gather;
mod matmul;
mod norm;
mod norm_pool;
mod packed_gemm;
mod plan;
mod pointwise;
mod simd;
mod thread_pool;
mod winograd;
mod worker;

pub use executor::CpuExecutor;
pub(crate) use executor::threads_for;
