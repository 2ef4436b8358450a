// 3x3 convolutions of one to three input channels (CHANNELS, set when a variant is compiled): the first layer of an
// image network. cuDNN's engines want more channels than that; here the 9 CHANNELS numbers of a patch are gathered
// by one thread and multiplied on tensor cores (bf16 with f32 sums), and the layer costs little more than the traffic
// of its larger tensor. A warp works on 32 pixels by itself; blocks meet only to add up weight gradients.

#define PATCH (9 * CHANNELS)
#define DEPTH 32
#define STRIDE (DEPTH + 8)
#define OUTPUTS 64
#define OUT_STRIDE (OUTPUTS + 8)
#define WARPS 4

// The patch around a pixel, (tap, channel) by (tap, channel), zeros outside the image and past its end.
__device__ __forceinline__ void put_patch(const T *image, int pixel, int pixels, int height, int width, T *row) {
    T v[DEPTH];
#pragma unroll
    for (int i = 0; i < DEPTH; i++) v[i] = 0;
    if (pixel < pixels) {
        int x = pixel % width, y = pixel / width % height;
        const T *center = image + (long long)pixel * CHANNELS;
#pragma unroll
        for (int tap = 0; tap < 9; tap++) {
            int dy = tap / 3 - 1, dx = tap % 3 - 1;
            bool inside = (unsigned)(y + dy) < (unsigned)height && (unsigned)(x + dx) < (unsigned)width;
            if (inside) {
#pragma unroll
                for (int c = 0; c < CHANNELS; c++) v[tap * CHANNELS + c] = center[(dy * width + dx) * CHANNELS + c];
            }
        }
    }
#pragma unroll
    for (int i = 0; i < DEPTH; i += 8) {
        uint4 words;
        words.x = v[i] | (u32)v[i + 1] << 16, words.y = v[i + 2] | (u32)v[i + 3] << 16;
        words.z = v[i + 4] | (u32)v[i + 5] << 16, words.w = v[i + 6] | (u32)v[i + 7] << 16;
        *reinterpret_cast<uint4 *>(row + i) = words;
    }
}

// y = patches of x times weights. blockIdx.y is a tile of 64 output channels; outputs are a multiple of 8.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    thin_forward(const T *x, const T *weights, T *y, int height, int width, int outputs, int pixels) {
    __shared__ __align__(16) T filters[OUTPUTS][STRIDE];
    __shared__ __align__(16) T patches[32 * WARPS][STRIDE];
    __shared__ __align__(16) T results[32 * WARPS][OUT_STRIDE];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first = blockIdx.y * OUTPUTS;
    for (int i = threadIdx.x; i < OUTPUTS * DEPTH; i += 32 * WARPS) {
        int o = i / DEPTH, k = i % DEPTH;
        filters[o][k] = k < PATCH && first + o < outputs ? weights[(first + o) * PATCH + k] : 0;
    }
    __syncthreads();
    u32 b[2][OUTPUTS / 8][2];
#pragma unroll
    for (int k = 0; k < 2; k++)
#pragma unroll
        for (int j = 0; j < OUTPUTS / 8; j += 2) {
            u32 four[4];
            matrices<false>(four, &filters[j * 8 + lane % 8 + lane / 16 * 8][k * 16 + lane / 8 % 2 * 8]);
            b[k][j][0] = four[0], b[k][j][1] = four[1], b[k][j + 1][0] = four[2], b[k][j + 1][1] = four[3];
        }
    T(*own)[STRIDE] = patches + 32 * warp;
    T(*out)[OUT_STRIDE] = results + 32 * warp;
    for (long long start = ((long long)blockIdx.x * WARPS + warp) * 32; start < pixels;
         start += (long long)gridDim.x * WARPS * 32) {
        put_patch(x, start + lane, pixels, height, width, own[lane]);
        __syncwarp();
        float c[2][OUTPUTS / 8][4] = {};
#pragma unroll
        for (int k = 0; k < 2; k++)
#pragma unroll
            for (int i = 0; i < 2; i++) {
                u32 a[4];
                matrices<false>(a, &own[i * 16 + lane % 16][k * 16 + lane / 16 * 8]);
#pragma unroll
                for (int j = 0; j < OUTPUTS / 8; j++) multiply(c[i][j], a, b[k][j]);
            }
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < OUTPUTS / 8; j++) {
                int row = i * 16 + lane / 4, column = j * 8 + lane % 4 * 2;
                *reinterpret_cast<u32 *>(&out[row][column]) = down(c[i][j][0]) | (u32)down(c[i][j][1]) << 16;
                *reinterpret_cast<u32 *>(&out[row + 8][column]) = down(c[i][j][2]) | (u32)down(c[i][j][3]) << 16;
            }
        __syncwarp();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            int row = i * 4 + lane / 8, column = lane % 8 * 8;
            if (start + row < pixels && first + column < outputs)
                *reinterpret_cast<uint4 *>(y + (start + row) * outputs + first + column) =
                    *reinterpret_cast<const uint4 *>(&out[row][column]);
        }
        __syncwarp();
    }
}

