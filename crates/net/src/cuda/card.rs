//! An opened card and a data set that lies on it.

use super::choice::Choices;
use super::driver::{Buffer, Context};
use super::kernels::Programs;
use super::{available, library};
use crate::NetError;
use crate::device::Precision;
use crate::executor::Source;
use crate::spec::Shape;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// One opened GPU: its context, compiled kernels and chosen convolutions. Clones share them, and so does everyone who
/// opens the same card again in this process.
#[derive(Clone)]
pub struct Card(pub(crate) Arc<Opened>);

pub(crate) struct Opened {
    pub programs: Programs,
    pub choices: Choices,
    pub processors: usize,
    capability: (usize, usize),
    name: String,
    number: usize,
    // Last, so that what lives in the context goes before it.
    pub context: Arc<Context>,
}

static OPENED: Mutex<Vec<Weak<Opened>>> = Mutex::new(Vec::new());

impl Card {
    /// Opens card number `index`.
    pub fn open(index: usize) -> Result<Self, NetError> {
        available()?;
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(card) = opened.iter().filter_map(Weak::upgrade).find(|card| card.number == index) {
            card.context.enter()?;
            return Ok(Self(card));
        }
        library::driver()?;
        let context = Context::new(index)?;
        let major = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let name = context.name()?;
        let card = Arc::new(Opened {
            programs: Programs::new(&context, format!("sm_{major}{minor}")),
            choices: Choices::new(&context, &name)?,
            processors: context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            capability: (major, minor),
            name,
            number: index,
            context,
        });
        opened.retain(|card| card.strong_count() > 0);
        opened.push(Arc::downgrade(&card));
        Ok(Self(card))
    }

    /// What the card calls itself: "NVIDIA H200".
    pub fn name(&self) -> String {
        self.0.name.clone()
    }

    /// bf16 arithmetic came with compute capability 8.0 (Ampere).
    pub(crate) fn check(&self, precision: Precision) -> Result<(), NetError> {
        let (major, minor) = self.0.capability;
        if precision == Precision::Bf16 && major < 8 {
            return Err(NetError::Device(format!(
                "{} has compute capability {major}.{minor}, but bf16 needs 8.0; use f32",
                self.0.name
            )));
        }
        Ok(())
    }

    /// Takes memory, or says how much was asked for and how much there is.
    pub(crate) fn take(
        &self,
        bytes: usize,
        batch: usize,
        suggestion: Option<usize>,
    ) -> Result<Buffer, NetError> {
        match Buffer::new(&self.0.context, bytes)? {
            Some(buffer) => Ok(buffer),
            None => Err(self.full(bytes, batch, suggestion)?),
        }
    }

    /// The error for memory that was not there.
    pub(crate) fn full(
        &self,
        bytes: usize,
        batch: usize,
        suggestion: Option<usize>,
    ) -> Result<NetError, NetError> {
        let free = self.0.context.free()?;
        Ok(NetError::DeviceMemory { asked: bytes as u64, free, batch, suggestion })
    }
}

/// A data set on a card, shared by every network that is trained on it.
#[derive(Clone)]
pub struct CardData(pub(crate) Arc<Held>);

pub(crate) struct Held {
    pub card: Card,
    pub rows: usize,
    pub input: Shape,
    /// The kernels' `Source`, which points at the two below.
    pub description: Buffer,
    _values: Buffer,
    _affine: Buffer,
}

/// The kernels' view of the data, as `pointwise.cu` declares it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Description {
    data: u64,
    scale: u64,
    shift: u64,
    bytes: i32,
    channels: i32,
    height: i32,
    width: i32,
}

impl CardData {
    /// Copies a data set to the card, as bytes or numbers, whichever it is.
    pub fn upload(card: &Card, source: &Source, input: Shape) -> Result<Self, NetError> {
        card.0.context.enter()?;
        let rows = source.check(input)?;
        let affine = card.take(8 * input.channels, 0, None)?;
        let values = match source {
            Source::Numbers(numbers) => {
                let buffer = card.take(size_of_val(*numbers), 0, None)?;
                buffer.write(0, numbers)?;
                buffer
            }
            Source::Bytes { bytes, scale, shift } => {
                let buffer = card.take(bytes.len(), 0, None)?;
                buffer.write(0, bytes)?;
                affine.write(0, scale)?;
                affine.write(4 * input.channels, shift)?;
                buffer
            }
        };
        let description = Description {
            data: values.at,
            scale: affine.at,
            shift: affine.at + 4 * input.channels as u64,
            bytes: i32::from(matches!(source, Source::Bytes { .. })),
            channels: input.channels as i32,
            height: input.height as i32,
            width: input.width as i32,
        };
        let place = card.take(size_of::<Description>(), 0, None)?;
        place.write(0, &super::layout::words(&description))?;
        Ok(Self(Arc::new(Held {
            card: card.clone(),
            rows,
            input,
            description: place,
            _values: values,
            _affine: affine,
        })))
    }
}
