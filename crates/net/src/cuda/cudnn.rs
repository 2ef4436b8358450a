//! Convolutions by cuDNN, through its backend interface: an operation graph, the engines that can run it, a plan.

use super::driver::{Context, Stream};
use crate::NetError;
use cudarc::cudnn::sys;
use std::ffi::{CStr, c_void};
use std::sync::Arc;
use sys::cudnnBackendAttributeName_t as Name;
use sys::cudnnBackendAttributeType_t as Type;
use sys::cudnnBackendDescriptorType_t as Kind;

fn check(status: sys::cudnnStatus_t, doing: &str) -> Result<(), NetError> {
    if status == sys::cudnnStatus_t::CUDNN_STATUS_SUCCESS {
        return Ok(());
    }
    // SAFETY: cuDNN returns a string it owns forever.
    let text = unsafe { CStr::from_ptr(sys::cudnnGetErrorString(status)) };
    Err(NetError::Device(format!("cuDNN failed while {doing}: {}", text.to_string_lossy())))
}

/// cuDNN's state for one thread of work.
pub(crate) struct Handle(sys::cudnnHandle_t, Arc<Context>);

// SAFETY: a handle may move between threads as long as one uses it at a time.
unsafe impl Send for Handle {}

impl Handle {
    pub fn new(context: &Arc<Context>) -> Result<Self, NetError> {
        context.enter()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: a context is current; destroyed on drop.
        check(unsafe { sys::cudnnCreate(&mut raw) }, "starting")?;
        Ok(Self(raw, context.clone()))
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let _ = self.1.enter();
        // SAFETY: made in `new`, destroyed once.
        let _ = unsafe { sys::cudnnDestroy(self.0) };
    }
}

/// The version of cuDNN, as it numbers itself.
pub(crate) fn version() -> usize {
    // SAFETY: a plain query; the library was probed.
    unsafe { sys::cudnnGetVersion() }
}

/// A descriptor of the backend interface.
struct Descriptor(sys::cudnnBackendDescriptor_t);

// SAFETY: finalized descriptors are immutable.
unsafe impl Send for Descriptor {}
// SAFETY: as above.
unsafe impl Sync for Descriptor {}

impl Descriptor {
    fn new(kind: Kind) -> Result<Self, NetError> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: a place for the result; destroyed on drop.
        check(unsafe { sys::cudnnBackendCreateDescriptor(kind, &mut raw) }, "making a descriptor")?;
        Ok(Self(raw))
    }

    fn set<V>(&self, name: Name, kind: Type, values: &[V]) -> Result<(), NetError> {
        // SAFETY: as many values as stated, of the type the attribute takes (callers pair `kind` and `V`).
        let status = unsafe {
            sys::cudnnBackendSetAttribute(self.0, name, kind, values.len() as i64, values.as_ptr().cast())
        };
        check(status, &format!("setting {name:?}"))
    }

    fn set_descriptor(&self, name: Name, to: &Descriptor) -> Result<(), NetError> {
        self.set(name, Type::CUDNN_TYPE_BACKEND_DESCRIPTOR, &[to.0])
    }

    /// Fills `values` and returns how many there are.
    fn get<V>(&self, name: Name, kind: Type, values: &mut [V]) -> Result<usize, NetError> {
        let mut count = 0;
        // SAFETY: room for as many values as stated, of the attribute's type.
        let status = unsafe {
            sys::cudnnBackendGetAttribute(
                self.0,
                name,
                kind,
                values.len() as i64,
                &mut count,
                values.as_mut_ptr().cast::<c_void>(),
            )
        };
        check(status, &format!("reading {name:?}"))?;
        Ok((count.max(0) as usize).min(values.len()))
    }

    fn finish(self) -> Result<Self, NetError> {
        // SAFETY: a descriptor with its attributes set.
        check(unsafe { sys::cudnnBackendFinalize(self.0) }, "checking a descriptor")?;
        Ok(self)
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: made in `new`, destroyed once.
        let _ = unsafe { sys::cudnnBackendDestroyDescriptor(self.0) };
    }
}

