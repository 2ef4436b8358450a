//! Are the libraries there? They are looked for before the first call, so that a missing one is a sentence, not a crash.

use crate::NetError;
use cudarc::{cudnn, driver, nvrtc};

/// The oldest driver interface that has every call made here: CUDA 12.8.
const OLDEST_DRIVER: i32 = 12_080;

fn missing(what: &str, names: &[&str], remedy: &str) -> NetError {
    let candidates: Vec<String> =
        names.iter().flat_map(|name| cudarc::get_lib_name_candidates(name)).take(1).collect();
    let path = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
    let places = if path.is_empty() {
        "the system's library folders (LD_LIBRARY_PATH is not set)".to_string()
    } else {
        format!("LD_LIBRARY_PATH ({path}) and the system's library folders")
    };
    NetError::Device(format!(
        "CUDA cannot be used: {what} ({}) was not found in {places}; {remedy}",
        candidates.join(", ")
    ))
}

/// The driver, with at least one card.
pub(crate) fn driver() -> Result<(), NetError> {
    // SAFETY: loading a library by its usual name; the driver's has no start-up code that could misbehave.
    if !unsafe { driver::sys::is_culib_present() } {
        return Err(missing("NVIDIA's driver library", &["cuda"], "install the NVIDIA driver"));
    }
    let (mut version, mut count) = (0, 0);
    // SAFETY: plain queries with places for their results; the library is there.
    let started = unsafe {
        driver::sys::cuDriverGetVersion(&mut version);
        driver::sys::cuInit(0)
    };
    if version < OLDEST_DRIVER {
        return Err(NetError::Device(format!(
            "CUDA cannot be used: the NVIDIA driver supports CUDA {}.{}, but at least {}.{} is needed; update the \
             driver",
            version / 1000,
            version % 1000 / 10,
            OLDEST_DRIVER / 1000,
            OLDEST_DRIVER % 1000 / 10
        )));
    }
    // SAFETY: as above.
    let counted = unsafe { driver::sys::cuDeviceGetCount(&mut count) };
    let good = driver::sys::CUresult::CUDA_SUCCESS;
    if started != good || counted != good || count == 0 {
        return Err(NetError::Device(format!(
            "CUDA cannot be used: the NVIDIA driver is there, but it finds no card ({started:?})"
        )));
    }
    Ok(())
}

/// The major number of a card's compute capability; none where it cannot be asked. The driver must be there.
pub(crate) fn capability(index: usize) -> Option<i32> {
    let (mut device, mut major) = (0, 0);
    let attribute = driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
    let good = driver::sys::CUresult::CUDA_SUCCESS;
    // SAFETY: plain queries with places for their results; they need no context.
    let asked = unsafe {
        driver::sys::cuDeviceGet(&mut device, i32::try_from(index).ok()?) == good
            && driver::sys::cuDeviceGetAttribute(&mut major, attribute, device) == good
    };
    asked.then_some(major)
}

/// The compiler of kernels.
pub(crate) fn nvrtc() -> Result<(), NetError> {
    // SAFETY: loading a library by its usual name.
    if !unsafe { nvrtc::sys::is_culib_present() } {
        let remedy = "install the CUDA toolkit's NVRTC or add its folder to LD_LIBRARY_PATH";
        return Err(missing("the kernel compiler NVRTC", &["nvrtc"], remedy));
    }
    Ok(())
}

/// Convolutions.
pub(crate) fn cudnn() -> Result<(), NetError> {
    // SAFETY: loading a library by its usual name.
    if !unsafe { cudnn::sys::is_culib_present() } {
        let remedy = "install cuDNN 9 or add its folder to LD_LIBRARY_PATH";
        return Err(missing("cuDNN", &["cudnn"], remedy));
    }
    // SAFETY: a plain query.
    let version = unsafe { cudnn::sys::cudnnGetVersion() };
    if version < 90_000 {
        return Err(NetError::Device(format!(
            "CUDA cannot be used: cuDNN {}.{} was found, but version 9 is needed; update it",
            version / 1000,
            version % 1000 / 100
        )));
    }
    Ok(())
}
