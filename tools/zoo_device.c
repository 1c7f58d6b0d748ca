// A node with an accelerator as a host program sees it: CUDA's driver is loaded, and the MPI reports support for
// device memory. The zoo of machines (tools/zoo) preloads it as a library named libcuda.so. No memory belongs to the
// device, and the driver's query functions report this. Names and numbers are those of cuda.h and of the MPIs'
// extensions.

enum { k_invalid_value = 1, k_unknown_error = 999 };

int cuInit(unsigned flags) {
  return flags == 0 ? 0 : k_invalid_value;
}

int cuPointerGetAttribute(void* answer, int attribute, unsigned long long address) {
  (void)answer, (void)attribute, (void)address;
  return k_invalid_value;
}

int cuCtxGetCurrent(void** context) {
  *context = 0;
  return 0;
}

int cuCtxPushCurrent_v2(void* context) {
  (void)context;
  return k_unknown_error;
}

int cuCtxPopCurrent_v2(void** context) {
  (void)context;
  return k_unknown_error;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  (void)context, (void)device;
  return k_unknown_error;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  return k_unknown_error;
}

// Open MPI's query, and MPICH's for all kinds of devices.
int MPIX_Query_cuda_support(void) {
  return 1;
}

int MPIX_GPU_query_support(int kind, int* is_taken) {
  *is_taken = kind == 0;
  return 0;
}