/// What a convolution computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Pass {
    /// y from x and w.
    Forward,
    /// x' from y' and w.
    Backward,
    /// w' from x and y'.
    Weights,
}

/// A convolution of bf16 images in NHWC, padded with (size - 1) / 2 zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Convolution {
    pub pass: Pass,
    pub batch: usize,
    pub height: usize,
    pub width: usize,
    pub inputs: usize,
    pub outputs: usize,
    /// Height and width of the kernel: 3 or 1.
    pub size: usize,
    pub stride: usize,
}

impl Convolution {
    /// A name for the cache of choices.
    pub fn key(&self) -> String {
        let Self { pass, batch, height, width, inputs, outputs, size, stride } = self;
        let form = match (size, stride) {
            (3, 1) => String::new(),
            _ => format!("-{size}x{size}-stride-{stride}"),
        };
        format!("{pass:?}-{batch}x{height}x{width}-{inputs}-{outputs}{form}").to_lowercase()
    }

    /// Height and width of its result.
    pub fn result(&self) -> (usize, usize) {
        (self.height.div_ceil(self.stride), self.width.div_ceil(self.stride))
    }
}

const X: i64 = 1;
const W: i64 = 2;
const Y: i64 = 3;

fn tensor(id: i64, dims: [usize; 4]) -> Result<Descriptor, NetError> {
    let [n, c, h, w] = dims.map(|d| d as i64);
    let d = Descriptor::new(Kind::CUDNN_BACKEND_TENSOR_DESCRIPTOR)?;
    d.set(
        Name::CUDNN_ATTR_TENSOR_DATA_TYPE,
        Type::CUDNN_TYPE_DATA_TYPE,
        &[sys::cudnnDataType_t::CUDNN_DATA_BFLOAT16],
    )?;
    d.set(Name::CUDNN_ATTR_TENSOR_DIMENSIONS, Type::CUDNN_TYPE_INT64, &[n, c, h, w])?;
    d.set(Name::CUDNN_ATTR_TENSOR_STRIDES, Type::CUDNN_TYPE_INT64, &[h * w * c, 1, w * c, c])?;
    d.set(Name::CUDNN_ATTR_TENSOR_UNIQUE_ID, Type::CUDNN_TYPE_INT64, &[id])?;
    d.set(Name::CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, Type::CUDNN_TYPE_INT64, &[16i64])?;
    d.finish()
}

/// The operation graph of one convolution, with what it refers to.
struct OperationGraph {
    graph: Descriptor,
    _parts: Vec<Descriptor>,
}

impl OperationGraph {
    fn new(handle: &Handle, c: &Convolution) -> Result<Self, NetError> {
        let x = tensor(X, [c.batch, c.inputs, c.height, c.width])?;
        let w = tensor(W, [c.outputs, c.inputs, c.size, c.size])?;
        let (height, width) = c.result();
        let y = tensor(Y, [c.batch, c.outputs, height, width])?;
        let how = Descriptor::new(Kind::CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR)?;
        let float = sys::cudnnDataType_t::CUDNN_DATA_FLOAT;
        how.set(Name::CUDNN_ATTR_CONVOLUTION_COMP_TYPE, Type::CUDNN_TYPE_DATA_TYPE, &[float])?;
        how.set(
            Name::CUDNN_ATTR_CONVOLUTION_CONV_MODE,
            Type::CUDNN_TYPE_CONVOLUTION_MODE,
            &[sys::cudnnConvolutionMode_t::CUDNN_CROSS_CORRELATION],
        )?;
        how.set(Name::CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, Type::CUDNN_TYPE_INT64, &[2i64])?;
        let (stride, padding) = ([c.stride as i64; 2], [(c.size / 2) as i64; 2]);
        how.set(Name::CUDNN_ATTR_CONVOLUTION_DILATIONS, Type::CUDNN_TYPE_INT64, &[1i64, 1])?;
        how.set(Name::CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, Type::CUDNN_TYPE_INT64, &stride)?;
        how.set(Name::CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, Type::CUDNN_TYPE_INT64, &padding)?;
        how.set(Name::CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, Type::CUDNN_TYPE_INT64, &padding)?;
        let how = how.finish()?;
        let (kind, names) = match c.pass {
            Pass::Forward => (
                Kind::CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                [
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
                ],
            ),
            Pass::Backward => (
                Kind::CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                [
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
                ],
            ),
            Pass::Weights => (
                Kind::CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                [
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
                ],
            ),
        };
        let operation = Descriptor::new(kind)?;
        for (name, part) in names.into_iter().zip([&x, &w, &y, &how]) {
            operation.set_descriptor(name, part)?;
        }
        operation.set(names[4], Type::CUDNN_TYPE_FLOAT, &[1.0f32])?;
        operation.set(names[5], Type::CUDNN_TYPE_FLOAT, &[0.0f32])?;
        let operation = operation.finish()?;
        let graph = Descriptor::new(Kind::CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)?;
        graph.set(Name::CUDNN_ATTR_OPERATIONGRAPH_HANDLE, Type::CUDNN_TYPE_HANDLE, &[handle.0])?;
        graph.set_descriptor(Name::CUDNN_ATTR_OPERATIONGRAPH_OPS, &operation)?;
        Ok(Self { graph: graph.finish()?, _parts: vec![x, w, y, how, operation] })
    }
}

