// Merkle trees: a digest is four words whose bytes in memory are the digest's; nodes are numbered from the root, 0; the children of
// v are 2v + 1 and 2v + 2, leaf i of L is L - 1 + i.

struct LeafParams {
    u64 leaves;
    u32 widths[4];
    u32 tables;
    u32 log_height;
    u32 rows_per_leaf;
    u32 pad;
};

FN void store_digest(GLOBAL u64* nodes, u64 node, LOCAL const Sponge* s) {
    UNROLL for (u32 i = 0; i < 4; i++) {
        nodes[node * 4 + i] = s->state[i];
    }
}

// Leaf i hashes the rows i * rows_per_leaf .. one after the other, each with all columns of all tables.
KERNEL(hash_leaves, TABLES(0) OUT(4, u64, nodes), LeafParams) {
    u64 leaf = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (leaf >= p.leaves) {
        return;
    }
    Sponge sponge;
    sponge_start(&sponge);
    for (u32 r = 0; r < p.rows_per_leaf; r++) {
        u64 row = leaf * p.rows_per_leaf + r;
        for (u32 t = 0; t < p.tables; t++) {
            GLOBAL const u64* table = table_of(t, table0, table1, table2, table3);
            for (u32 c = 0; c < p.widths[t]; c++) {
                sponge_element(&sponge, table[((u64)c << p.log_height) + row]);
            }
        }
    }
    sponge_end(&sponge);
    store_digest(nodes, p.leaves - 1 + leaf, &sponge);
}

struct NodeParams {
    // The first node of the level, and how many.
    u64 first;
    u64 count;
};

// A level, from the one below.
KERNEL(hash_nodes, INOUT(0, u64, nodes), NodeParams) {
    u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;
    if (i >= p.count) {
        return;
    }
    u64 node = p.first + i;
    u64 children[8];
    UNROLL for (u32 w = 0; w < 8; w++) {
        children[w] = nodes[(2 * node + 1) * 4 + w];
    }
    Sponge sponge;
    sponge_nodes(&sponge, children);
    store_digest(nodes, node, &sponge);
}

struct TopParams {
    // log2 of the nodes of the level below the first that is made, at most log2(2 * TOP_THREADS).
    u32 log_below;
    u32 pad;
};

#define TOP_THREADS 256

// The top of a tree by one block of TOP_THREADS threads.
KERNEL(hash_top, INOUT(0, u64, nodes), TopParams) {
    SHARED(u64, level, 4 * TOP_THREADS);
    for (u32 log_count = p.log_below; log_count > 0; log_count--) {
        u32 count = 1u << (log_count - 1);
        u64 children[8];
        Sponge sponge;
        if (THREAD < count) {
            UNROLL for (u32 w = 0; w < 8; w++) {
                children[w] = log_count == p.log_below ? nodes[(2 * (count - 1 + THREAD) + 1) * 4 + w] : level[THREAD * 8 + w];
            }
            sponge_nodes(&sponge, children);
            store_digest(nodes, count - 1 + THREAD, &sponge);
        }
        BARRIER();
        if (THREAD < count) {
            UNROLL for (u32 w = 0; w < 4; w++) {
                level[THREAD * 4 + w] = sponge.state[w];
            }
        }
        BARRIER();
    }
}
