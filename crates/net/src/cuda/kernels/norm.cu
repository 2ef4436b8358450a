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
//
// What bounds these kernels is memory, so a thread reads AHEAD rows before it uses the first, and takes few enough
// registers for two blocks on a processor (BOTH) where that pays. Sums walk from the last row to the first: the
// convolution before them wrote the last rows last, and the kernel after them starts with the first, so that both find
// a part of their rows in the cache.

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

// The rows of a thread: the first, how far apart they are, and where the numbers of the first begin. BACK counts rows from
// the last.
template <int V, bool BACK> struct Walk {
    int row, stride;
    long long at, step;

    __device__ Walk(int rows, int channels, int c) {
        row = blockIdx.x * Lanes<V>::down_ + threadIdx.x / Lanes<V>::across;
        stride = gridDim.x * Lanes<V>::down_;
        at = (long long)(BACK ? rows - 1 - row : row) * channels + c;
        step = (long long)stride * channels;
        if (BACK) step = -step;
    }

    __device__ __forceinline__ void next(int count) { row += count * stride, at += count * step; }
};

template <int V> __device__ __forceinline__ Pack<V> read(const T *from) { return *reinterpret_cast<const Pack<V> *>(from); }

template <int V, int AHEAD> __device__ void statistics(const T *z, int channels, int pixels, const Head *head, Norm n) {
    int c = blockIdx.y * TILE + threadIdx.x % Lanes<V>::across * V;
    int rows = head->rows * pixels, own = blockIdx.y * TILE + threadIdx.x;
    bool mine = threadIdx.x < TILE && own < channels;
    Channel channel(n, own, mine, 0, 0);
    float sum[V] = {}, square[V] = {};
    if (c < channels) {
        Walk<V, true> walk(rows, channels, c);
        for (; walk.row + (AHEAD - 1) * walk.stride < rows; walk.next(AHEAD)) {
            Pack<V> x[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) x[k] = read<V>(z + walk.at + k * walk.step);
#pragma unroll
            for (int k = 0; k < AHEAD; k++)
#pragma unroll
                for (int i = 0; i < V; i++) {
                    float value = up(x[k].v[i]);
                    sum[i] += value, square[i] += value * value;
                }
        }
        for (; walk.row < rows; walk.next(1)) {
            float x[V];
            load<V>(z + walk.at, x);
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
template <int V, int AHEAD, bool ADD>
__device__ void apply(const T *z, T *out, int channels, int pixels, int capacity, const Head *head,
                      const float *scale_, const float *shift_, int kind, const T *other) {
    int c = blockIdx.y * TILE + threadIdx.x % Lanes<V>::across * V;
    if (c >= channels) return;
    int rows = head->rows * pixels, all = capacity * pixels;
    float scale[V], shift[V];
#pragma unroll
    for (int i = 0; i < V; i++) scale[i] = scale_ ? scale_[c + i] : 1.f, shift[i] = shift_[c + i];
    for (Walk<V, false> walk(all, channels, c); walk.row < all; walk.next(AHEAD)) {
        Pack<V> x[AHEAD], more[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (walk.row + k * walk.stride < rows) {
                x[k] = read<V>(z + walk.at + k * walk.step);
                if (ADD) more[k] = read<V>(other + walk.at + k * walk.step);
            }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            int r = walk.row + k * walk.stride;
            float y[V] = {};
            if (r < rows)
#pragma unroll
                for (int i = 0; i < V; i++)
                    y[i] = activate(scale[i] * up(x[k].v[i]) + shift[i] + (ADD ? up(more[k].v[i]) : 0.f), kind);
            if (r < all) store<V>(out + walk.at + k * walk.step, y);
        }
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
template <int V, int AHEAD>
__device__ void backward_sums(const T *z, const T *gradient, int channels, int pixels, const Head *head, Norm n,
                              int kind, int bias_only) {
    int c = blockIdx.y * TILE + threadIdx.x % Lanes<V>::across * V;
    int rows = head->rows * pixels, own = blockIdx.y * TILE + threadIdx.x;
    bool mine = threadIdx.x < TILE && own < channels;
    Channel channel(n, own, mine, 1, bias_only);
    float sum[V] = {}, product[V] = {};
    if (c < channels) {
        float scale[V], shift[V], mean[V];
#pragma unroll
        for (int i = 0; i < V; i++) {
            scale[i] = bias_only ? 1.f : n.scale[c + i], shift[i] = bias_only ? n.beta[c + i] : n.shift[c + i];
            mean[i] = bias_only ? 0.f : n.mean[c + i];
        }
        auto take = [&](const Pack<V> &x, const Pack<V> &g) {
#pragma unroll
            for (int i = 0; i < V; i++) {
                float value = up(x.v[i]), own = up(g.v[i]) * slope(scale[i] * value + shift[i], kind);
                sum[i] += own;
                product[i] += own * (value - mean[i]);
            }
        };
        Walk<V, true> walk(rows, channels, c);
        for (; walk.row + (AHEAD - 1) * walk.stride < rows; walk.next(AHEAD)) {
            Pack<V> x[AHEAD], g[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                x[k] = read<V>(z + walk.at + k * walk.step);
                g[k] = read<V>(gradient + walk.at + k * walk.step);
            }
#pragma unroll
            for (int k = 0; k < AHEAD; k++) take(x[k], g[k]);
        }
        for (; walk.row < rows; walk.next(1)) take(read<V>(z + walk.at), read<V>(gradient + walk.at));
#pragma unroll
        for (int i = 0; i < V; i++) product[i] *= bias_only ? 0.f : n.inverse[c + i];
    }
    float a, b;
    double all_a, all_b;
    block_sums<V>(sum, product, &a, &b);
    if (all_sums(a, b, n.parts, n.counter, &all_a, &all_b) && mine)
        finish_backward(n, channel, own, all_a, all_b, rows, bias_only);
}

// As `backward_sums` at the end of a residual block: `gradient` grows by `second` (with TWO), goes through ReLU, whose slope
// `out` tells (with BENT), and stays as it then is. Rows past the batch are left alone: both are zero there.
template <int V, int AHEAD, bool TWO, bool BENT>
__device__ void backward_sums_join(const T *z, T *gradient, int channels, int pixels, const Head *head, Norm n,
                                   int bias_only, const T *second, const T *out) {
    int c = blockIdx.y * TILE + threadIdx.x % Lanes<V>::across * V;
    int rows = head->rows * pixels, own = blockIdx.y * TILE + threadIdx.x;
    bool mine = threadIdx.x < TILE && own < channels;
    Channel channel(n, own, mine, 1, bias_only);
    float sum[V] = {}, product[V] = {};
    if (c < channels) {
        float mean[V];
#pragma unroll
        for (int i = 0; i < V; i++) mean[i] = bias_only ? 0.f : n.mean[c + i];
        for (Walk<V, true> walk(rows, channels, c); walk.row < rows; walk.next(AHEAD)) {
            Pack<V> x[AHEAD], g[AHEAD], more[AHEAD], y[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++)
                if (walk.row + k * walk.stride < rows) {
                    long long at = walk.at + k * walk.step;
                    x[k] = read<V>(z + at);
                    g[k] = read<V>(gradient + at);
                    if (TWO) more[k] = read<V>(second + at);
                    if (BENT) y[k] = read<V>(out + at);
                }
#pragma unroll
            for (int k = 0; k < AHEAD; k++)
                if (walk.row + k * walk.stride < rows) {
                    float all[V];
#pragma unroll
                    for (int i = 0; i < V; i++) {
                        bool flat = BENT && up(y[k].v[i]) <= 0.f;
                        all[i] = flat ? 0.f : TWO ? up(down(up(g[k].v[i]) + up(more[k].v[i]))) : up(g[k].v[i]);
                        sum[i] += all[i];
                        product[i] += all[i] * (up(x[k].v[i]) - mean[i]);
                    }
                    store<V>(gradient + walk.at + k * walk.step, all);
                }
        }
#pragma unroll
        for (int i = 0; i < V; i++) product[i] *= bias_only ? 0.f : n.inverse[c + i];
    }
    float a, b;
    double all_a, all_b;
    block_sums<V>(sum, product, &a, &b);
    if (all_sums(a, b, n.parts, n.counter, &all_a, &all_b) && mine)
        finish_backward(n, channel, own, all_a, all_b, rows, bias_only);
}

// The gradient of z, of_gradient g + of_input z + constant, which may take its place; rows past the batch zero.
template <int V, int AHEAD>
__device__ void backward_apply(const T *z, T *to, const T *gradient, int channels, int pixels, int capacity, const Head *head,
                               Norm n, int kind, int bias_only) {
    int c = blockIdx.y * TILE + threadIdx.x % Lanes<V>::across * V;
    if (c >= channels) return;
    int rows = head->rows * pixels, all = capacity * pixels;
    float scale[V], shift[V], of_gradient[V], of_input[V], constant[V];
#pragma unroll
    for (int i = 0; i < V; i++) {
        scale[i] = bias_only ? 1.f : n.scale[c + i], shift[i] = bias_only ? n.beta[c + i] : n.shift[c + i];
        of_gradient[i] = n.of_gradient[c + i], of_input[i] = n.of_input[c + i], constant[i] = n.constant[c + i];
    }
    for (Walk<V, false> walk(all, channels, c); walk.row < all; walk.next(AHEAD)) {
        Pack<V> x[AHEAD], g[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (walk.row + k * walk.stride < rows) {
                x[k] = read<V>(z + walk.at + k * walk.step);
                g[k] = read<V>(gradient + walk.at + k * walk.step);
            }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            int r = walk.row + k * walk.stride;
            float y[V] = {};
            if (r < rows)
#pragma unroll
                for (int i = 0; i < V; i++) {
                    float value = up(x[k].v[i]), own = up(g[k].v[i]) * slope(scale[i] * value + shift[i], kind);
                    y[i] = of_gradient[i] * own + of_input[i] * value + constant[i];
                }
            if (r < all) store<V>(to + walk.at + k * walk.step, y);
        }
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
#define FEWER (WIDE / 2)
#else
#define NUMBERS 1
#define FEWER 1
#endif

#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS)
#define BOTH extern "C" __global__ void __launch_bounds__(THREADS, 2)

BOTH norm_statistics(const T *z, int channels, int pixels, const Head *head, const Norm *n) {
    statistics<NUMBERS, 4>(z, channels, pixels, head, *n);
}

BOTH norm_apply(const T *z, T *out, int channels, int pixels, int capacity, const Head *head, const float *scale,
                const float *shift, int kind) {
    apply<NUMBERS, 4, false>(z, out, channels, pixels, capacity, head, scale, shift, kind, nullptr);
}

BOTH norm_apply_add(const T *z, T *out, int channels, int pixels, int capacity, const Head *head, const float *scale,
                    const float *shift, int kind, const T *other) {
    apply<NUMBERS, 2, true>(z, out, channels, pixels, capacity, head, scale, shift, kind, other);
}

KERNEL norm_apply_pool(const T *z, T *out, int channels, int height, int width, int capacity, const Head *head,
                       const float *scale, const float *shift) {
    apply_pool<NUMBERS>(z, out, channels, height, width, capacity, head, scale, shift);
}

BOTH norm_backward_sums(const T *z, const T *gradient, int channels, int pixels, const Head *head, const Norm *n,
                        int kind, int bias_only) {
    backward_sums<FEWER, 4>(z, gradient, channels, pixels, head, *n, kind, bias_only);
}

BOTH norm_backward_sums_join(const T *z, T *gradient, int channels, int pixels, const Head *head, const Norm *n,
                             int kind, int bias_only, const T *second, const T *out) {
    if (second && kind)
        backward_sums_join<FEWER, 2, true, true>(z, gradient, channels, pixels, head, *n, bias_only, second, out);
    else if (second)
        backward_sums_join<FEWER, 2, true, false>(z, gradient, channels, pixels, head, *n, bias_only, second, out);
    else
        backward_sums_join<FEWER, 2, false, true>(z, gradient, channels, pixels, head, *n, bias_only, second, out);
}

BOTH norm_backward_apply(const T *z, T *to, const T *gradient, int channels, int pixels, int capacity,
                         const Head *head, const Norm *n, int kind, int bias_only) {
    backward_apply<FEWER, 4>(z, to, gradient, channels, pixels, capacity, head, *n, kind, bias_only);
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
