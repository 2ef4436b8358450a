// Shared by every kernel file. HALF is 1 where activations and working weights are bf16, 0 where they are f32.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#if HALF
typedef u16 T;
__device__ __forceinline__ float up(T x) { return __uint_as_float((u32)x << 16); }
__device__ __forceinline__ T down(float x) {
    u16 r;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(x));
    return r;
}
#else
typedef float T;
__device__ __forceinline__ float up(T x) { return x; }
__device__ __forceinline__ T down(float x) { return x; }
#endif

// Numbers in 16 bytes.
#define WIDE (16 / (int)sizeof(T))

template <int V> struct alignas(V * sizeof(T)) Pack { T v[V]; };

template <int V> __device__ __forceinline__ void load(const T *p, float *x) {
    Pack<V> pack = *reinterpret_cast<const Pack<V> *>(p);
#pragma unroll
    for (int i = 0; i < V; i++) x[i] = up(pack.v[i]);
}

template <int V> __device__ __forceinline__ void store(T *p, const float *x) {
    Pack<V> pack;
#pragma unroll
    for (int i = 0; i < V; i++) pack.v[i] = down(x[i]);
    *reinterpret_cast<Pack<V> *>(p) = pack;
}

// Activations: 0 none, 1 ReLU, 2 softsign.
__device__ __forceinline__ float activate(float z, int kind) {
    if (kind == 1) return fmaxf(z, 0.f);
    if (kind == 2) return z / (1.f + fabsf(z));
    return z;
}

// The slope at z, before the activation. For ReLU its output does as well; softsign's would lose digits in bf16, where
// 1 - |a| is small.
__device__ __forceinline__ float slope(float z, int kind) {
    if (kind == 1) return z > 0.f ? 1.f : 0.f;
    if (kind == 2) {
        float d = 1.f / (1.f + fabsf(z));
        return d * d;
    }
    return 1.f;
}

#if HALF

// Four 8x8 matrices of bf16 from shared memory, each turned over or not, as tensor cores take them.
template <bool TURNED> __device__ __forceinline__ void matrices(u32 *to, const T *from) {
    u32 at = (u32)__cvta_generic_to_shared(from);
    if (TURNED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(at)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(at)
                     : "memory");
}

// c += a b on tensor cores: 16x8 sums in f32 over 16 products each.
__device__ __forceinline__ void multiply(float *c, const u32 *a, const u32 *b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#endif

// What the host sends before a pass: rows in the batch, whether draws follow, the dropout key, how many of the last rows
// are changed and in which way (0 strong views, 1 numbers left out, 2 mixed with others).
struct Head {
    int rows;
    int drawn;
    u32 key_low;
    u32 key_high;
    int changed;
    int way;
};
