// Stands in for Metal's library where there is no Metal: the part of <metal_stdlib> that kernels use, on the emulator.
// After emulator.h.
//
// The translator leaves the keywords of the language, which are macros here. Address spaces are real where the compiler
// is clang: a pointer into one of them does not become a pointer into another.
//
// Features that Metal lacks are not here, so that a kernel that uses it does not compile: 64-bit atomics, assertions,
// exceptions.

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

static_assert(sizeof(ulong) == 8, "Metal's ulong has 64 bits");

struct uint3 {
    uint x, y, z;
};

#if defined(__clang__)
#define POLYSTARK_SPACE(n) __attribute__((address_space(n)))
#define constant const POLYSTARK_SPACE(2)
#else
#define POLYSTARK_SPACE(n)
#define POLYSTARK_ONE_SPACE
// Constants say so themselves.
#define constant
#endif
#define device POLYSTARK_SPACE(1)
#define threadgroup POLYSTARK_SPACE(3)
#define thread

namespace metal {

enum class mem_flags { mem_none = 0, mem_device = 1, mem_threadgroup = 2 };

static inline mem_flags operator|(mem_flags a, mem_flags b) { return (mem_flags)((int)a | (int)b); }

static inline uint mulhi(uint a, uint b) { return (uint)(((ulong)a * b) >> 32); }
static inline ulong mulhi(ulong a, ulong b) { return (ulong)(((unsigned __int128)a * b) >> 64); }
static inline uint rotate(uint a, uint n) { return (a << (n & 31)) | (a >> (-n & 31)); }
static inline uint reverse_bits(uint a) { return emu::reverse_bits(a); }

// A barrier that does not order shared memory would be no use to any kernel of ours.
static inline bool orders_shared(mem_flags flags) { return ((int)flags & (int)mem_flags::mem_threadgroup) != 0; }

// Atomics of 32 bits, in no order.
struct atomic_uint {
    uint value;
};
enum memory_order { memory_order_relaxed };
#define POLYSTARK_FETCH(name, builtin, space) \
    static inline uint name(space atomic_uint* a, uint b, memory_order) { return builtin((uint*)a, b, __ATOMIC_RELAXED); }
POLYSTARK_FETCH(atomic_fetch_add_explicit, __atomic_fetch_add, device)
#define POLYSTARK_MIN(pointer, value, order) emu::atomic_min((pointer), (value))
POLYSTARK_FETCH(atomic_fetch_min_explicit, POLYSTARK_MIN, device)

}  // namespace metal

namespace emu {

// A kernel's declaration of a buffer: index, whether it is written, bytes (of the parameter block; else 0). The last
// has index 31.
struct MetalArgument {
    uint32_t index;
    uint32_t writes;
    uint64_t bytes;
};

}  // namespace emu

#define threadgroup_barrier(flags) (metal::orders_shared(flags) ? emu::barrier(__LINE__) : (void)0)
#define simd_shuffle_xor(value, mask) emu::shuffle_xor((value), (mask), __LINE__)
