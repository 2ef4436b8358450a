// What a product is told, in matmul.cu and dense.cu; layout.rs declares the same.

struct Operand {
    const T *p;
    int ld;      // channels for patches, input channels for FILTERS_BACK
    int height;  // patches only
    int width;
    int outer;   // output channels for FILTERS_BACK
};

// What becomes of a product.
struct Finish {
    T *out;              // M x N, or null
    float *sums;         // M x N in f32 (a part each blockIdx.z), or null
    const float *bias;   // one a column, or null
    int activation;
    T *kept;             // where the product goes before the activation, too, or null
    const T *below;      // the numbers at which the slope of the activation below multiplies the product, or null
    int below_activation;
    float *bias_gradient; // sums of A over k, one a row, or null
};

struct Job {
    Operand a, b;
    int m, n, k, k_part;
    Finish finish;
};
