"""Share of a collective's time that later computation can hide, by paper 002. Times are of one call, in one unit."""

PIECES = 64  # of what one rank sends another


def formula_1(t_comm, t_curc, t_crc):
    """T_comm R_comm / R_CRC of the paper is T_CRC: what computation on all the data takes."""
    return min(t_comm, t_curc + t_crc)


def formula_3(t_comm, t_init, t_curc, t_crc):
    return min(t_comm - t_init, t_curc + t_crc)


def bound(t_comm, t_init, t_curc, t_crc, own_blocks=()):
    """Formula (3), piece by piece: what the slowest rank can hide where data comes at an even pace in the order in which
    it is used. With `own_blocks`, the places of the ranks' own blocks among all ranks': they are there from the beginning,
    but a rank comes to its own only after those before it."""
    ranks = len(own_blocks) or 1
    return min(t_comm + t_curc + t_crc - end(t_comm, t_init + t_curc, t_crc, ranks, own) for own in own_blocks or (None,))


def end(t_comm, now, t_crc, blocks, own):
    """Time when a rank has computed on all pieces, if it begins with them now."""
    foreign = (blocks - (own is not None)) * PIECES
    arrived = 0
    for block in range(blocks):
        for _ in range(PIECES):
            if block != own:
                arrived += 1
                now = max(now, t_comm * arrived / foreign)
            now += t_crc / (blocks * PIECES)
    return now
