"""What a module of polystark-verify-wasm says of files, a line of JSON for each: verdicts.py MODULE CHANNEL FILE... The channel, which
may be empty, is asked for. FILE may be PROOF:STATEMENT, a client proof and its facts or preimage."""

import pathlib
import sys

from wasmtime import Instance, Module, Store


def main(module, channel, files):
    store = Store()
    module = Module.from_file(store.engine, module)
    if module.imports:
        sys.exit(f"the module has imports: {[item.name for item in module.imports]}")
    exports = Instance(store, module, []).exports(store)
    memory, most = exports["memory"], exports["polystark_most_bytes"](store)

    def put(data):
        block = exports["polystark_alloc"](store, len(data))
        if not block:
            sys.exit("the module has no memory left")
        memory.write(store, data, block)
        return block

    def verdict(*parts):
        # As the page does it: a longer file is refused by its first bytes.
        blocks = [(put(part), len(part)) for part in (part[: most + 1] for part in parts)]
        said = exports["polystark_verify"](store, *(number for block in blocks for number in block))
        length = int.from_bytes(memory.read(store, said, said + 4), "little")
        text = memory.read(store, said + 4, said + 4 + length).decode()
        for block in blocks:
            exports["polystark_free"](store, *block)
        exports["polystark_free"](store, said, 4 + length)
        return text

    for name in files:
        file, _, statement = name.partition(":")
        print(verdict(pathlib.Path(file).read_bytes(), channel.encode(), pathlib.Path(statement).read_bytes() if statement else b""))


main(sys.argv[1], sys.argv[2], sys.argv[3:])
