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
    #[cfg(test)]
    if let Some(level) = tests::FORCED.get() {
        return level;
    }
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

/// Declares a function whose body is compiled for each vector width. In `fn name<V>(…)`, `V` is the [`Vector`] of the
/// width at hand, for loops that must not be left to the compiler's vectorizer.
macro_rules! simd_fn {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<$v:ident>($($arg:ident: $ty:ty),* $(,)?) $body:block) => {
        $crate::cpu::simd::simd_fn! { @ [$(#[$meta])*] [$vis] $name [<$v: $crate::cpu::simd::Vector>]
            [::<$crate::cpu::simd::Avx512>] [::<$crate::cpu::simd::Avx2>] [::<$crate::cpu::simd::Plain>]
            ($($arg: $ty),*) $body }
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block) => {
        $crate::cpu::simd::simd_fn! { @ [$(#[$meta])*] [$vis] $name [] [] [] [] ($($arg: $ty),*) $body }
    };
    (@ [$($meta:tt)*] [$vis:vis] $name:ident [$($generic:tt)*] [$($wide:tt)*] [$($half:tt)*] [$($plain:tt)*]
        ($($arg:ident: $ty:ty),*) $body:block) => {
        $($meta)*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name($($arg: $ty),*) {
            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            fn body $($generic)* ($($arg: $ty),*) $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]
                #[allow(clippy::too_many_arguments)]
                fn avx512($($arg: $ty),*) { body $($wide)* ($($arg),*) }
                #[target_feature(enable = "avx2,fma")]
                #[allow(clippy::too_many_arguments)]
                fn avx2($($arg: $ty),*) { body $($half)* ($($arg),*) }
                match $crate::cpu::simd::level() {
                    // SAFETY: `level` found every feature the function was compiled for.
                    $crate::cpu::simd::Level::Avx512 => return unsafe { avx512($($arg),*) },
                    // SAFETY: as above.
                    $crate::cpu::simd::Level::Avx2 => return unsafe { avx2($($arg),*) },
                    $crate::cpu::simd::Level::Baseline => {}
                }
            }
            body $($plain)* ($($arg),*)
        }
    };
}
pub(crate) use simd_fn;

/// Numbers in a [`Vector`]: one AVX-512 register, two of AVX2.
pub(crate) const LANES: usize = 16;

/// Sixteen numbers worked on together. The kinds for wide registers are used only inside functions that [`simd_fn!`]
/// compiled for those registers, after the processor was asked for them.
pub(crate) trait Vector: Copy {
    /// Whether there are registers for two dozen of these (AVX-512), or for half a dozen.
    const WIDE: bool;

    fn splat(x: f32) -> Self;
    /// The first sixteen numbers of `from`.
    fn load(from: &[f32]) -> Self;
    /// Over the first sixteen numbers of `to`.
    fn store(self, to: &mut [f32]);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    /// `self * factor + other`, rounded once where the processor can.
    fn mul_add(self, factor: Self, other: Self) -> Self;
    /// # Safety
    /// Sixteen numbers can be read at `from`.
    unsafe fn load_from(from: *const f32) -> Self;
    /// # Safety
    /// Sixteen numbers can be written at `to`.
    unsafe fn store_to(self, to: *mut f32);
    /// Its own number where `mask` is positive, else 0.
    fn where_positive(self, mask: Self) -> Self;
    /// Its own number where `a` and `b` are equal, else 0.
    fn where_equal(self, a: Self, b: Self) -> Self;

    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }

    #[inline(always)]
    fn times(self, factor: f32) -> Self {
        self.mul(Self::splat(factor))
    }

    #[inline(always)]
    fn add_to(self, to: &mut [f32]) {
        Self::load(to).add(self).store(to);
    }

    #[inline(always)]
    fn to_array(self) -> [f32; LANES] {
        let mut out = [0.0; LANES];
        self.store(&mut out);
        out
    }
}

/// The baseline: an array.
#[derive(Clone, Copy)]
pub(crate) struct Plain([f32; LANES]);

impl Plain {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut out = self;
        for i in 0..LANES {
            out.0[i] = f(self.0[i], other.0[i]);
        }
        out
    }
}

