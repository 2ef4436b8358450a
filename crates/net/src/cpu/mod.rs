//! The CPU executor and its kernels.

mod conv;
mod executor;
mod gather;
mod matmul;
mod norm;
mod norm_pool;
mod panel;
mod plan;
mod pointwise;
mod shard;
mod simd;
mod thread_pool;
mod winograd;

pub use executor::CpuExecutor;
