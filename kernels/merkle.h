// Merkle trees over either hash function: keccak.h or poseidon2.h comes before, and slots.h.
//
// A digest is four words whose bytes in memory are the digest's, so the host copies nodes out as they are. Nodes are numbered
// from the root, 0; the children of v are 2v + 1 and 2v + 2; leaf i of L is L - 1 + i; node v is words 4v .. 4v + 3.
//
// How to build a tree of L = 2^k leaves:
//   hash_leaves     L threads, HASH_THREADS a block.
//   hash_nodes      one level, HASH_THREADS a block; while the level below has more than 2^17 nodes. Such levels are bound by
//                   arithmetic, and making several in one launch would leave threads idle.
//   hash_subtrees   up to 9 levels: block b makes the subtree over the nodes b 2^levels .. of level log_below. TOP_THREADS a
//                   block, 2^(log_below - levels) blocks. For the rest: at most 9 levels, and again until the root.

#define HASH_THREADS 256
#define TOP_THREADS 256
// More than 2^TOP_LEVELS nodes are not one block's work.
#define TOP_LEVELS 9

struct LeafParams {
    u64 leaves;
    u32 widths[4];
    u32 tables;
    u32 log_height;
    u32 rows_per_leaf;
    u32 pad;
};

// An index into the parameters would put them into slow memory.
FN u32 leaf_width(u32 table, u32 w0, u32 w1, u32 w2, u32 w3) {
    return table < 2 ? (table == 0 ? w0 : w1) : (table == 2 ? w2 : w3);
}

// Leaf i hashes the rows i * rows_per_leaf .. one after the other, each with all columns of all tables. Threads of a block read
// neighbouring rows of a column.
KERNEL_BOUNDED(hash_leaves, HASH_THREADS, HASH_LEAF_BLOCKS, TABLES(0) OUT(4, u64, nodes), LeafParams) {
    u64 leaf = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (leaf >= p.leaves) {
        return;
    }
    u64 s[HASH_STATE];
    UNROLL for (u32 i = 0; i < HASH_STATE; i++) {
        s[i] = 0;
    }
    u32 left = p.rows_per_leaf * (p.widths[0] + p.widths[1] + p.widths[2] + p.widths[3]);
    u32 table = 0;
    u32 column = 0;
    u64 row = leaf * p.rows_per_leaf;
    bool more = HASH_PADS || left > 0;
    while (more) {
        u32 count = left < HASH_RATE ? left : HASH_RATE;
        // All loads of a block are under way before the first is used.
        u64 block[HASH_RATE];
        UNROLL for (u32 k = 0; k < HASH_RATE; k++) {
            if (k < count) {
                block[k] = table_of(table, table0, table1, table2, table3)[((u64)column << p.log_height) + row];
                column++;
                if (column == leaf_width(table, p.widths[0], p.widths[1], p.widths[2], p.widths[3])) {
                    column = 0;
                    table++;
                    if (table == p.tables) {
                        table = 0;
                        row++;
                    }
                }
            }
        }
        UNROLL for (u32 k = 0; k < HASH_RATE; k++) {
            if (k < count) {
                hash_absorb(s, k, block[k]);
            }
        }
        left -= count;
        more = HASH_PADS ? count == HASH_RATE : left > 0;
        if (HASH_PADS && !more) {
            UNROLL for (u32 k = 0; k < HASH_RATE; k++) {
                if (k == count) {
                    hash_pad(s, k);
                }
            }
            hash_pad_end(s);
        }
        hash_permute(s);
    }
    UNROLL for (u32 i = 0; i < 4; i++) {
        nodes[(p.leaves - 1 + leaf) * 4 + i] = hash_store_word(s[i]);
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
    hash_pair(s);
    UNROLL for (u32 w = 0; w < 4; w++) {
        nodes[node * 4 + w] = hash_store_word(s[w]);
    }
}

struct SubtreeParams {
    // log2 of the nodes of the level below the first that is made; levels to make: 1 to TOP_LEVELS, at most log_below.
    u32 log_below;
    u32 levels;
};

// The levels above nodes block * 2^levels .. of a level. A level goes to the next through shared memory, word by word, in turns
// through two buffers, so that one barrier a level is enough.
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
            hash_pair(s);
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
