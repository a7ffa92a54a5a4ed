// The language of kernel sources. One text serves CUDA (NVRTC), Metal (compiled at run time) and plain C++ (the
// emulator, which runs one fibre per GPU thread).
//
// The compiler is told the dialect: -DPOLYSTARK_CUDA, -DPOLYSTARK_METAL or -DPOLYSTARK_EMULATED. There is no include
// path: the host concatenates the sources, this one first.
//
//   KERNEL(name, IN(0, u64, a) OUT(1, u64, b), NameParams) { ... p.field ... }
//
// declares an entry point with buffers a (read) and b (written) and a parameter block p, a struct of 4- and 8-byte
// integers, passed by value. Inside a kernel:
//   THREAD, BLOCK_X, BLOCK_Y, BLOCK_Z, BLOCK_THREADS   indices (blocks are one-dimensional, grids up to three)
//   SHARED(T, name, count)                             shared memory, scalars only, count a constant expression
//   BARRIER(), GROUP_BARRIER()                         all threads of the block; those of a group of 32, at least
//   SHUFFLE_XOR(value, mask)                           u32 exchange within a group of 32 threads, all taking part
//   ATOMIC_MIN(pointer, value)                         to a u32 of a buffer, in any order
//   ATOMIC_COUNT(pointer)                              adds 1 to a u32 of a buffer, of which threads beside each other
// may have the same
//   MUL_HI(a, b), REVERSE_BITS(a)                      high half of a u64 product; the 32 bits of a u32 reversed
//   MUL_HI_32(a, b)                                    high half of a u32 product; only where WIDE_BY_LIMBS is 1
//   COMPUTE_CAPABILITY                                 that of an NVIDIA GPU times 100, else 0: only for bounds of
// registers
//   GLOBAL, LOCAL                                      address spaces of pointer parameters of functions
//   FN, FN_CALLED                                      a function; one whose calls are calls, to keep a long kernel's
// code short
//   UNROLL                                             unroll the next loop
// BARRIER orders shared memory; no thread reads what another of its launch wrote to a buffer. Rules: no lambdas,
// recursion, function pointers or virtuals; an address space on every pointer; no 64-bit atomics; shared memory of a
// portable kernel at most 32 KB; shift counts below the width.

#if defined(POLYSTARK_CUDA)

typedef unsigned char u8;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;

#define FN __device__ __forceinline__
#define FN_CALLED static __device__ __noinline__
#define CONSTANT __constant__ const
#define GLOBAL
#define LOCAL
#define UNROLL _Pragma("unroll")
#define UNROLL_BY(n) _Pragma(POLYSTARK_STRING(unroll n))
#define POLYSTARK_STRING(x) #x
#define IN(slot, T, name) const T* __restrict__ name,
#define OUT(slot, T, name) T* __restrict__ name,
#define INOUT(slot, T, name) T* name,
#define KERNEL(name, buffers, Params) extern "C" __global__ void name(buffers const Params p)
// At most `threads` a block, at least `blocks` blocks resident: bounds the registers.
#define KERNEL_BOUNDED(name, threads, blocks, buffers, Params) \
    extern "C" __global__ void __launch_bounds__(threads, blocks) name(buffers const Params p)
#define THREAD ((u32)threadIdx.x)
#define BLOCK_X ((u32)blockIdx.x)
#define BLOCK_Y ((u32)blockIdx.y)
#define BLOCK_Z ((u32)blockIdx.z)
#define BLOCK_THREADS ((u32)blockDim.x)
#define GRID_X ((u32)gridDim.x)
#define SHARED(T, name, count) __shared__ T name[count]
#define SHARED_ARG(T) T*
#define BARRIER() __syncthreads()
#define GROUP_BARRIER() __syncwarp()
#define SHUFFLE_XOR(value, mask) __shfl_xor_sync(0xffffffffu, (value), (mask))
#define ATOMIC_MIN(pointer, value) ((void)atomicMin((pointer), (value)))
#define ATOMIC_COUNT(pointer) polystark_count(pointer)
// One addition for all threads of a group of 32 that are here with the same address: the memory does those to one
// address one by one.
FN void polystark_count(u32* pointer) {
    u32 same = __match_any_sync(__activemask(), (u64)pointer);
    if ((THREAD & 31) + 1 == (u32)__ffs((int)same)) {
        atomicAdd(pointer, (u32)__popc(same));
    }
}
#define MUL_HI(a, b) __umul64hi((a), (b))
#define REVERSE_BITS(a) ((u32)__brev(a))
#define COMPUTE_CAPABILITY __CUDA_ARCH__

#elif defined(POLYSTARK_METAL)

// Only Metal's compiler has this header; the emulator has a stand-in for it (backend-emulated).
#include <metal_stdlib>
using namespace metal;
typedef uchar u8;
typedef uint u32;
typedef int i32;
typedef ulong u64;
typedef long i64;