/// The most engine configurations asked for from one heuristic.
const MOST: usize = 32;

/// Configurations in cuDNN's order, best guess first, without those whose sums depend on chance; each with its place
/// in that order, which names it.
struct Candidates {
    _graph: OperationGraph,
    configurations: Vec<(usize, Descriptor)>,
}

impl Candidates {
    fn new(handle: &Handle, c: &Convolution) -> Result<Self, NetError> {
        let graph = OperationGraph::new(handle, c)?;
        let heuristic = Descriptor::new(Kind::CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR)?;
        heuristic.set_descriptor(Name::CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, &graph.graph)?;
        heuristic.set(
            Name::CUDNN_ATTR_ENGINEHEUR_MODE,
            Type::CUDNN_TYPE_HEUR_MODE,
            &[sys::cudnnBackendHeurMode_t::CUDNN_HEUR_MODE_A],
        )?;
        let heuristic = heuristic.finish()?;
        let all = (0..MOST)
            .map(|_| Descriptor::new(Kind::CUDNN_BACKEND_ENGINECFG_DESCRIPTOR))
            .collect::<Result<Vec<_>, _>>()?;
        let mut raw: Vec<_> = all.iter().map(|d| d.0).collect();
        let count = heuristic.get(
            Name::CUDNN_ATTR_ENGINEHEUR_RESULTS,
            Type::CUDNN_TYPE_BACKEND_DESCRIPTOR,
            &mut raw,
        )?;
        let mut configurations = Vec::new();
        for (index, configuration) in all.into_iter().take(count).enumerate() {
            if deterministic(&configuration)? {
                configurations.push((index, configuration));
            }
        }
        Ok(Self { _graph: graph, configurations })
    }
}

/// The engine of a configuration.
fn engine(configuration: &Descriptor) -> Result<Descriptor, NetError> {
    let engine = Descriptor::new(Kind::CUDNN_BACKEND_ENGINE_DESCRIPTOR)?;
    let mut raw = [engine.0];
    configuration.get(Name::CUDNN_ATTR_ENGINECFG_ENGINE, Type::CUDNN_TYPE_BACKEND_DESCRIPTOR, &mut raw)?;
    Ok(engine)
}

/// Notes that an engine carries, as cuDNN numbers them.
fn notes(engine: &Descriptor, name: Name, kind: Type) -> Result<Vec<u32>, NetError> {
    let mut notes = [u32::MAX; 32];
    let count = engine.get(name, kind, &mut notes)?;
    Ok(notes[..count].to_vec())
}

fn deterministic(configuration: &Descriptor) -> Result<bool, NetError> {
    let engine = engine(configuration)?;
    let notes = notes(&engine, Name::CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, Type::CUDNN_TYPE_NUMERICAL_NOTE)?;
    let chance = sys::cudnnBackendNumericalNote_t::CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC as u32;
    Ok(!notes.contains(&chance))
}

