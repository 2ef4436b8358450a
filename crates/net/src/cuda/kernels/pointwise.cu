// Rows from the data set, stand-alone activations, pooling, dropout, the score, and the optimizers.

__device__ __forceinline__ int reflect(int i, int n) {
    if (i < 0) return -i;
    return i >= n ? 2 * (n - 1) - i : i;
}

struct Source {
    const void *data;
    const float *scale, *shift;  // bytes only
    int bytes;
    int channels, height, width;
};

struct Draw {
    signed char down, right;
    u8 mirror, spare;
};

// Row numbers and draws follow the head. Rows past the batch become zeros. A block takes one row at a time; a thread one
// pixel of it.
extern "C" __global__ void gather(const Source *s, const Head *head, const u32 *rows, const Draw *draws, int capacity,
                                  T *out) {
    int channels = s->channels, height = s->height, width = s->width, pixels = height * width;
    int count = head->rows, drawn = head->drawn, bytes = s->bytes;
    const float *scale = s->scale, *shift = s->shift;
    // A table is one pixel of many channels: its numbers are taken as pixels of one channel, each with its own scale.
    bool table = pixels == 1;
    if (table) pixels = channels, channels = 1;
    for (int row = blockIdx.x; row < capacity; row += gridDim.x) {
        T *to = out + (long long)row * pixels * channels;
        long long from = row < count ? (long long)rows[row] * pixels * channels : 0;
        Draw d = {0, 0, 0, 0};
        if (drawn && row < count) d = draws[row];
        for (int pixel = threadIdx.x; pixel < pixels; pixel += blockDim.x) {
            int at = pixel;
            if (drawn && !table) {
                int y = pixel / width, x = pixel - y * width;
                if (d.mirror) x = width - 1 - x;
                at = reflect(y + d.down, height) * width + reflect(x + d.right, width);
            }
            for (int c = 0; c < channels; c++) {
                float value = 0.f;
                long long place = from + (long long)at * channels + c;
                int own = table ? pixel : c;
                if (row < count)
                    value = bytes ? __fadd_rn(__fmul_rn((float)((const u8 *)s->data)[place], scale[own]), shift[own])
                                  : ((const float *)s->data)[place];
                to[(long long)pixel * channels + c] = down(value);
            }
        }
    }
}

struct Strong {
    float a, b, right, c, d, down;
    float contrast, brightness, saturation;
    float shift[3];
    short hole_y, hole_x;
    int side;
};

// One number of a weak view, 0 outside the image.
__device__ __forceinline__ float weak(const Source *s, long long from, Draw d, int y, int x, int c) {
    int height = s->height, width = s->width;
    if (y < 0 || y >= height || x < 0 || x >= width) return 0.f;
    if (d.mirror) x = width - 1 - x;
    int at = reflect(y + d.down, height) * width + reflect(x + d.right, width);
    long long place = from + (long long)at * s->channels + c;
    return s->bytes ? __fadd_rn(__fmul_rn((float)((const u8 *)s->data)[place], s->scale[c]), s->shift[c])
                    : ((const float *)s->data)[place];
}

// A strong view of a row (views.rs has the formula); a thread takes one pixel at a time.
__device__ __forceinline__ void strong_view(const Source *s, long long from, Draw d, Strong v, T *to) {
    int channels = s->channels, height = s->height, width = s->width, pixels = height * width;
    float middle_x = .5f * (width - 1), middle_y = .5f * (height - 1);
    for (int pixel = threadIdx.x; pixel < pixels; pixel += blockDim.x) {
        int y = pixel / width, x = pixel - y * width;
        bool hole = y >= v.hole_y && y < v.hole_y + v.side && x >= v.hole_x && x < v.hole_x + v.side;
        float across = x - middle_x, below = y - middle_y;
        float at_x = v.a * across + v.b * below + v.right + middle_x;
        float at_y = v.c * across + v.d * below + v.down + middle_y;
        float left = floorf(at_x), top = floorf(at_y), over = at_x - left, under = at_y - top;
        int l = (int)left, t = (int)top;
        auto seen = [&](int c) {
            return (1.f - under) * ((1.f - over) * weak(s, from, d, t, l, c) + over * weak(s, from, d, t, l + 1, c)) +
                   under * ((1.f - over) * weak(s, from, d, t + 1, l, c) + over * weak(s, from, d, t + 1, l + 1, c));
        };
        float gray = 0.f;
        for (int c = 0; c < channels; c++) gray += hole ? 0.f : seen(c);
        gray /= channels;
        for (int c = 0; c < channels; c++) {
            float value = 0.f;
            if (!hole) value = v.contrast * (gray + v.saturation * (seen(c) - gray)) + v.brightness + v.shift[c % 3];
            to[(long long)pixel * channels + c] = down(value);
        }
    }
}