#define FN static inline
#define FN_CALLED static __attribute__((noinline))
#define CONSTANT constant const
#define GLOBAL device
#define LOCAL thread
#define UNROLL _Pragma("unroll")
#define UNROLL_BY(n) _Pragma("unroll")
#define IN(slot, T, name) device const T* name [[buffer(slot)]],
#define OUT(slot, T, name) device T* name [[buffer(slot)]],
#define INOUT(slot, T, name) device T* name [[buffer(slot)]],
// Written out twice: buffers that are expanded have commas, so they cannot be passed on to another macro. No launch has
// more than 256 threads a block where a kernel does not say: the compiler may not take registers for fewer.
#define KERNEL(name, buffers, Params)                                                                          \
    [[max_total_threads_per_threadgroup(256)]]                                                                 \
    kernel void name(buffers constant Params& p [[buffer(30)]], uint3 polystark_block [[threadgroup_position_in_grid]], \
                     uint polystark_thread [[thread_index_in_threadgroup]],                                    \
                     uint3 polystark_threads [[threads_per_threadgroup]], uint3 polystark_grid [[threadgroups_per_grid]])
#define KERNEL_BOUNDED(name, threads, blocks, buffers, Params)                                                 \
    [[max_total_threads_per_threadgroup(threads)]]                                                             \
    kernel void name(buffers constant Params& p [[buffer(30)]], uint3 polystark_block [[threadgroup_position_in_grid]], \
                     uint polystark_thread [[thread_index_in_threadgroup]],                                    \
                     uint3 polystark_threads [[threads_per_threadgroup]], uint3 polystark_grid [[threadgroups_per_grid]])
#define THREAD (polystark_thread)
#define BLOCK_X (polystark_block.x)
#define BLOCK_Y (polystark_block.y)
#define BLOCK_Z (polystark_block.z)
#define BLOCK_THREADS (polystark_threads.x)
#define GRID_X (polystark_grid.x)
#define SHARED(T, name, count) threadgroup T name[count]
#define SHARED_ARG(T) threadgroup T*
#define BARRIER() threadgroup_barrier(mem_flags::mem_threadgroup)
#define GROUP_BARRIER() BARRIER()
#define SHUFFLE_XOR(value, mask) simd_shuffle_xor((value), (ushort)(mask))
#define POLYSTARK_ATOMIC(name, pointer, value) \
    ((void)atomic_fetch_##name##_explicit((device atomic_uint*)(pointer), (value), memory_order_relaxed))
#define ATOMIC_MIN(pointer, value) POLYSTARK_ATOMIC(min, pointer, value)
#define ATOMIC_COUNT(pointer) POLYSTARK_ATOMIC(add, pointer, 1)
#define MUL_HI(a, b) mulhi((u64)(a), (u64)(b))
#define REVERSE_BITS(a) reverse_bits((u32)(a))
#define COMPUTE_CAPABILITY 0
// Apple's GPUs multiply 32 bits and emulate 64. 32: products of u64 are made from those of their halves; 64: by the
// compiler's mulhi. The host defines it to measure the other form.
#ifndef METAL_PRODUCT_BITS
#define METAL_PRODUCT_BITS 32
#endif
#if METAL_PRODUCT_BITS == 32
#define WIDE_BY_LIMBS 1
#elif METAL_PRODUCT_BITS == 64
#define WIDE_BY_LIMBS 0
#else
#error "METAL_PRODUCT_BITS is 32 or 64"
#endif
#define MUL_HI_32(a, b) mulhi((u32)(a), (u32)(b))

#elif defined(POLYSTARK_EMULATED)

// The emulator's own header (backend-emulated) comes before this one and defines namespace emu.
typedef unsigned char u8;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;

#define FN static inline
#define FN_CALLED static __attribute__((noinline))
#define CONSTANT static const
#define GLOBAL
#define LOCAL
#define UNROLL
#define UNROLL_BY(n)
#define IN(slot, T, name) const T* name,
#define OUT(slot, T, name) T* name,
#define INOUT(slot, T, name) T* name,
#define KERNEL(name, buffers, Params)                                            \
    static void name##_thread(buffers const Params& p);                          \
    extern "C" void name(void** arguments, const void* params) {                 \
        emu::invoke(&name##_thread, arguments, params);                          \
    }                                                                            \
    static void name##_thread(buffers const Params& p)
#define KERNEL_BOUNDED(name, threads, blocks, buffers, Params)                   \
    static void name##_thread(buffers const Params& p);                          \
    extern "C" void name(void** arguments, const void* params) {                 \
        emu::invoke(&name##_thread, arguments, params);                          \
    }                                                                            \
    static void name##_thread(buffers const Params& p)
#define THREAD (emu::thread())
#define BLOCK_X (emu::block(0))
#define BLOCK_Y (emu::block(1))
#define BLOCK_Z (emu::block(2))
#define BLOCK_THREADS (emu::block_threads())
#define GRID_X (emu::grid_x())
#define SHARED(T, name, count) T* name = emu::shared<T>(__LINE__, (count))
#define SHARED_ARG(T) T*
#define BARRIER() emu::barrier(__LINE__)
#define GROUP_BARRIER() BARRIER()
#define SHUFFLE_XOR(value, mask) emu::shuffle_xor((value), (mask), __LINE__)
#define ATOMIC_MIN(pointer, value) (emu::atomic_min((pointer), (value)))
#define ATOMIC_COUNT(pointer) ((void)__atomic_fetch_add((pointer), 1, __ATOMIC_RELAXED))
#define MUL_HI(a, b) ((u64)(((unsigned __int128)(a) * (unsigned __int128)(b)) >> 64))
#define WIDE_BY_LIMBS 0
#define REVERSE_BITS(a) emu::reverse_bits(a)
#define COMPUTE_CAPABILITY 0

#else
#error "name the dialect: POLYSTARK_CUDA, POLYSTARK_METAL or POLYSTARK_EMULATED"
#endif
