//! The CUDA driver as this crate uses it: memory, streams, events, graphs, kernels. Each call's result is checked.

use crate::NetError;
use cudarc::driver::sys;
use std::ffi::{CStr, c_void};
use std::sync::Arc;

/// What a failed call of the driver becomes.
pub(crate) fn check(result: sys::CUresult, doing: &str) -> Result<(), NetError> {
    if result == sys::CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    Err(NetError::Device(format!("the GPU failed while {doing}: {}", message(result))))
}

fn message(result: sys::CUresult) -> String {
    let mut text = std::ptr::null();
    // SAFETY: the driver was probed before the first call; it sets `text` to a string it owns forever, or leaves it.
    let found = unsafe { sys::cuGetErrorString(result, &mut text) };
    if found != sys::CUresult::CUDA_SUCCESS || text.is_null() {
        return format!("{result:?}");
    }
    // SAFETY: a C string of the driver, see above.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// The primary context of a card.
pub(crate) struct Context {
    raw: sys::CUcontext,
    device: sys::CUdevice,
}

// SAFETY: a context may be made current on any thread; the driver locks it itself.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub fn new(index: usize) -> Result<Arc<Self>, NetError> {
        let mut count = 0;
        // SAFETY: plain calls with places for their results.
        unsafe {
            check(sys::cuInit(0), "starting the driver")?;
            check(sys::cuDeviceGetCount(&mut count), "counting cards")?;
        }
        if index >= count as usize {
            return Err(NetError::Device(format!(
                "there is no cuda:{index}: this machine has {count} NVIDIA card(s), counted from 0"
            )));
        }
        let (mut device, mut raw) = (0, std::ptr::null_mut());
        // SAFETY: `index` is a card that exists; the results have places. The context is released on drop.
        unsafe {
            check(sys::cuDeviceGet(&mut device, index as i32), "opening the card")?;
            check(sys::cuDevicePrimaryCtxRetain(&mut raw, device), "opening the card")?;
        }
        let context = Self { raw, device };
        context.enter()?;
        Ok(Arc::new(context))
    }

    /// Makes the context current on this thread.
    pub fn enter(&self) -> Result<(), NetError> {
        // SAFETY: the context is alive as long as `self`.
        check(unsafe { sys::cuCtxSetCurrent(self.raw) }, "entering the card's context")
    }

    pub fn name(&self) -> Result<String, NetError> {
        let mut text = [0 as std::ffi::c_char; 128];
        // SAFETY: the buffer has the length that is passed, and the driver ends the string with a zero.
        unsafe {
            check(
                sys::cuDeviceGetName(text.as_mut_ptr(), text.len() as i32, self.device),
                "reading its name",
            )?;
            Ok(CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned())
        }
    }

    pub fn attribute(&self, which: sys::CUdevice_attribute) -> Result<usize, NetError> {
        let mut value = 0;
        // SAFETY: a plain query with a place for its result.
        let read = unsafe { sys::cuDeviceGetAttribute(&mut value, which, self.device) };
        check(read, "reading its properties")?;
        Ok(value as usize)
    }

    /// Bytes free on the card.
    pub fn free(&self) -> Result<u64, NetError> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: a plain query with places for its results.
        check(unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) }, "asking for its free memory")?;
        Ok(free as u64)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once in `new`.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

/// Memory on the card.
pub(crate) struct Buffer {
    pub at: u64,
    pub bytes: usize,
    context: Arc<Context>,
}

impl Buffer {
    /// Uninitialized memory; `None` in the error's place where there is not enough of it.
    pub fn new(context: &Arc<Context>, bytes: usize) -> Result<Option<Self>, NetError> {
        let (mut at, bytes) = (0, bytes.max(256));
        // SAFETY: the context is current on this thread; the memory is freed on drop.
        match unsafe { sys::cuMemAlloc_v2(&mut at, bytes) } {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => return Ok(None),
            result => check(result, "taking memory")?,
        }
        Ok(Some(Self { at, bytes, context: context.clone() }))
    }

