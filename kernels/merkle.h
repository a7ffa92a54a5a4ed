// Merkle trees over any hash function: that comes before, and what makes a leaf.
//
// A digest is four words whose bytes in memory are the digest's, so the host copies nodes out as they are. Nodes are
// numbered from the root, 0; the children of v are 2v + 1 and 2v + 2; leaf i of L is L - 1 + i; node v is words 4v ..
// 4v + 3.
//
// How to build a tree of L = 2^k leaves that is kept whole:   hash_leaves     L threads, HASH_THREADS a block; leaves
// may go on from states that the same kernel made of lower tables.   hash_nodes      one level, HASH_THREADS a block;
// while the level below has more than 2^17 nodes. Such levels are bound by
//                   arithmetic, and making several in one launch would leave threads idle.
//   hash_subtrees   up to 9 levels: block b makes the subtree over the nodes b 2^levels .. of level log_below.
// TOP_THREADS a
//                   block, 2^(log_below - levels) blocks. For the rest: at most 9 levels, and again until the root.
// A large tree is kept without its lowest DROPPED levels, as the tree over the L / 2^DROPPED nodes above them:
//   hash_bottom     in place of hash_leaves, BOTTOM_LEAVES leaves a block of HASH_THREADS; then as above.
//   open_bottom     makes the digests of the lowest levels again where a path needs them.

#define HASH_THREADS 256
#define TOP_THREADS 256
// More than 2^TOP_LEVELS nodes are not one block's work.
#define TOP_LEVELS 9
// Levels that a large tree does not keep, the leaves first.
#define DROPPED 3
// A block's threads make so many nodes above the dropped levels, one each.
#define BOTTOM_LEAVES (HASH_THREADS << DROPPED)

// Digests are wide or not, where the hash function makes a difference: of leaves as the parameters say, of nodes on
// levels that have many, as all have that a device makes with hash_bottom or hash_nodes.

// LEAF_BUFFERS, LEAF_SLOTS of them, and LEAF_FIELDS are what HASH_LEAF takes.
struct LeafParams {
    u64 leaves;
    // The node that leaf 0 becomes, or the one above the dropped levels over it.
    u64 first;
    // Whether the leaves' digests are wide.
    u32 is_wide;
    LEAF_FIELDS
};

KERNEL_BOUNDED(hash_leaves, HASH_THREADS, HASH_LEAF_BLOCKS, LEAF_BUFFERS OUT(LEAF_SLOTS, u64, nodes), LeafParams) {
    u64 leaf = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (leaf >= p.leaves) {
        return;
    }
    u64 s[HASH_STATE];
    HASH_LEAF(s, leaf);
    UNROLL for (u32 i = 0; i < 4; i++) {
        nodes[(p.first + leaf) * 4 + i] = hash_store_word(s[i]);
    }
}

// The nodes above the dropped levels. The block goes through its leaves HASH_THREADS at a time. As when one counts in
// binary, a level's nodes wait until as many more of their right are there, then both become HASH_THREADS nodes of the
// level above: so all threads are busy at every level, and neighbouring threads read neighbouring rows.
KERNEL_BOUNDED(hash_bottom, HASH_THREADS, HASH_LEAF_BLOCKS, LEAF_BUFFERS OUT(LEAF_SLOTS, u64, nodes), LeafParams) {
    // Word w of node i of a level that waits, and of the level that joins it, at w * HASH_THREADS + i.
    SHARED(u64, waiting, DROPPED * 4 * HASH_THREADS);
    SHARED(u64, joining, 4 * HASH_THREADS);
    u64 s[HASH_STATE];
    for (u32 round = 0; round < (1 << DROPPED); round++) {
        HASH_LEAF(s, (u64)BLOCK_X * BOTTOM_LEAVES + round * HASH_THREADS + THREAD);
        u32 level = 0;
        while (((round >> level) & 1) != 0) {
            UNROLL for (u32 w = 0; w < 4; w++) {
                joining[w * HASH_THREADS + THREAD] = hash_store_word(s[w]);
            }
            BARRIER();
            bool is_left = THREAD < HASH_THREADS / 2;
            u32 child = is_left ? 2 * THREAD : 2 * THREAD - HASH_THREADS;
            UNROLL for (u32 w = 0; w < 4; w++) {
                u32 at = w * HASH_THREADS + child;
                u32 from = level * 4 * HASH_THREADS + at;
                s[w] = hash_load_word(is_left ? waiting[from] : joining[at]);
                s[4 + w] = hash_load_word(is_left ? waiting[from + 1] : joining[at + 1]);
            }
            // Both are written again.
            BARRIER();
            hash_pair(s, true);
            level++;
        }
        if (level < DROPPED) {
            UNROLL for (u32 w = 0; w < 4; w++) {
                waiting[(level * 4 + w) * HASH_THREADS + THREAD] = hash_store_word(s[w]);
            }
        }
    }
    u64 node = p.first + (u64)BLOCK_X * HASH_THREADS + THREAD;
    UNROLL for (u32 w = 0; w < 4; w++) {
        nodes[node * 4 + w] = hash_store_word(s[w]);
    }
}

