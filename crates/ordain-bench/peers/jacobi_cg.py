"""Solves (Laplacian + shift I) x = b with SciPy's conjugate gradients and the diagonal as preconditioner.

    usage: jacobi_cg.py FOLDER REPEATS
    FOLDER/task.json:    {"nodes": n, "shift": s, "residuals": [k numbers]}
    FOLDER/links.bin:    the links as pairs of little-endian u32, each link once
    FOLDER/weights.bin:  their weights, little-endian f64
    FOLDER/sides.bin:    k right-hand sides of n little-endian f64 each
    out: {"setup_seconds": ..., "seconds": [[repeats] of each side], "steps": [of each side], "peak_mb": ...,
          "base_mb": ..., "versions": {...}}, and FOLDER/theirs.bin with the k solutions

Each side is solved until the residual's norm is that many times the side's. Reading the files is not timed;
building the matrix is set-up.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import scipy
import scipy.sparse as sparse
from scipy.sparse.linalg import LinearOperator, cg


def peak_mb():
    # Not ru_maxrss, which a process inherits from the one that started it.
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


def main():
    folder, repeats = Path(sys.argv[1]), int(sys.argv[2])
    task = json.loads((folder / "task.json").read_text())
    n = task["nodes"]
    links = np.fromfile(folder / "links.bin", dtype="<u4").reshape(-1, 2)
    weights = np.fromfile(folder / "weights.bin", dtype="<f8")
    sides = np.fromfile(folder / "sides.bin", dtype="<f8").reshape(-1, n)
    base = peak_mb()

    started = time.perf_counter()
    half = sparse.coo_matrix((weights, (links[:, 0].astype(np.int32), links[:, 1].astype(np.int32))), shape=(n, n))
    both = (half + half.T).tocsr()
    diagonal = np.asarray(both.sum(axis=1)).ravel() + task["shift"]
    matrix = (sparse.diags(diagonal, format="csr") - both).tocsr()
    jacobi = LinearOperator((n, n), matvec=lambda x: x / diagonal)
    setup = time.perf_counter() - started

    seconds, steps, solutions = [], [], []
    for side, residual in zip(sides, task["residuals"]):
        own = []
        for _ in range(repeats):
            count = 0

            def one_more(_):
                nonlocal count
                count += 1

            started = time.perf_counter()
            solution, failed = cg(matrix, side, rtol=residual, atol=0.0, M=jacobi, callback=one_more)
            own.append(time.perf_counter() - started)
            if failed:
                raise SystemExit(f"not converged: {failed}")
        seconds.append(own)
        steps.append(count)
        solutions.append(solution)
    np.stack(solutions).astype("<f8").tofile(folder / "theirs.bin")
    json.dump(
        {
            "setup_seconds": setup,
            "seconds": seconds,
            "steps": steps,
            "peak_mb": peak_mb(),
            "base_mb": base,
            "versions": {"scipy": scipy.__version__, "numpy": np.__version__},
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
