// Runs the threads of a GPU block as fibres of one CPU thread. Comes before dialect.h.
//
// A thread runs until it ends, waits at a barrier, or waits in a shuffle. Threads without either run one after the
// other on one fibre; each that waits keeps its fibre. When all have run, those that wait are checked (a barrier needs
// every thread of the block, at the same line; a shuffle every thread of its group of 32) and go on. The order of the
// threads is shuffled by a seed, anew in each of these phases, and shared memory starts as a poison pattern, so that a
// missing barrier shows.

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__x86_64__) && defined(__linux__)
// Under the address sanitizer too: its swapcontext forgets what it knows of the stack that it switches to, so that an
// access past a local array would not show behind a barrier.
#define EMU_ASSEMBLY 1
// Saves the registers that a function must keep and the stack, takes the other side's.
extern "C" __attribute__((visibility("hidden"))) void emu_switch_stacks(void** save, void* load);
asm(".text\n"
    ".hidden emu_switch_stacks\n"
    ".globl emu_switch_stacks\n"
    ".type emu_switch_stacks,@function\n"
    "emu_switch_stacks:\n"
    "pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
    "movq %rsp,(%rdi)\n"
    "movq %rsi,%rsp\n"
    "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n"
    "ret\n"
    ".size emu_switch_stacks,.-emu_switch_stacks\n");
#else
#define EMU_ASSEMBLY 0
#include <ucontext.h>
#endif