struct Dropped {
    u32 key_low, key_high;
    u32 least;  // draws below it leave a number out
    float factor;
};

// A row with numbers left out (dropped.rs); two numbers take one draw.
__device__ __forceinline__ void without_numbers(const Source *s, long long from, Draw d, Dropped v, T *to) {
    int channels = s->channels, width = s->width, size = channels * s->height * width;
    u64 key = ((u64)v.key_high << 32) | v.key_low;
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        int pixel = i / channels, y = pixel / width;
        u64 z = key + (u64)(i / 2 + 1) * 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        z ^= z >> 31;
        u32 bits = i % 2 ? (u32)(z >> 32) : (u32)z;
        float value = weak(s, from, d, y, pixel - y * width, i - pixel * channels);
        to[i] = down(bits < v.least ? 0.f : __fmul_rn(value, v.factor));
    }
}

struct Partner {
    u32 row;
    Draw draw;
    float share;
};

// A row mixed with another one (mixup.rs).
__device__ __forceinline__ void mixed(const Source *s, long long from, Draw d, Partner p, T *to) {
    int channels = s->channels, width = s->width, size = channels * s->height * width;
    long long from_other = (long long)p.row * size;
    float rest = 1.f - p.share;
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        int pixel = i / channels, y = pixel / width, x = pixel - y * width, c = i - pixel * channels;
        float own = weak(s, from, d, y, x, c), other = weak(s, from_other, p.draw, y, x, c);
        to[i] = down(__fadd_rn(__fmul_rn(p.share, own), __fmul_rn(rest, other)));
    }
}

// The last rows of the batch once more, changed. A block takes one row at a time.
extern "C" __global__ void gather_changed(const Source *s, const Head *head, const u32 *rows, const Draw *draws,
                                          const void *how, T *out) {
    long long size = (long long)s->channels * s->height * s->width;
    int first = head->rows - head->changed;
    for (int i = blockIdx.x; i < head->changed; i += gridDim.x) {
        int row = first + i;
        T *to = out + row * size;
        long long from = rows[row] * size;
        Draw d = {0, 0, 0, 0};
        if (head->drawn) d = draws[row];
        if (head->way == 0)
            strong_view(s, from, d, ((const Strong *)how)[i], to);
        else if (head->way == 1)
            without_numbers(s, from, d, ((const Dropped *)how)[i], to);
        else
            mixed(s, from, d, ((const Partner *)how)[i], to);
    }
}

extern "C" __global__ void activate_forward(const T *in, T *out, long long size, int kind) {
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < size;
         i += (long long)gridDim.x * blockDim.x)
        out[i] = down(activate(up(in[i]), kind));
}

extern "C" __global__ void activate_backward(const T *in, const T *gradient, T *to, long long size, int kind) {
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < size;
         i += (long long)gridDim.x * blockDim.x)
        to[i] = down(up(gradient[i]) * slope(up(in[i]), kind));
}

extern "C" __global__ void pool_forward(const T *in, T *out, int channels, int height, int width, int capacity) {
    int small = (height / 2) * (width / 2) * channels;
    long long all = (long long)capacity * small;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (long long)gridDim.x * blockDim.x) {
        int c = i % channels;
        long long pixel = i / channels;
        int x = pixel % (width / 2);
        long long rest = pixel / (width / 2);
        int y = rest % (height / 2);
        const T *from = in + ((rest / (height / 2) * height + 2 * y) * width + 2 * x) * channels + c;
        float best = up(from[0]);
        best = fmaxf(best, up(from[channels]));
        best = fmaxf(best, up(from[(long long)width * channels]));
        best = fmaxf(best, up(from[(long long)(width + 1) * channels]));
        out[i] = down(best);
    }
}

// One thread for each input number: does its block take it, and no earlier one?
extern "C" __global__ void pool_backward(const T *in, const T *gradient, T *to, int channels, int height, int width,
                                         int capacity) {
    int size = height * width * channels;
    long long all = (long long)capacity * size;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (long long)gridDim.x * blockDim.x) {
        long long example = i / size;
        int inside = i - example * size, c = inside % channels, pixel = inside / channels;
        int x = pixel % width, y = pixel / width, cx = x / 2, cy = y / 2;
        float g = 0.f;
        if (cx < width / 2 && cy < height / 2) {
            const T *from = in + example * size + ((long long)(2 * cy) * width + 2 * cx) * channels + c;
            float a[4] = {up(from[0]), up(from[channels]), up(from[(long long)width * channels]),
                          up(from[(long long)(width + 1) * channels])};
            int winner = 0;
            for (int k = 1; k < 4; k++)
                if (a[k] > a[winner]) winner = k;
            if (winner == (y % 2) * 2 + x % 2)
                g = up(gradient[((example * (height / 2) + cy) * (width / 2) + cx) * channels + c]);
        }
        to[i] = down(g);
    }
}