    pub fn zero(&self) -> Result<(), NetError> {
        // SAFETY: the whole of the buffer, which is alive.
        check(unsafe { sys::cuMemsetD8_v2(self.at, 0, self.bytes) }, "clearing memory")?;
        settle()
    }

    /// Copies numbers to the place `offset` bytes into the buffer and waits for it.
    pub fn write<T: Plain>(&self, offset: usize, values: &[T]) -> Result<(), NetError> {
        let bytes = size_of_val(values);
        assert!(offset + bytes <= self.bytes, "a copy stays inside its buffer");
        // SAFETY: source and destination hold `bytes` bytes.
        let result = unsafe { sys::cuMemcpyHtoD_v2(self.at + offset as u64, values.as_ptr().cast(), bytes) };
        check(result, "copying to the card")?;
        settle()
    }

    /// Copies numbers from the place `offset` bytes into the buffer. Streams that write there must be waited for first.
    pub fn read<T: Plain>(&self, offset: usize, values: &mut [T]) -> Result<(), NetError> {
        let bytes = size_of_val(values);
        assert!(offset + bytes <= self.bytes, "a copy stays inside its buffer");
        // SAFETY: source and destination hold `bytes` bytes; any bits are a `T`.
        let result =
            unsafe { sys::cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), self.at + offset as u64, bytes) };
        check(result, "copying from the card")
    }
}

/// Waits for copies and clearings, which the driver may still have under way when it returns; our streams would not wait
/// for them.
fn settle() -> Result<(), NetError> {
    // SAFETY: the null stream, on which those calls run.
    check(unsafe { sys::cuStreamSynchronize(std::ptr::null_mut()) }, "copying to the card")
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let _ = self.context.enter();
        // SAFETY: allocated in `new` and freed once. The driver waits for work that uses it.
        let _ = unsafe { sys::cuMemFree_v2(self.at) };
    }
}

/// Numbers that are their bytes.
pub(crate) trait Plain: Copy {}
impl Plain for u8 {}
impl Plain for u16 {}
impl Plain for u32 {}
impl Plain for f32 {}

/// Host memory that the card copies from and to without a detour. Holds 4-byte words.
pub(crate) struct Pinned {
    at: *mut u32,
    words: usize,
    context: Arc<Context>,
}

// SAFETY: owned memory.
unsafe impl Send for Pinned {}

impl Pinned {
    pub fn new(context: &Arc<Context>, words: usize) -> Result<Self, NetError> {
        let mut at = std::ptr::null_mut();
        let words = words.max(64);
        // SAFETY: the context is current; zeroed below, freed on drop.
        unsafe {
            check(sys::cuMemAllocHost_v2(&mut at, words * 4), "taking host memory")?;
            std::ptr::write_bytes(at.cast::<u8>(), 0, words * 4);
        }
        Ok(Self { at: at.cast(), words, context: context.clone() })
    }

    pub fn pointer(&self) -> *mut c_void {
        self.at.cast()
    }

    pub fn words(&mut self) -> &mut [u32] {
        // SAFETY: `words` initialized words, borrowed through `self`. The executor writes what the card reads only after
        // the copy before was waited for, and reads what the card writes only after it was waited for.
        unsafe { std::slice::from_raw_parts_mut(self.at, self.words) }
    }

    pub fn floats(&mut self) -> &mut [f32] {
        // SAFETY: as above; any bits are an f32.
        unsafe { std::slice::from_raw_parts_mut(self.at.cast(), self.words) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let _ = self.context.enter();
        // SAFETY: allocated in `new` and freed once.
        let _ = unsafe { sys::cuMemFreeHost(self.at.cast()) };
    }
}

/// An order of work.
pub(crate) struct Stream {
    pub raw: sys::CUstream,
    context: Arc<Context>,
}

// SAFETY: the driver locks streams itself.
unsafe impl Send for Stream {}

impl Stream {
    pub fn new(context: &Arc<Context>) -> Result<Self, NetError> {
        let mut raw = std::ptr::null_mut();
        let kind = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the context is current; destroyed on drop.
        check(unsafe { sys::cuStreamCreate(&mut raw, kind) }, "opening a stream")?;
        Ok(Self { raw, context: context.clone() })
    }