namespace emu {

// The host's arguments; the same struct is in Rust.
struct Config {
    uint32_t grid[3];
    uint32_t threads;
    uint64_t first_block;
    uint64_t blocks;
    uint64_t seed;
    // threads * stack_bytes bytes.
    unsigned char* stacks;
    uint64_t stack_bytes;
    // Shared memory that a block may take.
    uint64_t shared_bytes;
};

typedef void (*Entry)(void** arguments, const void* params);

enum State { IDLE, RUNNING, AT_BARRIER, AT_SHUFFLE };

struct Fibre {
    State state;
    uint32_t thread;
    int line;
    uint32_t value;
    uint32_t mask;
    bool started;
#if EMU_ASSEMBLY
    void* stack_pointer;
#else
    ucontext_t context;
#endif
#if defined(__SANITIZE_ADDRESS__)
    void* fake_stack;
#endif
};

struct Shared {
    int line;
    size_t bytes;
    uint64_t block;
    unsigned char* memory;
};

static const uint32_t MAX_THREADS = 1024;
static const uint32_t MAX_SHARED = 64;
static const uint32_t GROUP = 32;
static const uint64_t CANARY = 0x5ac3a1e0f00dcafeull;

struct Scheduler {
    Config config;
    Entry entry;
    void** arguments;
    const void* params;
    uint32_t block[3];
    uint64_t block_number;
    uint32_t order[MAX_THREADS];
    uint32_t next;      // place in `order` of the next thread to start
    uint32_t finished;  // threads that have ended
    uint32_t fibres;    // fibres in use
    Fibre fibre[MAX_THREADS];
    Fibre* current;
    Fibre* of_thread[MAX_THREADS];
    Shared shared[MAX_SHARED];
    uint32_t shared_count;
    uint64_t shared_bytes;
    uint64_t random;
    bool failed;
    char* message;
    size_t message_bytes;
#if EMU_ASSEMBLY
    void* stack_pointer;
#else
    ucontext_t context;
#endif
#if defined(__SANITIZE_ADDRESS__)
    void* fake_stack;
    const void* bottom;
    size_t size;
#endif
};

static thread_local Scheduler* scheduler;
// Read in every kernel, so kept apart from the scheduler.
static thread_local uint32_t current_thread;

static inline uint32_t thread() { return current_thread; }
static inline uint32_t block(int axis) { return scheduler->block[axis]; }
static inline uint32_t block_threads() { return scheduler->config.threads; }
static inline uint32_t grid_x() { return scheduler->config.grid[0]; }

// The least of what is there and the value.
static inline uint32_t atomic_min(uint32_t* pointer, uint32_t value) {
    uint32_t known = __atomic_load_n(pointer, __ATOMIC_RELAXED);
    while (value < known &&
           !__atomic_compare_exchange_n(pointer, &known, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return known;
}

static inline uint32_t reverse_bits(uint32_t a) {
    a = (a >> 16) | (a << 16);
    a = ((a >> 8) & 0x00ff00ffu) | ((a & 0x00ff00ffu) << 8);
    a = ((a >> 4) & 0x0f0f0f0fu) | ((a & 0x0f0f0f0fu) << 4);
    a = ((a >> 2) & 0x33333333u) | ((a & 0x33333333u) << 2);
    return ((a >> 1) & 0x55555555u) | ((a & 0x55555555u) << 1);
}

__attribute__((format(printf, 2, 3))) static void fail(Scheduler* s, const char* format, ...) {
    if (!s->failed) {
        s->failed = true;
        va_list list;
        va_start(list, format);
        int used = snprintf(s->message, s->message_bytes, "block (%u, %u, %u): ", s->block[0], s->block[1], s->block[2]);
        vsnprintf(s->message + used, s->message_bytes - (size_t)used, format, list);
        va_end(list);
    }
}

// SplitMix64.
static uint64_t draw(Scheduler* s) {
    s->random += 0x9e3779b97f4a7c15ull;
    uint64_t z = s->random;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

template <class T>
static void shuffle(Scheduler* s, T* items, uint32_t count) {
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = (uint32_t)(((draw(s) >> 32) * i) >> 32);
        T item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}

static inline unsigned char* stack_of(Scheduler* s, Fibre* f) {
    return s->config.stacks + (size_t)(f - s->fibre) * s->config.stack_bytes;
}

// From a fibre to the scheduler.
static void leave(Scheduler* s, Fibre* f) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&f->fake_stack, s->bottom, s->size);
#endif
#if EMU_ASSEMBLY
    emu_switch_stacks(&f->stack_pointer, s->stack_pointer);
#else
    swapcontext(&f->context, &s->context);
#endif
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(f->fake_stack, nullptr, nullptr);
#endif
}

// The work of a fibre: threads that have not run, one after the other.
static void fibre_main() {
    Scheduler* s = scheduler;
    Fibre* f = s->current;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &s->bottom, &s->size);
#endif
    for (;;) {
        while (s->next < s->config.threads && !s->failed) {
            f->thread = s->order[s->next++];
            s->of_thread[f->thread] = f;
            current_thread = f->thread;
            s->entry(s->arguments, s->params);
            s->of_thread[f->thread] = nullptr;
            s->finished++;
        }
        f->state = IDLE;
        leave(s, f);
    }
}

// From the scheduler to a fibre, until it waits or has nothing left to run.
static void enter(Scheduler* s, Fibre* f) {
    s->current = f;
    f->state = RUNNING;
    current_thread = f->thread;
    bool first = !f->started;
    f->started = true;
#if EMU_ASSEMBLY
    if (first) {
        // As if fibre_main had been called: the stack is 8 bytes off a multiple of 16.
        void** top = (void**)(stack_of(s, f) + s->config.stack_bytes);
        top[-1] = nullptr;
        top[-2] = (void*)&fibre_main;
        f->stack_pointer = top - 8;
        memset(f->stack_pointer, 0, 6 * sizeof(void*));
    }
#else
    if (first) {
        getcontext(&f->context);
        f->context.uc_stack.ss_sp = stack_of(s, f);
        f->context.uc_stack.ss_size = s->config.stack_bytes;
        f->context.uc_link = nullptr;
        makecontext(&f->context, &fibre_main, 0);
    }
#endif
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&s->fake_stack, stack_of(s, f), s->config.stack_bytes);
#endif
#if EMU_ASSEMBLY
    emu_switch_stacks(&s->stack_pointer, f->stack_pointer);
#else
    swapcontext(&s->context, &f->context);
#endif
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(s->fake_stack, nullptr, nullptr);
#endif
}