// The mean of each channel over the pixels, a thread each.
extern "C" __global__ void mean_forward(const T *in, T *out, int channels, int pixels, int capacity) {
    long long all = (long long)capacity * channels;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (long long)gridDim.x * blockDim.x) {
        const T *from = in + i / channels * pixels * channels + i % channels;
        float sum = 0.f;
        for (int p = 0; p < pixels; p++) sum += up(from[(long long)p * channels]);
        out[i] = down(sum / pixels);
    }
}

extern "C" __global__ void mean_backward(const T *gradient, T *to, int channels, int pixels, int capacity) {
    long long all = (long long)capacity * pixels * channels;
    float share = 1.f / pixels;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (long long)gridDim.x * blockDim.x) {
        long long example = i / channels / pixels;
        to[i] = down(share * up(gradient[example * channels + i % channels]));
    }
}

// Every stride-th pixel of every stride-th row; and its gradient back, zero for the others.
extern "C" __global__ void thin_out_forward(const T *in, T *out, int channels, int height, int width, int stride,
                                            int capacity) {
    int across = (width + stride - 1) / stride, down_ = (height + stride - 1) / stride;
    long long all = (long long)capacity * across * down_ * channels;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (long long)gridDim.x * blockDim.x) {
        long long pixel = i / channels, rest = pixel / across;
        int x = pixel % across, y = rest % down_;
        out[i] = in[((rest / down_ * height + y * stride) * width + x * stride) * channels + i % channels];
    }
}

extern "C" __global__ void thin_out_backward(const T *gradient, T *to, int channels, int height, int width, int stride,
                                             int capacity) {
    int across = (width + stride - 1) / stride, down_ = (height + stride - 1) / stride;
    long long all = (long long)capacity * height * width * channels;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (long long)gridDim.x * blockDim.x) {
        long long pixel = i / channels, rest = pixel / width;
        int x = pixel % width, y = rest % height;
        bool taken = x % stride == 0 && y % stride == 0;
        long long from = ((rest / height * down_ + y / stride) * across + x / stride) * channels + i % channels;
        to[i] = taken ? gradient[from] : down(0.f);
    }
}

extern "C" __global__ void add(const T *a, const T *b, T *to, u64 size) {
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += (u64)gridDim.x * blockDim.x)
        to[i] = down(up(a[i]) + up(b[i]));
}

// Zeroes each number with the given chance (limit / 2^32) and scales the rest; forward and backward alike. The same
// hash of key and place as on the CPU.
extern "C" __global__ void dropout(const T *in, T *out, int size, int capacity, const Head *head, u64 layer_key,
                                   u64 limit, float scale, int training) {
    u64 key = (((u64)head->key_high << 32) | head->key_low) ^ layer_key;
    long long all = (long long)capacity * size;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (long long)gridDim.x * blockDim.x) {
        float x = up(in[i]);
        if (training) {
            u64 z = key + (u64)i * 0x9e3779b97f4a7c15ULL;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
            x = (z >> 32) < limit ? 0.f : x * scale;
        }
        out[i] = down(x);
    }
}

// The last layer: one score per row, one warp each.
extern "C" __global__ void score_forward(const T *in, const float *weight, const float *bias, int size, int capacity,
                                         float *scores) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= capacity) return;
    float sum = 0.f;
    for (int i = lane; i < size; i += 32) sum += up(in[(long long)row * size + i]) * weight[i];
#pragma unroll
    for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0) scores[row] = sum + (bias ? bias[0] : 0.f);
}

// Gradient of the score's input, through the activation that made it, which was taken at `before`.
extern "C" __global__ void score_backward(const T *before, const float *weight, const float *gradient, int size,
                                          int capacity, int activation, T *to) {
    long long all = (long long)capacity * size;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < all;
         i += (long long)gridDim.x * blockDim.x) {
        int row = i / size, k = i - (long long)row * size;
        to[i] = down(gradient[row] * weight[k] * slope(up(before[i]), activation));
    }
}

// Gradient of the score's weights: a block has 32 columns (the last one of all is the bias) and 32 row lanes.
extern "C" __global__ void __launch_bounds__(1024)
    score_weights(const T *in, const float *gradient, int size, const Head *head, float *weight, float *bias) {
    __shared__ float shared[32][33];
    int column = blockIdx.x * 32 + threadIdx.x % 32, lane = threadIdx.x / 32;
    float sum = 0.f;
    for (int row = lane; row < head->rows; row += 32) {
        if (column < size) sum += gradient[row] * up(in[(long long)row * size + column]);
        else if (column == size) sum += gradient[row];
    }
    shared[lane][threadIdx.x % 32] = sum;
    __syncthreads();
    if (lane == 0) {
        float total = 0.f;
        for (int r = 0; r < 32; r++) total += shared[r][threadIdx.x];
        if (column < size) weight[column] = total;
        else if (column == size && bias) bias[0] = total;
    }
}