    pub fn wait(&self) -> Result<(), NetError> {
        // SAFETY: a stream that is alive.
        check(unsafe { sys::cuStreamSynchronize(self.raw) }, "computing")
    }

    /// Later work of this stream waits for what `event` marks.
    pub fn after(&self, event: &Event) -> Result<(), NetError> {
        // SAFETY: both are alive.
        check(unsafe { sys::cuStreamWaitEvent(self.raw, event.raw, 0) }, "ordering streams")
    }

    pub fn send(&self, to: u64, from: *const c_void, bytes: usize) -> Result<(), NetError> {
        // SAFETY: callers pass pinned memory and a device buffer that hold `bytes` bytes and outlive the copy.
        check(unsafe { sys::cuMemcpyHtoDAsync_v2(to, from, bytes, self.raw) }, "copying to the card")
    }

    pub fn fetch(&self, to: *mut c_void, from: u64, bytes: usize) -> Result<(), NetError> {
        // SAFETY: as for `send`.
        check(unsafe { sys::cuMemcpyDtoHAsync_v2(to, from, bytes, self.raw) }, "copying from the card")
    }

    /// Records what `work` puts on this stream (and on streams it forks to) as a graph.
    pub fn capture(&self, work: impl FnOnce() -> Result<(), NetError>) -> Result<Graph, NetError> {
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is alive and nothing else captures it.
        check(unsafe { sys::cuStreamBeginCapture_v2(self.raw, mode) }, "recording a graph")?;
        let done = work();
        let mut graph = std::ptr::null_mut();
        // SAFETY: ends the capture begun above.
        let ended = unsafe { sys::cuStreamEndCapture(self.raw, &mut graph) };
        if let Err(error) = done {
            if !graph.is_null() {
                // SAFETY: made by the capture that just ended, and used by nobody.
                let _ = unsafe { sys::cuGraphDestroy(graph) };
            }
            return Err(error);
        }
        check(ended, "recording a graph")?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: `graph` was just made; it may go once the executable form exists, which is destroyed on drop.
        let made = unsafe {
            let made = sys::cuGraphInstantiateWithFlags(&mut raw, graph, 0);
            let _ = sys::cuGraphDestroy(graph);
            made
        };
        check(made, "building a graph")?;
        Ok(Graph { raw, context: self.context.clone() })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let _ = self.context.enter();
        // SAFETY: created in `new`, destroyed once, after its work.
        unsafe {
            let _ = sys::cuStreamSynchronize(self.raw);
            let _ = sys::cuStreamDestroy_v2(self.raw);
        }
    }
}

/// Recorded work that is launched as a whole.
pub(crate) struct Graph {
    raw: sys::CUgraphExec,
    context: Arc<Context>,
}

// SAFETY: the driver locks graphs itself; it is launched from one thread at a time.
unsafe impl Send for Graph {}

impl Graph {
    pub fn launch(&self, stream: &Stream) -> Result<(), NetError> {
        // SAFETY: both are alive, and so is the memory the graph was recorded with, which its owner keeps.
        check(unsafe { sys::cuGraphLaunch(self.raw, stream.raw) }, "launching a graph")
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let _ = self.context.enter();
        // SAFETY: made in `capture`, destroyed once.
        let _ = unsafe { sys::cuGraphExecDestroy(self.raw) };
    }
}

/// A mark in a stream.
pub(crate) struct Event {
    raw: sys::CUevent,
    context: Arc<Context>,
}

// SAFETY: the driver locks events itself.
unsafe impl Send for Event {}

impl Event {
    pub fn new(context: &Arc<Context>) -> Result<Self, NetError> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the context is current; destroyed on drop.
        check(unsafe { sys::cuEventCreate(&mut raw, 0) }, "making an event")?;
        Ok(Self { raw, context: context.clone() })
    }