static void wait(State state, int line) {
    Scheduler* s = scheduler;
    Fibre* f = s->current;
    f->state = state;
    f->line = line;
    leave(s, f);
}

__attribute__((noinline)) static void barrier(int line) { wait(AT_BARRIER, line); }

__attribute__((noinline)) static uint32_t shuffle_xor(uint32_t value, uint32_t mask, int line) {
    Fibre* f = scheduler->current;
    f->value = value;
    f->mask = mask;
    wait(AT_SHUFFLE, line);
    return f->value;
}

template <class T>
__attribute__((noinline)) static T* shared(int line, size_t count) {
    Scheduler* s = scheduler;
    size_t bytes = count * sizeof(T);
    Shared* found = nullptr;
    for (uint32_t i = 0; i < s->shared_count; i++) {
        if (s->shared[i].line == line && s->shared[i].bytes == bytes) {
            found = &s->shared[i];
        }
    }
    if (!found) {
        if (s->shared_count == MAX_SHARED) {
            abort();
        }
        found = &s->shared[s->shared_count++];
        found->line = line;
        found->bytes = bytes;
        found->block = UINT64_MAX;
        found->memory = (unsigned char*)malloc(bytes);
        s->shared_bytes += bytes;
        if (s->shared_bytes > s->config.shared_bytes) {
            fail(s, "the block takes %llu bytes of shared memory, the device has %llu", (unsigned long long)s->shared_bytes,
                 (unsigned long long)s->config.shared_bytes);
        }
    }
    if (found->block != s->block_number) {
        found->block = s->block_number;
        memset(found->memory, 0xdb, bytes);
    }
    return (T*)found->memory;
}

// Lets shuffles whose group is complete go on; returns whether there were any.
static bool resolve_shuffles(Scheduler* s) {
    bool any = false;
    uint32_t threads = s->config.threads;
    for (uint32_t first = 0; first < threads && !s->failed; first += GROUP) {
        uint32_t end = first + GROUP < threads ? first + GROUP : threads;
        Fibre* leader = nullptr;
        for (uint32_t t = first; t < end; t++) {
            Fibre* f = s->of_thread[t];
            if (f && f->state == AT_SHUFFLE) {
                leader = f;
            }
        }
        if (!leader) {
            continue;
        }
        any = true;
        uint32_t values[GROUP];
        for (uint32_t t = first; t < end; t++) {
            Fibre* f = s->of_thread[t];
            if (!f || f->state != AT_SHUFFLE || f->line != leader->line || f->mask != leader->mask) {
                fail(s, "thread %u shuffles at line %d, thread %u of its group does not", leader->thread, leader->line, t);
                return any;
            }
            values[t - first] = f->value;
        }
        for (uint32_t t = first; t < end; t++) {
            uint32_t partner = (t - first) ^ leader->mask;
            if (partner >= end - first) {
                fail(s, "thread %u shuffles at line %d with a thread that is not there", t, leader->line);
                return any;
            }
            s->of_thread[t]->value = values[partner];
            s->of_thread[t]->state = RUNNING;
        }
    }
    return any;
}

static void resolve_barrier(Scheduler* s) {
    Fibre* leader = nullptr;
    for (uint32_t t = 0; t < s->config.threads && !leader; t++) {
        leader = s->of_thread[t];
    }
    for (uint32_t t = 0; t < s->config.threads; t++) {
        Fibre* f = s->of_thread[t];
        if (!f) {
            return fail(s, "thread %u waits at the barrier of line %d, thread %u has ended", leader->thread, leader->line, t);
        }
        if (f->line != leader->line) {
            return fail(s, "thread %u waits at the barrier of line %d, thread %u at that of line %d", leader->thread,
                        leader->line, t, f->line);
        }
        f->state = RUNNING;
    }
}