// Parts of the weight gradient, one a block: outputs x PATCH numbers each, to be added up.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    thin_weights(const T *x, const T *gradient, float *parts, int height, int width, int outputs, int pixels) {
    __shared__ __align__(16) union {
        struct {
            T gradients[WARPS][32][OUT_STRIDE];
            T patches[WARPS][32][STRIDE];
        };
        float sums[WARPS][OUTPUTS][DEPTH];
    } shared;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first = blockIdx.y * OUTPUTS;
    T(*own)[STRIDE] = shared.patches[warp];
    T(*from)[OUT_STRIDE] = shared.gradients[warp];
    float c[OUTPUTS / 16][DEPTH / 8][4] = {};
    for (long long start = ((long long)blockIdx.x * WARPS + warp) * 32; start < pixels;
         start += (long long)gridDim.x * WARPS * 32) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            int row = i * 4 + lane / 8, column = lane % 8 * 8;
            uint4 words = make_uint4(0, 0, 0, 0);
            if (start + row < pixels && first + column < outputs)
                words = *reinterpret_cast<const uint4 *>(gradient + (start + row) * outputs + first + column);
            *reinterpret_cast<uint4 *>(&from[row][column]) = words;
        }
        put_patch(x, start + lane, pixels, height, width, own[lane]);
        __syncwarp();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            u32 b[DEPTH / 8][2];
#pragma unroll
            for (int j = 0; j < DEPTH / 8; j += 2) {
                u32 four[4];
                matrices<true>(four, &own[k + lane / 8 % 2 * 8 + lane % 8][j * 8 + lane / 16 * 8]);
                b[j][0] = four[0], b[j][1] = four[1], b[j + 1][0] = four[2], b[j + 1][1] = four[3];
            }
#pragma unroll
            for (int i = 0; i < OUTPUTS / 16; i++) {
                u32 a[4];
                matrices<true>(a, &from[k + lane % 8 + lane / 16 * 8][i * 16 + lane / 8 % 2 * 8]);
#pragma unroll
                for (int j = 0; j < DEPTH / 8; j++) multiply(c[i][j], a, b[j]);
            }
        }
        __syncwarp();
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < OUTPUTS / 16; i++)
#pragma unroll
        for (int j = 0; j < DEPTH / 8; j++) {
            int o = i * 16 + lane / 4, k = j * 8 + lane % 4 * 2;
            shared.sums[warp][o][k] = c[i][j][0], shared.sums[warp][o][k + 1] = c[i][j][1];
            shared.sums[warp][o + 8][k] = c[i][j][2], shared.sums[warp][o + 8][k + 1] = c[i][j][3];
        }
    __syncthreads();
    for (int i = threadIdx.x; i < OUTPUTS * PATCH; i += 32 * WARPS) {
        int o = i / PATCH, k = i % PATCH;
        if (first + o >= outputs) continue;
        float sum = 0.f;
        for (int w = 0; w < WARPS; w++) sum += shared.sums[w][o][k];
        parts[((long long)blockIdx.x * outputs + first + o) * PATCH + k] = sum;
    }
}
