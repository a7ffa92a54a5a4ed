"""Statements of docs/protocol/circle.md, section 17a. Their constraints are data, of `program.py`."""

from airs import Statement
from field import ONE, ZERO
from program import Program
from proof import require


# Log2 of the most rows: all columns are lists here.
MOST = 22


def use(z, alpha, values):
    """1 / (sum alpha^i v_i - z)"""
    denominator, power = ZERO - z, ONE
    for value in values:
        denominator, power = denominator + power * value, power * alpha
    return denominator.inverse()


class HashTree(Statement):
    """Somebody knows the leaves of a tree with this root."""

    names = {5: "poseidon2", 6: "blake2s", 7: "rpo-m31"}

    def __init__(self, words, programs):
        require(len(words) == 10, "Statement", "words")
        kind, log, root = words[0], words[1], words[2:]
        require((3 if kind == 6 else 0) <= log <= MOST, "Statement", "rows")
        self.root, self.columns = root, self.blake2s(log) if kind == 6 else self.field_tree(log)
        super().__init__(self.names[kind], log, list(words), [Program(data) for data in programs])
        logs = [log, log - 3, 16] if kind == 6 else [log]
        require([component.log for component in self.components] == logs, "Program", "rows")

    @staticmethod
    def field_tree(log):
        n = 1 << log
        return {
            "index": list(range(n)),
            "is_node": [int(i >= 1) for i in range(n)],
            "is_inner": [int(1 <= i < n // 2) for i in range(n)],
        }

    @staticmethod
    def blake2s(log):
        nodes = (2**log // 10 - 1) | 1
        rounds, rows, pairs = range(1 << log), range(1 << (log - 3)), range(1 << 16)
        in_round = lambda value: [value(r) if r < 10 * nodes else 0 for r in rounds]
        return {
            "round_node": in_round(lambda r: r // 10 + 1),
            "round_number": in_round(lambda r: r % 10),
            "is_round": in_round(lambda r: 1),
            "is_first_round": in_round(lambda r: int(r % 10 == 0)),
            "is_last_round": in_round(lambda r: int(r % 10 == 9)),
            "node": list(rows),
            "is_node": [int(1 <= i <= nodes) for i in rows],
            "is_inner": [int(1 <= i and 2 * i < nodes) for i in rows],
            "xor_left": [r >> 8 for r in pairs],
            "xor_right": [r & 255 for r in pairs],
            "xor_result": [(r >> 8) ^ (r & 255) for r in pairs],
        }

    def preprocessed(self, lifting):
        return [(name, len(rows).bit_length() - 1) for name, rows in self.columns.items()]

    def column(self, name):
        return self.columns[name]

    def check_sums(self, z, alpha, claimed):
        if self.words[0] == 6:
            halves = [half for word in self.root for half in (word & 0xFFFF, word >> 16)]
            root = use(z, alpha, [4, 1, *halves])
        else:
            root = use(z, alpha, [1, *self.root])
        require(sum(claimed, root) == ZERO, "Sums", "root")
