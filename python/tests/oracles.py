"""Expectation propagation for pairwise answers, by the book: dense matrices, one site after another, NumPy and SciPy alone."""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr


def ep(covariance, pairs, noise, sweeps=2000, tolerance=1e-13, prior=None):
    """Mean, variances and log evidence where item i was preferred to j for every pair (i, j). `prior` is the mean before any answer.

    The likelihood is Phi((f_i - f_j) / lambda), lambda = sqrt(2) noise. Rasmussen and Williams, sections 3.6 and 3.9.
    """
    n, scale = len(covariance), np.sqrt(2.0) * noise
    directions = np.zeros((len(pairs), n))
    for row, (winner, loser) in enumerate(pairs):
        directions[row, winner], directions[row, loser] = 1.0 / scale, -1.0 / scale
    tau, nu = np.zeros(len(pairs)), np.zeros(len(pairs))
    prior = np.zeros(n) if prior is None else np.asarray(prior)
    # What the prior mean adds to the natural parameter.
    pull = np.linalg.solve(covariance, prior) if prior.any() else prior
    sigma, mean = covariance.copy(), prior.copy()
    for _ in range(sweeps):
        change = 0.0
        for k, d in enumerate(directions):
            v, m = d @ sigma @ d, d @ mean
            v_cavity = 1.0 / (1.0 / v - tau[k])
            m_cavity = v_cavity * (m / v - nu[k])
            z = m_cavity / np.sqrt(1.0 + v_cavity)
            hazard = np.exp(-0.5 * z * z - 0.5 * np.log(2 * np.pi) - log_ndtr(z))
            gradient = hazard / np.sqrt(1.0 + v_cavity)
            curvature = hazard * (z + hazard) / (1.0 + v_cavity)
            new_tau = curvature / (1.0 - curvature * v_cavity)
            new_nu = (gradient + m_cavity * curvature) / (1.0 - curvature * v_cavity)
            change = max(change, abs(new_tau - tau[k]), abs(new_nu - nu[k]))
            tau[k], nu[k] = new_tau, new_nu
            # From the sites, not by updates: no error adds up.
            precision = directions.T * tau @ directions
            sigma = np.linalg.solve(np.eye(n) + covariance @ precision, covariance)
            mean = sigma @ (pull + directions.T @ nu)
        if change < tolerance:
            break
    else:
        raise AssertionError("EP did not converge")
    log_evidence = _log_evidence(covariance, directions, tau, nu, sigma, mean) + 0.5 * (pull @ mean - pull @ prior)
    return mean, np.diag(sigma), log_evidence


def _log_evidence(covariance, directions, tau, nu, sigma, mean):
    """log Z = sum of log s_k + ½ log |Sigma| / |K| + ½ (nuᵀ D mean), with s_k so that every site has its cavity's mass."""
    total = 0.0
    for k, d in enumerate(directions):
        v, m = d @ sigma @ d, d @ mean
        v_cavity = 1.0 / (1.0 / v - tau[k])
        m_cavity = v_cavity * (m / v - nu[k])
        total += log_ndtr(m_cavity / np.sqrt(1.0 + v_cavity))
        # The normaliser of the site t(f) = s exp(-½ tau x² + nu x) under the cavity.
        both = 1.0 / v_cavity + tau[k]
        mean_both = (m_cavity / v_cavity + nu[k]) / both
        total -= 0.5 * (mean_both**2 * both - m_cavity**2 / v_cavity - np.log(v_cavity * both))
    _, log_det = np.linalg.slogdet(np.eye(len(covariance)) + covariance @ (directions.T * tau @ directions))
    return total - 0.5 * log_det + 0.5 * (nu @ directions @ mean)


def squared_exponential(points, kappa, rho):
    """AXPGP eq. 2."""
    gaps = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=-1)
    return kappa**2 * np.exp(-0.5 * rho**2 * gaps)


def regularized_laplacian(n, links, beta, iota):
    """AXPGP eq. 3."""
    laplacian = np.zeros((n, n))
    for one, other in links:
        laplacian[one, one] += 1
        laplacian[other, other] += 1
        laplacian[one, other] -= 1
        laplacian[other, one] -= 1
    return np.linalg.inv(beta * (laplacian + np.eye(n) / iota**2))