struct OpenParams {
    // How many leaves; where their numbers start and where their paths go.
    u64 count;
    u64 first_index;
    u64 first_target;
    u32 is_wide;
    LEAF_FIELDS
    u32 log_leaves;
};

// The first DROPPED siblings of the paths of leaves, 4 words each; a path has 4 log_leaves words. The 2^DROPPED threads
// of a leaf make the subtree that it is in.
KERNEL_BOUNDED(open_bottom, HASH_THREADS, HASH_LEAF_BLOCKS, LEAF_BUFFERS IN(LEAF_SLOTS, u64, indices) OUT(LEAF_SLOTS + 1, u64, target), OpenParams) {
    SHARED(u64, digests, 4 * HASH_THREADS);
    u64 number = ((u64)BLOCK_X * HASH_THREADS + THREAD) >> DROPPED;
    u32 member = THREAD & ((1 << DROPPED) - 1);
    // Threads beyond the last leaf go along to the barriers.
    bool is_wanted = number < p.count;
    u64 leaf = is_wanted ? indices[p.first_index + number] : 0;
    u32 of_leaf = (u32)leaf & ((1 << DROPPED) - 1);
    u64 s[HASH_STATE];
    HASH_LEAF(s, leaf - of_leaf + member);
    for (u32 level = 0; level < DROPPED; level++) {
        // The thread holds node `member` of the subtree's level, if that has so many.
        if (is_wanted && member == ((of_leaf >> level) ^ 1)) {
            UNROLL for (u32 w = 0; w < 4; w++) {
                target[p.first_target + (number * p.log_leaves + level) * 4 + w] = hash_store_word(s[w]);
            }
        }
        if (level + 1 == DROPPED) {
            break;
        }
        UNROLL for (u32 w = 0; w < 4; w++) {
            digests[w * HASH_THREADS + THREAD] = hash_store_word(s[w]);
        }
        BARRIER();
        // Threads whose children would be another subtree's make what no one reads.
        u32 child = (THREAD - member + 2 * member) & (HASH_THREADS - 1);
        UNROLL for (u32 w = 0; w < 4; w++) {
            s[w] = hash_load_word(digests[w * HASH_THREADS + child]);
            s[4 + w] = hash_load_word(digests[w * HASH_THREADS + (child ^ 1)]);
        }
        BARRIER();
        hash_pair(s, true);
    }
}

struct NodeParams {
    // The first node of the level, and how many.
    u64 first;
    u64 count;
};

// A level, from the one below.
KERNEL_BOUNDED(hash_nodes, HASH_THREADS, HASH_NODE_BLOCKS, INOUT(0, u64, nodes), NodeParams) {
    u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (i >= p.count) {
        return;
    }
    u64 node = p.first + i;
    u64 s[HASH_STATE];
    UNROLL for (u32 w = 0; w < 8; w++) {
        s[w] = hash_load_word(nodes[(2 * node + 1) * 4 + w]);
    }
    hash_pair(s, true);
    UNROLL for (u32 w = 0; w < 4; w++) {
        nodes[node * 4 + w] = hash_store_word(s[w]);
    }
}

struct SubtreeParams {
    // log2 of the nodes of the level below the first that is made; levels to make: 1 to TOP_LEVELS, at most log_below.
    u32 log_below;
    u32 levels;
    // log2 of the fewest nodes of a level whose digests are wide.
    u32 log_wide;
};

// The levels above nodes block * 2^levels .. of a level. A level goes to the next through shared memory, word by word,
// in turns through two buffers, so that one barrier a level is enough.
KERNEL_BOUNDED(hash_subtrees, TOP_THREADS, HASH_TOP_BLOCKS, INOUT(0, u64, nodes), SubtreeParams) {
    SHARED(u64, level, 6 * TOP_THREADS);
    u32 log_count = p.log_below - 1;
    u32 count = 1u << (p.levels - 1);
    u64 s[HASH_STATE];
    u64 from = ((((u64)2 << log_count) - 1) + ((u64)BLOCK_X << p.levels) + 2 * THREAD) * 4;
    if (THREAD < count) {
        UNROLL for (u32 w = 0; w < 8; w++) {
            s[w] = hash_load_word(nodes[from + w]);
        }
    }
    u32 at = 0;
    for (;;) {
        if (THREAD < count) {
            hash_pair(s, log_count >= p.log_wide);
            u64 node = (((u64)1 << log_count) - 1) + (u64)BLOCK_X * count + THREAD;
            UNROLL for (u32 w = 0; w < 4; w++) {
                s[w] = hash_store_word(s[w]);
                nodes[node * 4 + w] = s[w];
                level[at + w * count + THREAD] = s[w];
            }
        }
        if (count == 1) {
            break;
        }
        BARRIER();
        u32 read = at;
        u32 below = count;
        at = at == 0 ? 4 * TOP_THREADS : 0;
        count >>= 1;
        log_count--;
        if (THREAD < count) {
            UNROLL for (u32 w = 0; w < 4; w++) {
                s[w] = hash_load_word(level[read + w * below + 2 * THREAD]);
                s[4 + w] = hash_load_word(level[read + w * below + 2 * THREAD + 1]);
            }
        }
    }
}