impl Vector for Plain {
    const WIDE: bool = false;
    #[inline(always)]
    fn mul_add(self, factor: Self, other: Self) -> Self {
        // Not `f32::mul_add`, which is a library call where the processor has no such instruction.
        self.mul(factor).add(other)
    }
    #[inline(always)]
    unsafe fn load_from(from: *const f32) -> Self {
        // SAFETY: the caller's promise; the read needs no alignment beyond that of f32.
        Self(unsafe { from.cast::<[f32; LANES]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store_to(self, to: *mut f32) {
        // SAFETY: the caller's promise.
        unsafe { to.cast::<[f32; LANES]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([x; LANES])
    }
    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        let mut out = [0.0; LANES];
        out.copy_from_slice(&from[..LANES]);
        Self(out)
    }
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        to[..LANES].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, f32::max)
    }
    #[inline(always)]
    fn where_positive(self, mask: Self) -> Self {
        self.zip(mask, |x, m| if m > 0.0 { x } else { 0.0 })
    }
    #[inline(always)]
    fn where_equal(self, a: Self, b: Self) -> Self {
        let mut out = self;
        for i in 0..LANES {
            out.0[i] = if a.0[i] == b.0[i] { self.0[i] } else { 0.0 };
        }
        out
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{LANES, Vector};
    use std::arch::x86_64::*;

    /// One AVX-512 register.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx512(__m512);

    /// Two AVX registers.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(__m256, __m256);

    /// One method of [`Vector`] from an intrinsic.
    macro_rules! method {
        ($name:ident($a:ident, $b:ident) => $value:expr) => {
            #[inline(always)]
            fn $name(self, $b: Self) -> Self {
                let $a = self;
                // SAFETY: values of this type exist only where the processor was found to have the instructions.
                unsafe { $value }
            }
        };
    }

    impl Vector for Avx512 {
        const WIDE: bool = true;
        #[inline(always)]
        fn mul_add(self, factor: Self, other: Self) -> Self {
            // SAFETY: as for the methods below.
            Self(unsafe { _mm512_fmadd_ps(self.0, factor.0, other.0) })
        }
        #[inline(always)]
        unsafe fn load_from(from: *const f32) -> Self {
            // SAFETY: the caller's promise.
            Self(unsafe { _mm512_loadu_ps(from) })
        }
        #[inline(always)]
        unsafe fn store_to(self, to: *mut f32) {
            // SAFETY: the caller's promise.
            unsafe { _mm512_storeu_ps(to, self.0) }
        }
        #[inline(always)]
        fn splat(x: f32) -> Self {
            // SAFETY: called only in functions compiled for AVX-512 and entered after detection, as below.
            Self(unsafe { _mm512_set1_ps(x) })
        }
        #[inline(always)]
        fn load(from: &[f32]) -> Self {
            let from = &from[..LANES];
            // SAFETY: sixteen numbers are there; the load needs no alignment.
            Self(unsafe { _mm512_loadu_ps(from.as_ptr()) })
        }
        #[inline(always)]
        fn store(self, to: &mut [f32]) {
            let to = &mut to[..LANES];
            // SAFETY: there is room for sixteen numbers; the store needs no alignment.
            unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) }
        }
        method!(add(a, b) => Self(_mm512_add_ps(a.0, b.0)));
        method!(sub(a, b) => Self(_mm512_sub_ps(a.0, b.0)));
        method!(mul(a, b) => Self(_mm512_mul_ps(a.0, b.0)));
        method!(max(a, b) => Self(_mm512_max_ps(a.0, b.0)));
        method!(where_positive(a, m) => {
            Self(_mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(m.0, _mm512_setzero_ps()), a.0))
        });
        #[inline(always)]
        fn where_equal(self, a: Self, b: Self) -> Self {
            // SAFETY: as for the methods above.
            Self(unsafe { _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a.0, b.0), self.0) })
        }
    }

    impl Vector for Avx2 {
        const WIDE: bool = false;
        #[inline(always)]
        fn mul_add(self, factor: Self, other: Self) -> Self {
            // SAFETY: as for the methods below.
            unsafe {
                Self(_mm256_fmadd_ps(self.0, factor.0, other.0), _mm256_fmadd_ps(self.1, factor.1, other.1))
            }
        }
        #[inline(always)]
        unsafe fn load_from(from: *const f32) -> Self {
            // SAFETY: the caller's promise.
            unsafe { Self(_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))) }
        }
        #[inline(always)]
        unsafe fn store_to(self, to: *mut f32) {
            // SAFETY: the caller's promise.
            unsafe {
                _mm256_storeu_ps(to, self.0);
                _mm256_storeu_ps(to.add(8), self.1);
            }
        }
        #[inline(always)]
        fn splat(x: f32) -> Self {
            // SAFETY: called only in functions compiled for AVX2 and entered after detection, as below.
            let half = unsafe { _mm256_set1_ps(x) };
            Self(half, half)
        }
        #[inline(always)]
        fn load(from: &[f32]) -> Self {
            let from = &from[..LANES];
            // SAFETY: sixteen numbers are there; the loads need no alignment.
            unsafe { Self(_mm256_loadu_ps(from.as_ptr()), _mm256_loadu_ps(from.as_ptr().add(8))) }
        }
        #[inline(always)]
        fn store(self, to: &mut [f32]) {
            let to = &mut to[..LANES];
            // SAFETY: there is room for sixteen numbers; the stores need no alignment.
            unsafe {
                _mm256_storeu_ps(to.as_mut_ptr(), self.0);
                _mm256_storeu_ps(to.as_mut_ptr().add(8), self.1);
            }
        }
        method!(add(a, b) => Self(_mm256_add_ps(a.0, b.0), _mm256_add_ps(a.1, b.1)));
        method!(sub(a, b) => Self(_mm256_sub_ps(a.0, b.0), _mm256_sub_ps(a.1, b.1)));
        method!(mul(a, b) => Self(_mm256_mul_ps(a.0, b.0), _mm256_mul_ps(a.1, b.1)));
        method!(max(a, b) => Self(_mm256_max_ps(a.0, b.0), _mm256_max_ps(a.1, b.1)));
        method!(where_positive(a, m) => {
            let zero = _mm256_setzero_ps();
            Self(
                _mm256_and_ps(a.0, _mm256_cmp_ps::<_CMP_GT_OQ>(m.0, zero)),
                _mm256_and_ps(a.1, _mm256_cmp_ps::<_CMP_GT_OQ>(m.1, zero)),
            )
        });
        #[inline(always)]
        fn where_equal(self, a: Self, b: Self) -> Self {
            // SAFETY: as for the methods above.
            unsafe {
                Self(
                    _mm256_and_ps(self.0, _mm256_cmp_ps::<_CMP_EQ_OQ>(a.0, b.0)),
                    _mm256_and_ps(self.1, _mm256_cmp_ps::<_CMP_EQ_OQ>(a.1, b.1)),
                )
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::cell::Cell;

    thread_local! {
        /// The level that this thread's kernels run at, in a test that tries them all.
        pub(crate) static FORCED: Cell<Option<Level>> = const { Cell::new(None) };
    }

    /// Runs a test of kernels with every vector width that the processor has.
    pub(crate) fn at_every_level(test: impl Fn()) {
        let best = level();
        let mut levels = vec![Level::Baseline];
        #[cfg(target_arch = "x86_64")]
        {
            if best == Level::Avx512 || best == Level::Avx2 {
                levels.push(Level::Avx2);
            }
            if best == Level::Avx512 {
                levels.push(Level::Avx512);
            }
        }
        for level in levels {
            FORCED.set(Some(level));
            test();
        }
        FORCED.set(None);
    }

    /// Every kind of vector the processor has gives what plain arithmetic gives, to the bit.
    #[test]
    fn vectors_agree_with_plain_arithmetic() {
        fn run<V: Vector>() -> Vec<[f32; LANES]> {
            let a: Vec<f32> = (0..LANES).map(|i| i as f32 - 7.5).collect();
            let b: Vec<f32> = (0..LANES).map(|i| 3.0 - i as f32 * 0.7).collect();
            let (a, b) = (V::load(&a), V::load(&b));
            [
                a.add(b),
                a.sub(b),
                a.mul(b),
                a.max(b),
                a.where_positive(b),
                a.where_equal(b, b.max(a)),
                a.times(0.3),
                V::zero(),
            ]
            .map(V::to_array)
            .to_vec()
        }
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                assert_eq!(run::<Avx512>(), run::<Plain>());
            }
            if is_x86_feature_detected!("avx2") {
                assert_eq!(run::<Avx2>(), run::<Plain>());
            }
        }
        assert_eq!(run::<Plain>()[6][0], -2.25);
    }
}
