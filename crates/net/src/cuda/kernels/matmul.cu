// Products C(m, n) = sum over k of A(m, k) B(n, k), where the operands may be dense matrices or 3x3 patches of an image.
// A_KIND, B_KIND, A_VECTOR, B_VECTOR (4 where four neighbors can be read at once, else 1) and LARGE (64x64 tiles rather
// than 32x32) are set when a variant is compiled. They serve dense layers, convolutions of few or odd channels (the first layer above all), and every convolution of the
// f32 mode. bf16 runs on tensor cores (mma.sync m16n8k16) with f32 sums, f32 on plain multiply-adds.

#define THREADS 128

// How element (i, k) of an operand is found.
enum Kind {
    ROWS,         // p[i ld + k]
    COLUMNS,      // p[k ld + i]
    PATCHES,      // pixel i; k = (tap, channel): the pixel at the tap's offset
    PATCHES_T,    // i = (tap, channel), k = pixel
    PATCHES_BACK, // pixel i; k = (tap, channel): the pixel at minus the tap's offset
    FILTERS_BACK  // p[(o 9 + tap) ld + i], k = (tap, o): filters seen from the input
};

// Four neighbors, as they are read from memory.
#if HALF
typedef uint2 Quad;
__device__ __forceinline__ Quad no_quad() { return make_uint2(0, 0); }
__device__ __forceinline__ Quad quad_of(T a, T b, T c, T d) {
    return make_uint2((u32)a | (u32)b << 16, (u32)c | (u32)d << 16);
}
__device__ __forceinline__ T part(const Quad &q, int j) {
    u32 word = j < 2 ? q.x : q.y;
    return (T)(j % 2 ? word >> 16 : word & 0xffff);
}
#else
typedef float4 Quad;
__device__ __forceinline__ Quad no_quad() { return make_float4(0.f, 0.f, 0.f, 0.f); }
__device__ __forceinline__ Quad quad_of(T a, T b, T c, T d) { return make_float4(a, b, c, d); }
__device__ __forceinline__ T part(const Quad &q, int j) { return j == 0 ? q.x : j == 1 ? q.y : j == 2 ? q.z : q.w; }
#endif

// Where a patch's number lies, from the start of the image data; -1 outside the image.
__device__ __forceinline__ long long patch(const Operand &o, int pixel, int tap_channel, int sign) {
    int tap = tap_channel / o.ld, c = tap_channel - tap * o.ld;
    int x = pixel % o.width, y = pixel / o.width % o.height;
    int dy = sign * (tap / 3 - 1), dx = sign * (tap % 3 - 1);
    if ((unsigned)(y + dy) >= (unsigned)o.height || (unsigned)(x + dx) >= (unsigned)o.width) return -1;
    return ((long long)pixel + dy * o.width + dx) * o.ld + c;
}

template <int KIND> __device__ __forceinline__ long long place(const Operand &o, int i, int k) {
    if (KIND == ROWS) return (long long)i * o.ld + k;
    if (KIND == COLUMNS) return (long long)k * o.ld + i;
    if (KIND == PATCHES) return patch(o, i, k, 1);
    if (KIND == PATCHES_T) return patch(o, k, i, 1);
    if (KIND == PATCHES_BACK) return patch(o, i, k, -1);
    int tap = k / o.outer, out = k - tap * o.outer;
    return ((long long)out * 9 + tap) * o.ld + i;
}

// Whether neighbors of an operand run along k or along i.
template <int KIND> __device__ constexpr bool along_k() {
    return KIND == ROWS || KIND == PATCHES || KIND == PATCHES_BACK;
}