// Coefficients of one optimizer step; they come with the gradient of the scores.
struct Step {
    float gradient, moment, variance_scale, weight_decay, kept;
};

// All parameters at once. A block has 1,024 of them; `halves` says, block by block, whether their gradient is in
// `half_gradient` (bf16, from cuDNN) or in `full_gradient`. kind: 0 Adam and NAdam, 1 SGD with momentum.
extern "C" __global__ void __launch_bounds__(256)
    optimize(float *weights, T *working, const float *full_gradient, const u16 *half_gradient, const u8 *halves,
             float *first, float *second, const Step *step, int kind, float momentum) {
    long long at = (long long)blockIdx.x * 1024 + threadIdx.x * 4;
    float4 w = *reinterpret_cast<float4 *>(weights + at), m = *reinterpret_cast<float4 *>(first + at);
    float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
    if (kind == 0) v = *reinterpret_cast<float4 *>(second + at);
    float g[4];
    if (halves[blockIdx.x]) {
        ushort4 h = *reinterpret_cast<const ushort4 *>(half_gradient + at);
        g[0] = __uint_as_float((u32)h.x << 16), g[1] = __uint_as_float((u32)h.y << 16);
        g[2] = __uint_as_float((u32)h.z << 16), g[3] = __uint_as_float((u32)h.w << 16);
    } else {
        float4 f = *reinterpret_cast<const float4 *>(full_gradient + at);
        g[0] = f.x, g[1] = f.y, g[2] = f.z, g[3] = f.w;
    }
    Step s = *step;
    float *weight = &w.x, *mean = &m.x, *square = &v.x;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float own = g[i] + s.weight_decay * weight[i];
        if (kind == 0) {
            mean[i] = 0.9f * mean[i] + 0.1f * own;
            square[i] = 0.999f * square[i] + 0.001f * own * own;
            float root = sqrtf(square[i] * s.variance_scale) + 1e-8f;
            weight[i] = s.kept * weight[i] - (s.gradient * own + s.moment * mean[i]) / root;
        } else {
            mean[i] = momentum * mean[i] + own;
            weight[i] -= s.moment * mean[i];
        }
    }
    *reinterpret_cast<float4 *>(weights + at) = w;
    *reinterpret_cast<float4 *>(first + at) = m;
    if (kind == 0) *reinterpret_cast<float4 *>(second + at) = v;
#if HALF
    Pack<4> small;
#pragma unroll
    for (int i = 0; i < 4; i++) small.v[i] = down(weight[i]);
    *reinterpret_cast<Pack<4> *>(working + at) = small;
#endif
}

// bf16 copies of all weights, after they were loaded. A block has 1,024.
extern "C" __global__ void shrink(const float *weights, T *working) {
    long long at = (long long)blockIdx.x * 1024 + threadIdx.x * 4;
    for (int i = 0; i < 4; i++) working[at + i] = down(weights[at + i]);
}

// A moving average of all weights, and its bf16 copies. A block has 1,024.
extern "C" __global__ void follow(float *average, T *working, const float *now, float rate) {
    long long at = (long long)blockIdx.x * 1024 + threadIdx.x * 4;
    for (int i = 0; i < 4; i++) {
        float moved = rate * average[at + i] + (1.f - rate) * now[at + i];
        average[at + i] = moved;
        working[at + i] = down(moved);
    }
}

// A moving average of running statistics, put where passes look for them.
extern "C" __global__ void follow_statistics(float *average, float *own, const float *now, int count, float rate) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float moved = rate * average[i] + (1.f - rate) * now[i];
    average[i] = moved;
    own[i] = moved;
}

// Adds up the parts that blocks of a product left, always in the same order: a block has 32 numbers and eight lanes.
extern "C" __global__ void __launch_bounds__(256) sum_parts(const float *parts, int count, int size, float *to) {
    __shared__ float shared[8][32];
    int i = blockIdx.x * 32 + threadIdx.x % 32, lane = threadIdx.x / 32;
    float sum = 0.f;
    if (i < size) {
#pragma unroll 8
        for (int part = lane; part < count; part += 8) sum += parts[(long long)part * size + i];
    }
    shared[lane][threadIdx.x % 32] = sum;
    __syncthreads();
    if (lane || i >= size) return;
    float total = 0.f;
    for (int l = 0; l < 8; l++) total += shared[l][threadIdx.x];
    to[i] = total;
}