/// A convolution that is ready to run.
pub(crate) struct Plan {
    plan: Descriptor,
    /// What the plan was made from has to outlive it.
    _from: Arc<Candidates>,
    /// Bytes of scratch memory it needs.
    pub workspace: usize,
    /// Its place in cuDNN's order.
    pub index: usize,
}

impl Plan {
    /// Every configuration that can be built, in cuDNN's order.
    pub fn all(handle: &Handle, c: &Convolution) -> Result<Vec<Self>, NetError> {
        let candidates = Arc::new(Candidates::new(handle, c)?);
        Ok((0..candidates.configurations.len())
            .filter_map(|at| Self::new(handle, &candidates, at).ok())
            .collect())
    }

    /// The configuration at one place of cuDNN's order, if it can be built.
    pub fn at(handle: &Handle, c: &Convolution, index: usize) -> Result<Option<Self>, NetError> {
        let candidates = Arc::new(Candidates::new(handle, c)?);
        let found = candidates.configurations.iter().position(|(i, _)| *i == index);
        Ok(found.and_then(|at| Self::new(handle, &candidates, at).ok()))
    }

    fn new(handle: &Handle, candidates: &Arc<Candidates>, at: usize) -> Result<Self, NetError> {
        let (index, configuration) = &candidates.configurations[at];
        let plan = Descriptor::new(Kind::CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)?;
        plan.set(Name::CUDNN_ATTR_EXECUTION_PLAN_HANDLE, Type::CUDNN_TYPE_HANDLE, &[handle.0])?;
        plan.set_descriptor(Name::CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration)?;
        let plan = plan.finish()?;
        let mut workspace = [0i64];
        plan.get(Name::CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, Type::CUDNN_TYPE_INT64, &mut workspace)?;
        let workspace = workspace[0].max(0) as usize;
        Ok(Self { plan, _from: candidates.clone(), workspace, index: *index })
    }

    /// The engine's number and notes, for a table.
    pub fn describe(handle: &Handle, c: &Convolution, index: usize) -> Result<String, NetError> {
        let candidates = Candidates::new(handle, c)?;
        let Some((_, configuration)) = candidates.configurations.iter().find(|(i, _)| *i == index) else {
            return Ok(String::new());
        };
        let engine = engine(configuration)?;
        let mut number = [0i64];
        engine.get(Name::CUDNN_ATTR_ENGINE_GLOBAL_INDEX, Type::CUDNN_TYPE_INT64, &mut number)?;
        let numerical =
            notes(&engine, Name::CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, Type::CUDNN_TYPE_NUMERICAL_NOTE)?;
        let behavior = notes(&engine, Name::CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, Type::CUDNN_TYPE_BEHAVIOR_NOTE)?;
        Ok(format!("engine {} notes {numerical:?} {behavior:?}", number[0]))
    }

    /// Puts the convolution on a stream. `x`, `w`, `y` are the tensors (or their gradients, where the pass gives or
    /// takes those); `workspace` has the bytes the plan asks for.
    pub fn run(
        &self,
        handle: &Handle,
        stream: &Stream,
        [x, w, y]: [u64; 3],
        workspace: u64,
    ) -> Result<(), NetError> {
        let pack = Descriptor::new(Kind::CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)?;
        pack.set(Name::CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, Type::CUDNN_TYPE_INT64, &[X, W, Y])?;
        pack.set(
            Name::CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
            Type::CUDNN_TYPE_VOID_PTR,
            &[x as *mut c_void, w as *mut c_void, y as *mut c_void],
        )?;
        pack.set(
            Name::CUDNN_ATTR_VARIANT_PACK_WORKSPACE,
            Type::CUDNN_TYPE_VOID_PTR,
            &[workspace as *mut c_void],
        )?;
        let pack = pack.finish()?;
        // SAFETY: the handle and the stream are alive; the tensors lie in buffers of the sizes the plan was made for,
        // which outlive the work.
        unsafe {
            check(sys::cudnnSetStream(handle.0, stream.raw.cast()), "choosing a stream")?;
            check(sys::cudnnBackendExecute(handle.0, self.plan.0, pack.0), "convolving")
        }
    }
}