// Four numbers from (i, k) on, along k or i; zero outside. VECTOR is 4 where they can be read at once.
template <int KIND, int VECTOR>
__device__ __forceinline__ Quad quad(const Operand &o, int i, int k, int i_end, int k_end) {
    if (i >= i_end || k >= k_end) return no_quad();
    if constexpr (VECTOR == 4) {
        long long at = place<KIND>(o, i, k);
        return at < 0 ? no_quad() : *reinterpret_cast<const Quad *>(o.p + at);
    } else {
    T x[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int ij = along_k<KIND>() ? i : i + j, kj = along_k<KIND>() ? k + j : k;
        long long at = ij < i_end && kj < k_end ? place<KIND>(o, ij, kj) : -1;
        x[j] = at < 0 ? down(0.f) : o.p[at];
    }
    return quad_of(x[0], x[1], x[2], x[3]);
    }
}

// One operand's tile of SIZE x DEPTH: registers first, shared memory later, so that the next tile is under way while
// this one is multiplied.
template <int KIND, int VECTOR, int SIZE, int DEPTH> struct Tile {
    static const int quads = SIZE * DEPTH / 4 / THREADS;
    Quad held[quads];

    __device__ __forceinline__ int i(int n) const {
        int at = n * THREADS + threadIdx.x;
        return along_k<KIND>() ? at / (DEPTH / 4) : at % (SIZE / 4) * 4;
    }

    __device__ __forceinline__ int k(int n) const {
        int at = n * THREADS + threadIdx.x;
        return along_k<KIND>() ? at % (DEPTH / 4) * 4 : at / (SIZE / 4);
    }

    __device__ __forceinline__ void fetch(const Operand &o, int i0, int k0, int i_end, int k_end) {
#pragma unroll
        for (int n = 0; n < quads; n++) held[n] = quad<KIND, VECTOR>(o, i0 + i(n), k0 + k(n), i_end, k_end);
    }

    template <int STRIDE> __device__ __forceinline__ void put(T (*shared)[STRIDE]) const {
#pragma unroll
        for (int n = 0; n < quads; n++) {
            if (along_k<KIND>()) {
                *reinterpret_cast<Quad *>(&shared[i(n)][k(n)]) = held[n];
            } else {
#pragma unroll
                for (int j = 0; j < 4; j++) shared[i(n) + j][k(n)] = part(held[n], j);
            }
        }
    }
};

