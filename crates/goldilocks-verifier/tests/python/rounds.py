"""What each round of a compact proof is worth: docs/protocol/goldilocks-compact.md, 10, 11 and 11.1."""

from fractions import Fraction
from math import ceil, e as EULER, log2, sqrt

from goldilocks import P

LOG_Q = 3 * log2(P)
LARGEST_MULTIPLICITY = 1000


def rounds(air, options, theta, listed, agreement):
    """The bits of each draw with its work, in the order of the draws. `listed` is log2 of the number of codewords
    and `agreement(log of the points, u, degree)` log2 of the numerator of the error of correlated agreement for words
    on D_0 folded by 2^u; theta may be a pair (None, bits of a query)."""
    work, s, logs = options.work, options.folds, options.logs
    n_plus, delta = air.n + air.frame + options.points - 1, air.degree
    terms = air.width * (air.frame + options.points - 1) + air.parts + options.hiding
    few = LOG_Q - log2(1 - air.parts / P**2)  # log2 of Q - Pp, from above
    bits = {}
    if air.challenges:
        bits["air"] = LOG_Q - listed - log2(2 * air.n * air.challenges) + work[0]
    bits["beta"] = LOG_Q - listed - log2(air.constraints) + work[1]
    single = listed + log2((delta + 2) * n_plus) - few
    if options.points == 1:
        bits["z"] = -(single + listed) + work[2]
    else:
        pairs = 2 * listed - 1 + 2 * (log2(n_plus) - few)
        bits["z"] = -log2(2**single + 2**pairs) + work[2]
    bits["gamma"] = LOG_Q - agreement(logs[0], 0, terms - 1) + work[3]
    for i, fold in enumerate(s):
        if fold:
            bits[f"zeta_{i}"] = LOG_Q - agreement(logs[i + 1], logs[0] - logs[i + 1], 2**fold - 1) + work[4 + i]
    a_query = theta[1] if isinstance(theta, tuple) else -log2(1 - theta)
    bits["queries"] = options.queries * a_query + work[-1]
    bits["hash"] = 128
    return bits


def unique_decoding(air, options):
    """None where the distance is not positive, here and below."""
    n_plus = air.n + air.frame + options.points - 1
    theta = (1 - n_plus / (air.n * options.blowup)) / 2
    if theta <= 0:
        return None
    return rounds(air, options, theta, 0, lambda log, u, degree: log2(max(1, degree * (theta * 2**log + 1))))


def johnson(air, options, mu):
    rho = (air.n + air.frame + options.points - 1) / (air.n * options.blowup)
    theta, nu = 1 - sqrt(rho) * (1 + 1 / (2 * mu)), mu + 0.5
    if theta <= 0:
        return None

    def agreement(log, u, degree):
        error = (2 * nu**5 + 3 * nu * theta * rho) / (3 * rho * sqrt(rho)) * 2**log + nu / sqrt(rho)
        return log2(max(1, degree * error))

    return rounds(air, options, theta, log2(nu / rho), agreement)


def conjectured(air, options, exact):
    rho = 1 / options.blowup
    eta = 0 if exact else rho * log2(EULER / rho) / LOG_Q
    return rounds(air, options, (None, -log2(rho + eta)), 0, lambda log, u, degree: log2(max(1, degree)) + log)


def bits_of_security(air, options, figure):
    """The bits of claimed, conjectured or provable security."""
    if figure in ("claimed", "conjectured"):
        return min(conjectured(air, options, figure == "claimed").values())
    if figure != "provable":
        raise ValueError(figure)
    tables = [unique_decoding(air, options)]
    tables += [johnson(air, options, mu) for mu in range(3, LARGEST_MULTIPLICITY)]
    return max((min(table.values()) for table in tables if table), default=0)


def least_difference(terms, e):
    """The least H with sum over t <= H/e of terms[t] (H - et + 1) > 0, or None."""
    value, slope, h = 0, 0, 0
    while True:
        if h % e == 0 and h // e < len(terms):
            slope += terms[h // e]
        value += slope
        if value > 0:
            return h
        if h // e >= len(terms) and slope <= 0:
            return None
        h += 1


def certificate(N, k, alpha, e, mu, M, J):
    """H, E and l of 11.1, or None where there is no certificate."""
    D = k - 1
    w = mu * alpha
    S = [sum(w - D * t + i for i in range(max(0, 1 - (w - D * t)), min(t, M) + 1)) for t in range(J + 1)]
    R = [
        sum(
            min(max(0, min(t, i) - max(0, t - M) + 1), mu - i)
            for i in range(max(0, t - M), mu)
            if i + (D - 1) * t < mu * alpha
        )
        for t in range(J + 1)
    ]
    c = []
    for t in range(J + 1):
        w_t = mu * alpha - D * t
        c.append(sum(w_t - (D - 1) * i for i in range(min(M, J - t) + 1) if i * (D - 1) < w_t) if w_t > 0 else 0)
    if not sum(S) > N * sum(R):
        return None
    first = least_difference([s - N * r for s, r in zip(S, R)], e)
    second = least_difference([c[0] - N * sum(R)] + c[1:], e)
    H = min(h for h in (first, second) if h is not None)
    tau = max(0, 2 * D - 3)
    u = 1 + tau * (J - 1)
    v = min(u, tau * (M - 1) + D)
    f = J * v + M * (u - v)
    b = max(J, (2 * M - 1) * J - M * M)
    b2 = (2 * M - 1) * H
    psi = 1 + (2 * D - 1) * (2 * b - 1) + 2 * max(0, b - 2 * D - 1)
    joint = H * (2 * u * v - v * v) + 2 * (e + tau * H) * f

    def one(L):
        return (2 * b - 1) * b2 + Fraction(N - L + 1, alpha - L + 1) * (e * b + b2 * psi) + e * (N - L) * b

    def two(L):
        ratio = Fraction(N - L + 1, alpha - L + 1) * Fraction(N - D, alpha - D)
        return ratio * joint + e * (N - L) * Fraction(N - D, L - D) * f

    E = ceil(least(one, k, alpha) + least(two, k, alpha))
    return H, E, ceil(Fraction(N - D, alpha - D) * f + b)


def least(function, low, high):
    """The least value of a convex function on the integers from low to high."""
    while low < high:
        middle = (low + high) // 2
        if function(middle) <= function(middle + 1):
            high = middle
        else:
            low = middle + 1
    return function(low)


def expected_length(air, options):
    """The expected bytes of a proof, section 10 with the head of section 7."""
    q, s, logs = options.queries, options.folds, options.logs

    def distinct(log):
        return 2**log * (1 - (1 - 2**-log) ** q)

    def digests(depth):
        return sum(2**k * ((1 - 2**-k) ** q - (1 - 2 ** (1 - k)) ** q) for k in range(1, depth + 1))

    total = distinct(logs[1]) * 2 ** s[0] * options.row(air)
    total += 32 * (3 if air.aux else 2) * digests(logs[1])
    for i in range(1, len(s)):
        total += 24 * (2 ** s[i] * distinct(logs[i + 1]) - distinct(logs[i])) + 32 * digests(logs[i + 1])
    return total + options.head(air)