    pub fn record(&self, stream: &Stream) -> Result<(), NetError> {
        // SAFETY: both are alive.
        check(unsafe { sys::cuEventRecord(self.raw, stream.raw) }, "recording an event")
    }

    /// Milliseconds from this event to a later one; both must have passed.
    pub fn until(&self, later: &Event) -> Result<f32, NetError> {
        let mut time = 0.0;
        // SAFETY: both are alive.
        check(unsafe { sys::cuEventElapsedTime_v2(&mut time, self.raw, later.raw) }, "timing")?;
        Ok(time)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let _ = self.context.enter();
        // SAFETY: made in `new`, destroyed once.
        let _ = unsafe { sys::cuEventDestroy_v2(self.raw) };
    }
}

/// Compiled kernels.
pub(crate) struct Module {
    raw: sys::CUmodule,
    context: Arc<Context>,
}

// SAFETY: immutable once loaded.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

/// One kernel of a module, which its owner keeps.
#[derive(Clone, Copy)]
pub(crate) struct Kernel(sys::CUfunction);

// SAFETY: immutable once loaded.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

impl Module {
    pub fn load(context: &Arc<Context>, image: &[u8]) -> Result<Self, NetError> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: `image` is a whole cubin, as NVRTC made it.
        check(unsafe { sys::cuModuleLoadData(&mut raw, image.as_ptr().cast()) }, "loading kernels")?;
        Ok(Self { raw, context: context.clone() })
    }

    pub fn kernel(&self, name: &CStr) -> Result<Kernel, NetError> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: a C string and a place for the result.
        let found = unsafe { sys::cuModuleGetFunction(&mut raw, self.raw, name.as_ptr()) };
        check(found, &format!("looking for the kernel {}", name.to_string_lossy()))?;
        Ok(Kernel(raw))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let _ = self.context.enter();
        // SAFETY: loaded in `load`, unloaded once.
        let _ = unsafe { sys::cuModuleUnload(self.raw) };
    }
}

impl Kernel {
    /// Launches over `grid` blocks of `threads`. `arguments` are the kernel's, in order and of its types.
    pub fn launch(
        &self,
        stream: &Stream,
        grid: (usize, usize, usize),
        threads: usize,
        arguments: &mut [Argument],
    ) -> Result<(), NetError> {
        let mut pointers: Vec<*mut c_void> =
            arguments.iter_mut().map(|a| (&raw mut a.bytes).cast::<c_void>()).collect();
        let (x, y, z) = (grid.0 as u32, grid.1 as u32, grid.2 as u32);
        // SAFETY: each argument has at least the size the kernel reads, and the driver copies it before it returns.
        let launched = unsafe {
            sys::cuLaunchKernel(
                self.0,
                x,
                y,
                z,
                threads as u32,
                1,
                1,
                0,
                stream.raw,
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        check(launched, "launching a kernel")
    }
}

/// One argument of a kernel, by value.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct Argument {
    bytes: [u8; 8],
}

impl From<u64> for Argument {
    fn from(x: u64) -> Self {
        Self { bytes: x.to_ne_bytes() }
    }
}

impl From<i32> for Argument {
    fn from(x: i32) -> Self {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&x.to_ne_bytes());
        Self { bytes }
    }
}

impl From<usize> for Argument {
    /// As an `int`: kernels count in `int`s where sizes allow.
    fn from(x: usize) -> Self {
        debug_assert!(i32::try_from(x).is_ok(), "{x} does not fit a kernel's int");
        Self::from(i32::try_from(x).unwrap_or(i32::MAX))
    }
}

impl From<f32> for Argument {
    fn from(x: f32) -> Self {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&x.to_ne_bytes());
        Self { bytes }
    }
}