template <int M_TILE, int N_TILE, int DEPTH>
__device__ __forceinline__ void product(const Operand &a, const Operand &b, int m_end, int n_end, int k_end, int k_part,
                                        const Finish &finish) {
    const int stride = DEPTH + 8;
    __shared__ __align__(16) T shared_a[M_TILE][stride];
    __shared__ __align__(16) T shared_b[N_TILE][stride];
    int m0 = blockIdx.x * M_TILE, n0 = blockIdx.y * N_TILE;
    int k_first = blockIdx.z * k_part, k_last = min(k_end, k_first + k_part);
    Tile<A_KIND, A_VECTOR, M_TILE, DEPTH> tile_a;
    Tile<B_KIND, B_VECTOR, N_TILE, DEPTH> tile_b;
    float bias_sum = 0.f;
#if HALF
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int warp_m = warp / 2 * (M_TILE / 2), warp_n = warp % 2 * (N_TILE / 2);
    const int across_m = M_TILE / 2 / 16, across_n = N_TILE / 2 / 8;
    float c[across_m][across_n][4] = {};
#else
    // Each thread has a (M_TILE / 16) x (N_TILE / 8) block with strided rows and columns.
    const int own_m = M_TILE / 16, own_n = N_TILE / 8;
    float c[own_m][own_n] = {};
    int thread_m = threadIdx.x / 8, thread_n = threadIdx.x % 8;
#endif
    tile_a.fetch(a, m0, k_first, m_end, k_last);
    tile_b.fetch(b, n0, k_first, n_end, k_last);
    for (int k0 = k_first; k0 < k_last; k0 += DEPTH) {
        tile_a.put(shared_a);
        tile_b.put(shared_b);
        __syncthreads();
        if (k0 + DEPTH < k_last) {
            tile_a.fetch(a, m0, k0 + DEPTH, m_end, k_last);
            tile_b.fetch(b, n0, k0 + DEPTH, n_end, k_last);
        }
        if (finish.bias_gradient && blockIdx.y == 0 && threadIdx.x < M_TILE) {
            for (int k = 0; k < DEPTH; k++) bias_sum += up(shared_a[threadIdx.x][k]);
        }
#if HALF
#pragma unroll
        for (int k = 0; k < DEPTH; k += 16) {
            u32 from_a[across_m][4], from_b[across_n][2];
#pragma unroll
            for (int i = 0; i < across_m; i++)
                matrices<false>(from_a[i], &shared_a[warp_m + i * 16 + lane % 16][k + lane / 16 * 8]);
#pragma unroll
            for (int j = 0; j < across_n; j += 2) {
                u32 four[4];
                matrices<false>(four, &shared_b[warp_n + j * 8 + lane % 8 + lane / 16 * 8][k + lane / 8 % 2 * 8]);
                from_b[j][0] = four[0], from_b[j][1] = four[1];
                from_b[j + 1][0] = four[2], from_b[j + 1][1] = four[3];
            }
#pragma unroll
            for (int i = 0; i < across_m; i++)
#pragma unroll
                for (int j = 0; j < across_n; j++) multiply(c[i][j], from_a[i], from_b[j]);
        }
#else
#pragma unroll 4
        for (int k = 0; k < DEPTH; k++) {
            float x[own_m], y[own_n];
#pragma unroll
            for (int i = 0; i < own_m; i++) x[i] = shared_a[i * 16 + thread_m][k];
#pragma unroll
            for (int j = 0; j < own_n; j++) y[j] = shared_b[j * 8 + thread_n][k];
#pragma unroll
            for (int i = 0; i < own_m; i++)
#pragma unroll
                for (int j = 0; j < own_n; j++) c[i][j] += x[i] * y[j];
        }
#endif
        __syncthreads();
    }
    auto give = [&](int m, int n, float value) {
        if (m >= m_end || n >= n_end) return;
        long long at = (long long)m * n_end + n;
        if (finish.sums) {
            finish.sums[(long long)blockIdx.z * m_end * n_end + at] = value;
            return;
        }
        if (finish.bias) value += finish.bias[n];
        if (finish.kept) finish.kept[at] = down(value);
        value = activate(value, finish.activation);
        if (finish.below) value *= slope(up(finish.below[at]), finish.below_activation);
        finish.out[at] = down(value);
    };
#if HALF
#pragma unroll
    for (int i = 0; i < across_m; i++)
#pragma unroll
        for (int j = 0; j < across_n; j++) {
            int m = m0 + warp_m + i * 16 + lane / 4, n = n0 + warp_n + j * 8 + lane % 4 * 2;
            give(m, n, c[i][j][0]);
            give(m, n + 1, c[i][j][1]);
            give(m + 8, n, c[i][j][2]);
            give(m + 8, n + 1, c[i][j][3]);
        }
#else
#pragma unroll
    for (int i = 0; i < own_m; i++)
#pragma unroll
        for (int j = 0; j < own_n; j++) give(m0 + i * 16 + thread_m, n0 + j * 8 + thread_n, c[i][j]);
#endif
    if (finish.bias_gradient && blockIdx.y == 0 && threadIdx.x < M_TILE && m0 + threadIdx.x < m_end)
        finish.bias_gradient[blockIdx.z * m_end + m0 + threadIdx.x] = bias_sum;
}

#if LARGE
extern "C" __global__ void __launch_bounds__(THREADS) multiply_tiles(const Job *job) {
    product<64, 64, 32>(job->a, job->b, job->m, job->n, job->k, job->k_part, job->finish);
}
#else
extern "C" __global__ void __launch_bounds__(THREADS) multiply_tiles(const Job *job) {
    product<32, 32, 64>(job->a, job->b, job->m, job->n, job->k, job->k_part, job->finish);
}
#endif
