"""Timing of several programs that share a machine."""

import statistics
import time

PAUSE = 0.1  # seconds after which the threads of the one that ran before sleep instead of spin
TURN = 0.05  # seconds of one turn, so that short runs are measured warm


def seconds(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def interleave(runs, budget, least=5, pause=PAUSE):
    """Runs each in turn, over and over, for about `budget` seconds each; returns their medians.

    Turns alternate, so that a machine that becomes slower does so for all. The first run of a turn is not counted:
    it finds its data evicted by the others.
    """
    times = [[] for _ in runs]
    spent = 0.0
    while spent < budget * len(runs) or min(map(len, times)) < least:
        for run, found in zip(runs, times):
            time.sleep(pause)
            spent += seconds(run)
            turn = 0.0
            while turn < TURN:
                found.append(seconds(run))
                turn += found[-1]
            spent += turn
    return [statistics.median(found) for found in times]
