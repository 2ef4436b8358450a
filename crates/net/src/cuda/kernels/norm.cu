// Batch normalization with activation and, optionally, 2x2 max pooling, forward and backward.
//
// Sums over the batch and what is done with them are two kernels; the last block of the first adds up what the others
// left. (One kernel for both, its blocks in a cluster that exchange sums through shared memory, was tried: quicker
// alone for small tensors, no quicker in a step.) VECTOR, set when a variant is compiled, says whether 16 bytes of a row
// are read at once or one number.
//
// A tensor is rows x C, a row being one pixel of one example (NHWC). A block takes a tile of channels and strides over
// rows; its threads lie as (row lane, channel vector), so that neighbors read neighboring bytes. Rows past the batch
// (`head->rows` examples) count for nothing and are written as zeros. Sums are f32 within a block,
// f64 over blocks, always in the same order.

#define TILE 64
#define THREADS 512

template <int V> struct Lanes {
    static const int across = TILE / V;          // threads side by side over the channels of a tile
    static const int down_ = THREADS / across;   // rows at once
};

// Adds up `a` and `b` (V channels each) over the block's row lanes, first within warps; the first TILE threads hold the
// tile's sums.
template <int V> __device__ void block_sums(float *a, float *b, float *total_a, float *total_b) {
    const int across = Lanes<V>::across;
    const int groups = across < 32 ? THREADS / 32 : Lanes<V>::down_;
    __shared__ float shared[2][groups][TILE];
    int lane = threadIdx.x % across, group = across < 32 ? threadIdx.x / 32 : threadIdx.x / across;
#pragma unroll
    for (int step = across; step < 32; step *= 2)
#pragma unroll
        for (int i = 0; i < V; i++) {
            a[i] += __shfl_xor_sync(~0u, a[i], step);
            b[i] += __shfl_xor_sync(~0u, b[i], step);
        }
    if (across >= 32 || threadIdx.x % 32 < across) {
#pragma unroll
        for (int i = 0; i < V; i++) {
            shared[0][group][lane * V + i] = a[i];
            shared[1][group][lane * V + i] = b[i];
        }
    }
    __syncthreads();
    if (threadIdx.x < TILE) {
        float sum_a = 0.f, sum_b = 0.f;
#pragma unroll
        for (int g = 0; g < groups; g++) sum_a += shared[0][g][threadIdx.x], sum_b += shared[1][g][threadIdx.x];
        *total_a = sum_a, *total_b = sum_b;
    }
}

