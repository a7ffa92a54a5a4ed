"""Keccak-256 with the original padding, as Ethereum uses it."""

MASK = 2**64 - 1


def _rounds():
    """The 24 constants, from the shift register of the standard."""
    constants, state = [], 1
    for _ in range(24):
        constant = 0
        for j in range(7):
            constant |= (state & 1) << (2**j - 1)
            state = state << 1 ^ (0x171 if state & 0x80 else 0)
        constants.append(constant)
    return constants


def _lanes():
    """For each lane of the result of rho and pi, its source and its rotation."""
    source, x, y = [(0, 0)] * 25, 1, 0
    for t in range(24):
        lane = x + 5 * y
        x, y = y, (2 * x + 3 * y) % 5
        source[x + 5 * y] = (lane, (t + 1) * (t + 2) // 2 % 64)
    return source


def _permutation():
    """The text of the function, with a name for each lane: four times as fast as with lists."""
    lines = ["def permute(a):", " " + ", ".join(f"a{i}" for i in range(25)) + " = a", " for constant in ROUNDS:"]
    lines += [f"  c{x} = " + " ^ ".join(f"a{x + 5 * y}" for y in range(5)) for x in range(5)]
    for x in range(5):
        after = f"c{(x + 1) % 5}"
        lines.append(f"  d{x} = c{(x + 4) % 5} ^ ({after} << 1 & MASK | {after} >> 63)")
    for i, (j, k) in enumerate(_lanes()):
        lines.append(f"  e = a{j} ^ d{j % 5}")
        lines.append(f"  b{i} = " + (f"e << {k} & MASK | e >> {64 - k}" if k else "e"))
    for i in range(25):
        row = i - i % 5
        lines.append(f"  a{i} = b{i} ^ (~b{row + (i + 1) % 5} & b{row + (i + 2) % 5})")
    lines += ["  a0 ^= constant", " return [" + ", ".join(f"a{i}" for i in range(25)) + "]"]
    names = {"ROUNDS": _rounds(), "MASK": MASK}
    exec("\n".join(lines), names)
    return names["permute"]


permute = _permutation()


def keccak256(data):
    padded = bytearray(data + b"\x01" + bytes(-(len(data) + 1) % 136))
    padded[-1] |= 0x80
    state = [0] * 25
    for at in range(0, len(padded), 136):
        for i in range(17):
            state[i] ^= int.from_bytes(padded[at + 8 * i : at + 8 * i + 8], "little")
        state = permute(state)
    return b"".join(lane.to_bytes(8, "little") for lane in state[:4])
