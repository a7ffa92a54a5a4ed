"""Writes the files beside it with NumPy and pyarrow: 8 rows of 3 columns, row i of column j is 100 j + i."""
import os

import numpy as np
import pyarrow as pa

os.chdir(os.path.dirname(os.path.abspath(__file__)))
table = np.array([[100 * j + i for j in range(3)] for i in range(8)], dtype=np.uint64)
np.save("rows.npy", table)
np.save("columns.npy", np.asfortranarray(table))
np.save("signed.npy", np.asfortranarray(table.astype(np.int64)))
np.save("words.npy", np.asfortranarray(table.astype(np.uint32)))
np.save("shorts.npy", table.astype(np.int16))
np.save("list.npy", table[:, 1].astype(np.uint32))
np.save("negative.npy", -np.ones((8, 3), dtype=np.int64))
np.save("big_endian.npy", table.astype(">u8"))
np.save("floats.npy", table.astype(np.float64))


def arrow(name, types, batch_rows=8, values=table, **options):
    columns = [pa.array([None if v is None else int(v) for v in values[:, j]], type=t) for j, t in enumerate(types)]
    whole = pa.table(columns, names=[f"c{j}" for j in range(len(types))])
    with pa.ipc.new_file(name, whole.schema, options=pa.ipc.IpcWriteOptions(**options)) as out:
        out.write_table(whole, max_chunksize=batch_rows)


arrow("one_batch.arrow", [pa.uint64()] * 3)
arrow("words.arrow", [pa.uint32(), pa.int32(), pa.uint32()])
arrow("batches.arrow", [pa.uint64(), pa.int64(), pa.uint16()], batch_rows=3)
arrow("compressed.arrow", [pa.uint64()] * 3, compression="lz4")
arrow("floats.arrow", [pa.float64()] * 3)
missing = table.astype(object)
missing[5, 1] = None
arrow("nulls.arrow", [pa.uint64()] * 3, values=missing)