static void run_block(Scheduler* s, uint64_t number) {
    const Config& c = s->config;
    s->block_number = number;
    s->block[0] = (uint32_t)(number % c.grid[0]);
    s->block[1] = (uint32_t)(number / c.grid[0] % c.grid[1]);
    s->block[2] = (uint32_t)(number / c.grid[0] / c.grid[1]);
    s->random = c.seed ^ (number * 0xd1342543de82ef95ull);
    s->next = 0;
    s->finished = 0;
    for (uint32_t t = 0; t < c.threads; t++) {
        s->order[t] = t;
        s->of_thread[t] = nullptr;
    }
    shuffle(s, s->order, c.threads);
    while (s->next < c.threads && !s->failed) {
        Fibre* idle = nullptr;
        // A fibre that is idle is the last one taken: the others wait.
        if (s->fibres > 0 && s->fibre[s->fibres - 1].state == IDLE) {
            idle = &s->fibre[s->fibres - 1];
        } else {
            for (uint32_t i = 0; i < s->fibres && !idle; i++) {
                idle = s->fibre[i].state == IDLE ? &s->fibre[i] : nullptr;
            }
        }
        if (!idle) {
            idle = &s->fibre[s->fibres++];
            idle->started = false;
            memcpy(stack_of(s, idle), &CANARY, sizeof CANARY);
        }
        enter(s, idle);
    }
    while (s->finished < c.threads && !s->failed) {
        if (!resolve_shuffles(s) && !s->failed) {
            resolve_barrier(s);
        }
        shuffle(s, s->order, c.threads);
        for (uint32_t i = 0; i < c.threads && !s->failed; i++) {
            Fibre* f = s->of_thread[s->order[i]];
            if (f && f->state == RUNNING) {
                enter(s, f);
            }
        }
    }
}

template <class... A, size_t... I>
static inline void call(void (*kernel)(A...), void** arguments, const void* params, std::index_sequence<I...>) {
    typedef std::tuple<A...> Types;
    typedef typename std::remove_reference<typename std::tuple_element<sizeof...(A) - 1, Types>::type>::type Params;
    kernel((typename std::tuple_element<I, Types>::type)arguments[I]..., *(Params*)params);
}

// The last parameter of a kernel is its parameter block, the others are its buffers.
template <class... A>
static inline void invoke(void (*kernel)(A...), void** arguments, const void* params) {
    call(kernel, arguments, params, std::make_index_sequence<sizeof...(A) - 1>());
}

}  // namespace emu

// Runs `config->blocks` blocks. Returns 0, or 1 with a message.
extern "C" int polystark_emulated_run(emu::Entry entry, void** arguments, const void* params, const emu::Config* config,
                                      char* message, size_t message_bytes) {
    using namespace emu;
    Scheduler* s = (Scheduler*)calloc(1, sizeof(Scheduler));
    if (!s) {
        snprintf(message, message_bytes, "no memory for the scheduler");
        return 1;
    }
    Scheduler* outer = scheduler;
    scheduler = s;
    s->config = *config;
    s->entry = entry;
    s->arguments = arguments;
    s->params = params;
    s->message = message;
    s->message_bytes = message_bytes;
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(config->stacks, config->stack_bytes * config->threads);
#endif
    for (uint64_t i = 0; i < config->blocks && !s->failed; i++) {
        run_block(s, config->first_block + i);
        for (uint32_t f = 0; f < s->fibres; f++) {
            if (memcmp(stack_of(s, &s->fibre[f]), &CANARY, sizeof CANARY) != 0) {
                fail(s, "a thread used more than %llu bytes of stack", (unsigned long long)config->stack_bytes);
            }
        }
    }
    int failed = s->failed;
    for (uint32_t i = 0; i < s->shared_count; i++) {
        free(s->shared[i].memory);
    }
    scheduler = outer;
    free(s);
    return failed;
}
