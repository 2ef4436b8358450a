//! The widest vector instructions this processor has, chosen when the program runs.
//!
//! A function written through [`simd_fn!`] is compiled three times, for AVX-512, AVX2 and the target's baseline, and
//! the best one the processor supports is called. The same binary therefore runs everywhere.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Level {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Baseline,
}

/// What the processor supports; the detection is cached by the standard library.
#[inline]
pub(crate) fn level() -> Level {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
        {
            return Level::Avx512;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Level::Avx2;
        }
    }
    Level::Baseline
}

/// Declares a function whose body is compiled for each vector width.
macro_rules! simd_fn {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name($($arg: $ty),*) {
            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            fn body($($arg: $ty),*) $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]
                #[allow(clippy::too_many_arguments)]
                fn avx512($($arg: $ty),*) { body($($arg),*) }
                #[target_feature(enable = "avx2,fma")]
                #[allow(clippy::too_many_arguments)]
                fn avx2($($arg: $ty),*) { body($($arg),*) }
                match $crate::cpu::simd::level() {
                    // SAFETY: `level` found every feature the function was compiled for.
                    $crate::cpu::simd::Level::Avx512 => return unsafe { avx512($($arg),*) },
                    // SAFETY: as above.
                    $crate::cpu::simd::Level::Avx2 => return unsafe { avx2($($arg),*) },
                    $crate::cpu::simd::Level::Baseline => {}
                }
            }
            body($($arg),*)
        }
    };
}
pub(crate) use simd_fn;

/// Sixteen lanes: one AVX-512 register, two of AVX2.
pub(crate) const LANES: usize = 16;

/// Sixteen numbers worked on together.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Lanes(pub [f32; LANES]);

impl Lanes {
    pub const ZERO: Self = Self([0.0; LANES]);

    #[inline(always)]
    pub fn load(from: &[f32]) -> Self {
        let mut lanes = Self::ZERO;
        lanes.0.copy_from_slice(&from[..LANES]);
        lanes
    }

    #[inline(always)]
    pub fn store(self, to: &mut [f32]) {
        to[..LANES].copy_from_slice(&self.0);
    }

    #[inline(always)]
    pub fn add_to(self, to: &mut [f32]) {
        for (t, x) in to[..LANES].iter_mut().zip(self.0) {
            *t += x;
        }
    }
}

macro_rules! lanewise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl std::ops::$trait for Lanes {
            type Output = Lanes;
            #[inline(always)]
            fn $method(self, other: Lanes) -> Lanes {
                let mut out = self;
                for i in 0..LANES {
                    out.0[i] = self.0[i] $op other.0[i];
                }
                out
            }
        }
    };
}
lanewise!(Add, add, +);
lanewise!(Sub, sub, -);

impl std::ops::Mul<f32> for Lanes {
    type Output = Lanes;
    #[inline(always)]
    fn mul(self, factor: f32) -> Lanes {
        let mut out = self;
        for x in &mut out.0 {
            *x *= factor;
        }
        out
    }
}
