// Products of dense layers in bf16 whose rows are multiples of four numbers: C(m, n) = sum over k of A(m, k) B(n, k), as
// in matmul.cu, with the operands on their way through shared memory in several stages, so that a small layer waits for
// memory once and not once per step. A_TURNED and B_TURNED, set when a variant is compiled, say that an operand lies in
// memory with k outermost.

#define THREADS 128
#define M_TILE 32
#define N_TILE 32
#define DEPTH 64
#define STAGES 4

// Eight bytes on their way to shared memory; zeros where there is nothing to read.
__device__ __forceinline__ void send(T *to, const T *from, bool there) {
    u32 at = (u32)__cvta_generic_to_shared(to);
    int bytes = there ? 8 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(from), "r"(bytes) : "memory");
}

// A tile with k innermost is SIZE x DEPTH, a turned one DEPTH x SIZE; rows are padded against bank conflicts.
template <int SIZE, bool TURNED> struct Tile {
    static const int rows = TURNED ? DEPTH : SIZE;
    static const int width = TURNED ? SIZE : DEPTH;
    static const int stride = width + 8;
    T at[rows][stride];

    __device__ __forceinline__ void fill(const Operand &o, int i0, int k0, int i_end, int k_end) {
#pragma unroll
        for (int n = 0; n < rows * width / 4 / THREADS; n++) {
            int quad = n * THREADS + threadIdx.x, row = quad / (width / 4), column = quad % (width / 4) * 4;
            int i = i0 + (TURNED ? column : row), k = k0 + (TURNED ? row : column);
            bool there = i < i_end && k < k_end;
            const T *from = TURNED ? o.p + (long long)k * o.ld + i : o.p + (long long)i * o.ld + k;
            send(&at[row][column], there ? from : o.p, there);
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS) multiply_tiles(const Job *job) {
    __shared__ __align__(16) Tile<M_TILE, A_TURNED> tiles_a[STAGES];
    __shared__ __align__(16) Tile<N_TILE, B_TURNED> tiles_b[STAGES];
    Operand a = job->a, b = job->b;
    Finish finish = job->finish;
    int m_end = job->m, n_end = job->n, k_end = job->k;
    int m0 = blockIdx.x * M_TILE, n0 = blockIdx.y * N_TILE;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int warp_m = warp / 2 * 16, warp_n = warp % 2 * 16;
    int steps = (k_end + DEPTH - 1) / DEPTH;
    float c[2][4] = {}, bias_sum = 0.f;
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps) {
            tiles_a[s].fill(a, m0, s * DEPTH, m_end, k_end);
            tiles_b[s].fill(b, n0, s * DEPTH, n_end, k_end);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int step = 0; step < steps; step++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        int next = step + STAGES - 1;
        if (next < steps) {
            tiles_a[next % STAGES].fill(a, m0, next * DEPTH, m_end, k_end);
            tiles_b[next % STAGES].fill(b, n0, next * DEPTH, n_end, k_end);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        auto &tile_a = tiles_a[step % STAGES];
        auto &tile_b = tiles_b[step % STAGES];
#if A_TURNED
        if (finish.bias_gradient && blockIdx.y == 0 && threadIdx.x < M_TILE) {
#pragma unroll 8
            for (int k = 0; k < DEPTH; k++) bias_sum += up(tile_a.at[k][threadIdx.x]);
        }
#endif
#pragma unroll
        for (int k = 0; k < DEPTH; k += 16) {
            u32 from_a[4], from_b[4];
            if (A_TURNED)
                matrices<true>(from_a, &tile_a.at[k + lane % 8 + lane / 16 * 8][warp_m + lane / 8 % 2 * 8]);
            else
                matrices<false>(from_a, &tile_a.at[warp_m + lane % 16][k + lane / 16 * 8]);
            if (B_TURNED)
                matrices<true>(from_b, &tile_b.at[k + lane / 8 % 2 * 8 + lane % 8][warp_n + lane / 16 * 8]);
            else
                matrices<false>(from_b, &tile_b.at[warp_n + lane % 8 + lane / 16 * 8][k + lane / 8 % 2 * 8]);
            multiply(c[0], from_a, from_b);
            multiply(c[1], from_a, from_b + 2);
        }
    }
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            int m = m0 + warp_m + lane / 4 + half * 8, n = n0 + warp_n + j * 8 + lane % 4 * 2;
            // Widths are even, so a pair is inside or outside as a whole.
            if (m >= m_end || n >= n_end) continue;
            long long at = (long long)m * n_end + n;
            float one = c[j][2 * half], two = c[j][2 * half + 1];
            if (finish.sums) {
                *reinterpret_cast<float2 *>(finish.sums + at) = make_float2(one, two);
                continue;
            }
            if (finish.bias) one += finish.bias[n], two += finish.bias[n + 1];
            if (finish.kept) *reinterpret_cast<u32 *>(finish.kept + at) = down(one) | (u32)down(two) << 16;
            one = activate(one, finish.activation), two = activate(two, finish.activation);
            if (finish.below) {
                one *= slope(up(finish.below[at]), finish.below_activation);
                two *= slope(up(finish.below[at + 1]), finish.below_activation);
            }
            *reinterpret_cast<u32 *>(finish.out + at) = down(one) | (u32)down(two) << 16;
        }
    if (finish.bias_gradient && blockIdx.y == 0 && threadIdx.x < M_TILE && m0 + threadIdx.x < m_end)
        finish.bias_gradient[m0 + threadIdx.x] = bias_sum;
}