// Leaves this block's two sums of each channel in `parts`; true in the block that comes last, whose threads then
// hold the sums over all blocks: thread t < TILE for channel t of the tile.
__device__ bool all_sums(float a, float b, float *parts, u32 *counter, double *total_a, double *total_b) {
    const int across = 2 * TILE / 4, lanes = THREADS / across;
    __shared__ bool last;
    __shared__ double folded[lanes][2 * TILE];
    float *mine = parts + ((u64)blockIdx.y * gridDim.x + blockIdx.x) * 2 * TILE;
    if (threadIdx.x < TILE) {
        mine[threadIdx.x] = a;
        mine[TILE + threadIdx.x] = b;
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(counter + blockIdx.y, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!last) return false;
    __threadfence();
    const float *all = parts + (u64)blockIdx.y * gridDim.x * 2 * TILE;
    int at = threadIdx.x % across * 4, lane = threadIdx.x / across;
    double sum[4] = {};
#pragma unroll 8
    for (int i = lane; i < gridDim.x; i += lanes) {
        float4 four = __ldcg(reinterpret_cast<const float4 *>(all + (u64)i * 2 * TILE + at));
        sum[0] += four.x, sum[1] += four.y, sum[2] += four.z, sum[3] += four.w;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) folded[lane][at + i] = sum[i];
    __syncthreads();
    if (threadIdx.x < TILE) {
        double sum_a = 0, sum_b = 0;
        for (int l = 0; l < lanes; l++) sum_a += folded[l][threadIdx.x], sum_b += folded[l][TILE + threadIdx.x];
        *total_a = sum_a, *total_b = sum_b;
    }
    return true;
}

struct Norm {
    const float *gamma, *beta;
    float *running_mean, *running_variance;
    // Written by the statistics, read by the rest: y = scale z + shift; mean; 1 / sqrt(variance + epsilon).
    float *scale, *shift, *mean, *inverse;
    // Gradients of gamma and beta, and the coefficients of z' = of_gradient g + of_input z + constant.
    float *gamma_gradient, *beta_gradient;
    float *of_gradient, *of_input, *constant;
    float *parts;
    u32 *counter;
};

#define EPSILON 1e-5
#define MOMENTUM 0.1

// What the last block will need to finish a channel, read before the sums so that it does not wait for it.
struct Channel {
    float gamma, beta, mean, variance, inverse;

    __device__ Channel(const Norm &n, int c, bool there, int backward, int bias_only) {
        gamma = beta = mean = variance = inverse = 0.f;
        if (!there || bias_only) return;
        gamma = n.gamma[c];
        mean = backward ? n.mean[c] : n.running_mean[c];
        if (backward) {
            inverse = n.inverse[c];
        } else {
            beta = n.beta[c];
            variance = n.running_variance[c];
        }
    }
};

__device__ void finish_statistics(const Norm &n, const Channel &was, int c, double sum, double square, double count) {
    double share = 1.0 / count, mean = sum * share, variance = fmax(square * share - mean * mean, 0.0);
    double unbiased = count > 1 ? variance * count / (count - 1) : variance;
    float inverse = 1.f / sqrtf((float)(variance + EPSILON));
    n.running_mean[c] = (1.0 - MOMENTUM) * was.mean + MOMENTUM * mean;
    n.running_variance[c] = (1.0 - MOMENTUM) * was.variance + MOMENTUM * unbiased;
    n.mean[c] = mean;
    n.inverse[c] = inverse;
    float scale = was.gamma * inverse;
    n.scale[c] = scale;
    n.shift[c] = was.beta - (float)mean * scale;
}

// g sums to `sum`, g times the normalized input to `product`. A bias alone (no statistics) passes g on as it is.
__device__ void finish_backward(const Norm &n, const Channel &is, int c, double sum, double product, double count,
                                int bias_only) {
    n.beta_gradient[c] = sum;
    if (bias_only) {
        n.of_gradient[c] = 1.f;
        n.of_input[c] = 0.f;
        n.constant[c] = 0.f;
        return;
    }
    n.gamma_gradient[c] = product;
    double share = 1.0 / count, scale = (double)is.gamma * is.inverse;
    double of_input = -scale * product * share * is.inverse;
    n.of_gradient[c] = scale;
    n.of_input[c] = of_input;
    n.constant[c] = -scale * sum * share - of_input * is.mean;
}

template <int V> __device__ void statistics(const T *z, int channels, int pixels, const Head *head, Norm n) {
    int lane = threadIdx.x % Lanes<V>::across, row = threadIdx.x / Lanes<V>::across;
    int c = blockIdx.y * TILE + lane * V;
    long long rows = (long long)head->rows * pixels, stride = (long long)gridDim.x * Lanes<V>::down_;
    int own = blockIdx.y * TILE + threadIdx.x;
    bool mine = threadIdx.x < TILE && own < channels;
    Channel channel(n, own, mine, 0, 0);
    float sum[V] = {}, square[V] = {};
    if (c < channels) {
        long long r = (long long)blockIdx.x * Lanes<V>::down_ + row;
        for (; r + 3 * stride < rows; r += 4 * stride) {
            float x[4][V];
#pragma unroll
            for (int k = 0; k < 4; k++) load<V>(z + (r + k * stride) * channels + c, x[k]);
#pragma unroll
            for (int k = 0; k < 4; k++)
#pragma unroll
                for (int i = 0; i < V; i++) sum[i] += x[k][i], square[i] += x[k][i] * x[k][i];
        }
        for (; r < rows; r += stride) {
            float x[V];
            load<V>(z + r * channels + c, x);
#pragma unroll
            for (int i = 0; i < V; i++) sum[i] += x[i], square[i] += x[i] * x[i];
        }
    }
    float a, b;
    double all_a, all_b;
    block_sums<V>(sum, square, &a, &b);
    if (all_sums(a, b, n.parts, n.counter, &all_a, &all_b) && mine)
        finish_statistics(n, channel, own, all_a, all_b, rows);
}

// out = activation(scale z + shift), rows past the batch zero; ADD puts `other` in front of the activation.
template <int V, bool ADD>
__device__ void apply(const T *z, T *out, int channels, int pixels, int capacity, const Head *head,
                      const float *scale_, const float *shift_, int kind, const T *other) {
    int lane = threadIdx.x % Lanes<V>::across, row = threadIdx.x / Lanes<V>::across;
    int c = blockIdx.y * TILE + lane * V;
    if (c >= channels) return;
    long long rows = (long long)head->rows * pixels, all = (long long)capacity * pixels;
    long long stride = (long long)gridDim.x * Lanes<V>::down_;
    float scale[V], shift[V];
#pragma unroll
    for (int i = 0; i < V; i++) scale[i] = scale_ ? scale_[c + i] : 1.f, shift[i] = shift_[c + i];
#pragma unroll 4
    for (long long r = (long long)blockIdx.x * Lanes<V>::down_ + row; r < all; r += stride) {
        float x[V] = {};
        if (r < rows) {
            load<V>(z + r * channels + c, x);
            float more[V] = {};
            if (ADD) load<V>(other + r * channels + c, more);
#pragma unroll
            for (int i = 0; i < V; i++) x[i] = activate(scale[i] * x[i] + shift[i] + more[i], kind);
        }
        store<V>(out + r * channels + c, x);
    }
}

// A 2x2 block of an image; at an odd edge only the part inside counts.
struct Cell {
    long long first;   // row of its upper left pixel
    long long pooled;  // row of its result, -1 at an odd edge
    bool right, below;
};

__device__ __forceinline__ Cell cell_at(long long i, int height, int width) {
    int across = (width + 1) / 2, down = (height + 1) / 2;
    int x = i % across;
    long long rest = i / across;
    int y = rest % down;
    long long example = rest / down;
    Cell cell;
    cell.first = (example * height + 2 * y) * width + 2 * x;
    cell.right = 2 * x + 1 < width;
    cell.below = 2 * y + 1 < height;
    cell.pooled = cell.right && cell.below ? (example * (height / 2) + y) * (width / 2) + x : -1;
    return cell;
}

// out = the largest of each 2x2 block of ReLU(scale z + shift).
template <int V>
__device__ void apply_pool(const T *z, T *out, int channels, int height, int width, int capacity, const Head *head,
                           const float *scale_, const float *shift_) {
    int lane = threadIdx.x % Lanes<V>::across, row = threadIdx.x / Lanes<V>::across;
    int c = blockIdx.y * TILE + lane * V;
    if (c >= channels) return;
    int small = (height / 2) * (width / 2);
    long long cells = (long long)head->rows * small, all = (long long)capacity * small;
    long long stride = (long long)gridDim.x * Lanes<V>::down_;
    float scale[V], shift[V];
#pragma unroll
    for (int i = 0; i < V; i++) scale[i] = scale_ ? scale_[c + i] : 1.f, shift[i] = shift_[c + i];
#pragma unroll 2
    for (long long r = (long long)blockIdx.x * Lanes<V>::down_ + row; r < all; r += stride) {
        float best[V] = {};
        if (r < cells) {
            int x = r % (width / 2);
            long long rest = r / (width / 2);
            int y = rest % (height / 2);
            const T *from = z + ((rest / (height / 2) * height + 2 * y) * width + 2 * x) * channels + c;
            float a[4][V];
            load<V>(from, a[0]);
            load<V>(from + channels, a[1]);
            load<V>(from + (long long)width * channels, a[2]);
            load<V>(from + (long long)(width + 1) * channels, a[3]);
#pragma unroll
            for (int k = 0; k < 4; k++)
#pragma unroll
                for (int i = 0; i < V; i++) best[i] = fmaxf(best[i], scale[i] * a[k][i] + shift[i]);
        }
        store<V>(out + r * channels + c, best);
    }
}

// Sums of g and of g times the normalized input, where g = gradient x slope.
template <int V>
__device__ void backward_sums(const T *z, const T *gradient, int channels, int pixels, const Head *head, Norm n,
                              int kind, int bias_only) {
    int lane = threadIdx.x % Lanes<V>::across, row = threadIdx.x / Lanes<V>::across;
    int c = blockIdx.y * TILE + lane * V;
    long long rows = (long long)head->rows * pixels, stride = (long long)gridDim.x * Lanes<V>::down_;
    int own = blockIdx.y * TILE + threadIdx.x;
    bool mine = threadIdx.x < TILE && own < channels;
    Channel channel(n, own, mine, 1, bias_only);
    float sum[V] = {}, product[V] = {};
    if (c < channels) {
        float scale[V], shift[V], mean[V], inverse[V];
#pragma unroll
        for (int i = 0; i < V; i++) {
            scale[i] = bias_only ? 1.f : n.scale[c + i], shift[i] = bias_only ? n.beta[c + i] : n.shift[c + i];
            mean[i] = bias_only ? 0.f : n.mean[c + i], inverse[i] = bias_only ? 0.f : n.inverse[c + i];
        }
#pragma unroll 4
        for (long long r = (long long)blockIdx.x * Lanes<V>::down_ + row; r < rows; r += stride) {
            float x[V], g[V];
            load<V>(z + r * channels + c, x);
            load<V>(gradient + r * channels + c, g);
#pragma unroll
            for (int i = 0; i < V; i++) {
                float own = g[i] * slope(scale[i] * x[i] + shift[i], kind);
                sum[i] += own;
                product[i] += own * ((x[i] - mean[i]) * inverse[i]);
            }
        }
    }
    float a, b;
    double all_a, all_b;
    block_sums<V>(sum, product, &a, &b);
    if (all_sums(a, b, n.parts, n.counter, &all_a, &all_b) && mine)
        finish_backward(n, channel, own, all_a, all_b, rows, bias_only);
}

// As `backward_sums` at the end of a residual block: `gradient` grows by `second`, where there is one, goes through the
// activation, whose slope `out` tells, and stays as it then is. Rows past the batch are left alone: both are zero there.
template <int V>
__device__ void backward_sums_join(const T *z, T *gradient, int channels, int pixels, const Head *head, Norm n, int kind,
                                   int bias_only, const T *second, const T *out) {
    int lane = threadIdx.x % Lanes<V>::across, row = threadIdx.x / Lanes<V>::across;
    int c = blockIdx.y * TILE + lane * V;
    long long rows = (long long)head->rows * pixels, stride = (long long)gridDim.x * Lanes<V>::down_;
    int own = blockIdx.y * TILE + threadIdx.x;
    bool mine = threadIdx.x < TILE && own < channels;
    Channel channel(n, own, mine, 1, bias_only);
    float sum[V] = {}, product[V] = {};
    if (c < channels) {
        float mean[V], inverse[V];
#pragma unroll
        for (int i = 0; i < V; i++)
            mean[i] = bias_only ? 0.f : n.mean[c + i], inverse[i] = bias_only ? 0.f : n.inverse[c + i];
#pragma unroll 2
        for (long long r = (long long)blockIdx.x * Lanes<V>::down_ + row; r < rows; r += stride) {
            float x[V], g[V], more[V] = {}, y[V];
            load<V>(z + r * channels + c, x);
            load<V>(gradient + r * channels + c, g);
            if (second) load<V>(second + r * channels + c, more);
            if (kind) load<V>(out + r * channels + c, y);
            T *to = gradient + r * channels + c;
#pragma unroll
            for (int i = 0; i < V; i++) {
                g[i] = kind && y[i] <= 0.f ? 0.f : up(down(g[i] + more[i]));
                sum[i] += g[i];
                product[i] += g[i] * ((x[i] - mean[i]) * inverse[i]);
            }
            store<V>(to, g);
        }
    }
    float a, b;
    double all_a, all_b;
    block_sums<V>(sum, product, &a, &b);
    if (all_sums(a, b, n.parts, n.counter, &all_a, &all_b) && mine)
        finish_backward(n, channel, own, all_a, all_b, rows, bias_only);
}

// The gradient of z, of_gradient g + of_input z + constant, which may take its place; rows past the batch zero.
template <int V>
__device__ void backward_apply(const T *z, T *to, const T *gradient, int channels, int pixels, int capacity, const Head *head,
                               Norm n, int kind, int bias_only) {
    int lane = threadIdx.x % Lanes<V>::across, row = threadIdx.x / Lanes<V>::across;
    int c = blockIdx.y * TILE + lane * V;
    if (c >= channels) return;
    long long rows = (long long)head->rows * pixels, all = (long long)capacity * pixels;
    long long stride = (long long)gridDim.x * Lanes<V>::down_;
    float scale[V], shift[V], of_gradient[V], of_input[V], constant[V];
#pragma unroll
    for (int i = 0; i < V; i++) {
        scale[i] = bias_only ? 1.f : n.scale[c + i], shift[i] = bias_only ? n.beta[c + i] : n.shift[c + i];
        of_gradient[i] = n.of_gradient[c + i], of_input[i] = n.of_input[c + i], constant[i] = n.constant[c + i];
    }
#pragma unroll 4
    for (long long r = (long long)blockIdx.x * Lanes<V>::down_ + row; r < all; r += stride) {
        float x[V] = {}, g[V];
        if (r < rows) {
            load<V>(z + r * channels + c, x);
            load<V>(gradient + r * channels + c, g);
#pragma unroll
            for (int i = 0; i < V; i++) {
                float own = g[i] * slope(scale[i] * x[i] + shift[i], kind);
                x[i] = of_gradient[i] * own + of_input[i] * x[i] + constant[i];
            }
        }
        store<V>(to + r * channels + c, x);
    }
}

// The four inputs of a cell and which of them the pooling took: 0 to 3, or none where ReLU gave zero.
template <int V>
__device__ __forceinline__ void load_cell(const T *z, const Cell &cell, int channels, int width, int c,
                                          float (*x)[V]) {
    const T *from = z + cell.first * channels + c;
    load<V>(from, x[0]);
    if (cell.right) load<V>(from + channels, x[1]);
    if (cell.below) load<V>(from + (long long)width * channels, x[2]);
    if (cell.right && cell.below) load<V>(from + (long long)(width + 1) * channels, x[3]);
}

__device__ __forceinline__ int taken(float a, float b, float c, float d) {
    float best = fmaxf(fmaxf(a, b), fmaxf(c, d));
    if (!(best > 0.f)) return -1;
    return a == best ? 0 : b == best ? 1 : c == best ? 2 : 3;
}

// As `backward_sums`, through ReLU and the pooling.
template <int V>
__device__ void backward_sums_pool(const T *z, const T *gradient, int channels, int height, int width,
                                   const Head *head, Norm n, int bias_only) {
    int lane = threadIdx.x % Lanes<V>::across, row = threadIdx.x / Lanes<V>::across;
    int c = blockIdx.y * TILE + lane * V;
    int small = (height / 2) * (width / 2);
    long long cells = (long long)head->rows * small, stride = (long long)gridDim.x * Lanes<V>::down_;
    int own = blockIdx.y * TILE + threadIdx.x;
    bool mine = threadIdx.x < TILE && own < channels;
    Channel channel(n, own, mine, 1, bias_only);
    float sum[V] = {}, product[V] = {};
    if (c < channels) {
        float scale[V], shift[V], mean[V], inverse[V];
#pragma unroll
        for (int i = 0; i < V; i++) {
            scale[i] = bias_only ? 1.f : n.scale[c + i], shift[i] = bias_only ? n.beta[c + i] : n.shift[c + i];
            mean[i] = bias_only ? 0.f : n.mean[c + i], inverse[i] = bias_only ? 0.f : n.inverse[c + i];
        }
#pragma unroll 2
        for (long long r = (long long)blockIdx.x * Lanes<V>::down_ + row; r < cells; r += stride) {
            int px = r % (width / 2);
            long long rest = r / (width / 2);
            int py = rest % (height / 2);
            const T *from = z + ((rest / (height / 2) * height + 2 * py) * width + 2 * px) * channels + c;
            float x[4][V], g[V];
            load<V>(from, x[0]);
            load<V>(from + channels, x[1]);
            load<V>(from + (long long)width * channels, x[2]);
            load<V>(from + (long long)(width + 1) * channels, x[3]);
            load<V>(gradient + r * channels + c, g);
#pragma unroll
            for (int i = 0; i < V; i++) {
                float best = scale[i] * x[0][i] + shift[i], from_ = x[0][i];
#pragma unroll
                for (int k = 1; k < 4; k++) {
                    float other = scale[i] * x[k][i] + shift[i];
                    if (other > best) best = other, from_ = x[k][i];
                }
                float own = best > 0.f ? g[i] : 0.f;
                sum[i] += own;
                product[i] += own * ((from_ - mean[i]) * inverse[i]);
            }
        }
    }
    float a, b;
    double all_a, all_b;
    block_sums<V>(sum, product, &a, &b);
    if (all_sums(a, b, n.parts, n.counter, &all_a, &all_b) && mine)
        finish_backward(n, channel, own, all_a, all_b, (double)head->rows * height * width, bias_only);
}

// As `backward_apply`, through ReLU and the pooling.
template <int V>
__device__ void backward_apply_pool(const T *z, T *to_, const T *gradient, int channels, int height, int width, int capacity,
                                    const Head *head, Norm n, int bias_only) {
    int lane = threadIdx.x % Lanes<V>::across, row = threadIdx.x / Lanes<V>::across;
    int c = blockIdx.y * TILE + lane * V;
    if (c >= channels) return;
    int cells_each = ((height + 1) / 2) * ((width + 1) / 2);
    long long cells = (long long)head->rows * cells_each, all = (long long)capacity * cells_each;
    long long stride = (long long)gridDim.x * Lanes<V>::down_;
    float scale[V], shift[V], of_gradient[V], of_input[V], constant[V];
#pragma unroll
    for (int i = 0; i < V; i++) {
        scale[i] = bias_only ? 1.f : n.scale[c + i], shift[i] = bias_only ? n.beta[c + i] : n.shift[c + i];
        of_gradient[i] = n.of_gradient[c + i], of_input[i] = n.of_input[c + i], constant[i] = n.constant[c + i];
    }
#pragma unroll 2
    for (long long r = (long long)blockIdx.x * Lanes<V>::down_ + row; r < all; r += stride) {
        Cell cell = cell_at(r, height, width);
        float x[4][V] = {}, g[V] = {};
        bool inside = r < cells;
        if (inside) {
            load_cell<V>(z, cell, channels, width, c, x);
            if (cell.pooled >= 0) load<V>(gradient + cell.pooled * channels + c, g);
#pragma unroll
            for (int i = 0; i < V; i++) {
                float a[4];
#pragma unroll
                for (int k = 0; k < 4; k++) a[k] = scale[i] * x[k][i] + shift[i];
                int winner = cell.pooled >= 0 ? taken(a[0], a[1], a[2], a[3]) : -1;
#pragma unroll
                for (int k = 0; k < 4; k++)
                    x[k][i] = of_gradient[i] * (winner == k ? g[i] : 0.f) + of_input[i] * x[k][i] + constant[i];
            }
        }
        T *to = to_ + cell.first * channels + c;
        store<V>(to, x[0]);
        if (cell.right) store<V>(to + channels, x[1]);
        if (cell.below) store<V>(to + (long long)width * channels, x[2]);
        if (cell.right && cell.below) store<V>(to + (long long)(width + 1) * channels, x[3]);
    }
}

#if VECTOR > 1
#define NUMBERS WIDE
#else
#define NUMBERS 1
#endif

#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS)

KERNEL norm_statistics(const T *z, int channels, int pixels, const Head *head, const Norm *n) {
    statistics<NUMBERS>(z, channels, pixels, head, *n);
}

KERNEL norm_apply(const T *z, T *out, int channels, int pixels, int capacity, const Head *head, const float *scale,
                  const float *shift, int kind) {
    apply<NUMBERS, false>(z, out, channels, pixels, capacity, head, scale, shift, kind, nullptr);
}

KERNEL norm_apply_add(const T *z, T *out, int channels, int pixels, int capacity, const Head *head, const float *scale,
                      const float *shift, int kind, const T *other) {
    apply<NUMBERS, true>(z, out, channels, pixels, capacity, head, scale, shift, kind, other);
}

KERNEL norm_apply_pool(const T *z, T *out, int channels, int height, int width, int capacity, const Head *head,
                       const float *scale, const float *shift) {
    apply_pool<NUMBERS>(z, out, channels, height, width, capacity, head, scale, shift);
}

KERNEL norm_backward_sums(const T *z, const T *gradient, int channels, int pixels, const Head *head, const Norm *n,
                          int kind, int bias_only) {
    backward_sums<NUMBERS>(z, gradient, channels, pixels, head, *n, kind, bias_only);
}

KERNEL norm_backward_sums_join(const T *z, T *gradient, int channels, int pixels, const Head *head, const Norm *n,
                               int kind, int bias_only, const T *second, const T *out) {
    backward_sums_join<NUMBERS>(z, gradient, channels, pixels, head, *n, kind, bias_only, second, out);
}

KERNEL norm_backward_apply(const T *z, T *to, const T *gradient, int channels, int pixels, int capacity,
                           const Head *head, const Norm *n, int kind, int bias_only) {
    backward_apply<NUMBERS>(z, to, gradient, channels, pixels, capacity, head, *n, kind, bias_only);
}

KERNEL norm_backward_sums_pool(const T *z, const T *gradient, int channels, int height, int width, const Head *head,
                               const Norm *n, int bias_only) {
    backward_sums_pool<NUMBERS>(z, gradient, channels, height, width, head, *n, bias_only);
}

KERNEL norm_backward_apply_pool(const T *z, T *to, const T *gradient, int channels, int height, int width, int capacity,
                                const Head *head, const Norm *n, int bias_only) {
    backward_apply_pool<NUMBERS>(z, to, gradient, channels, height, width, capacity, head, *n, bias_only);
}

// scale and shift from the running statistics, for prediction.
extern "C" __global__ void norm_running(int channels, const Norm *n) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    float scale = n->gamma[c] * (1.f / sqrtf(n->running_variance[c] + (float)EPSILON));
    n->scale[c] = scale;
    n->shift[c] = n->beta[c] - n->running_mean[c] * scale;
}
