#pragma once
// What late processes cost a broadcast by a binomial tree, as paper 000 §2 models it: the root's waiting time
// when all arrive at random on [0, k], every transfer takes t(m) = α + mβ and needs both sides. Pure; any
// thread.
//
// Definitions 1 and 2: a process that arrives at t_i and leaves at f_i spends T_i = f_i - t_i = W_i + C_i, of
// which C_i is transfer. Definition 3: the unbalance degree Ψ = k / t(m). Definition 4: the impact model is
// Γ(Ψ) = E(W) / t(m), W being the root's waiting time, so that formula (4) says T = Γ t(m) + ⌈log2 p⌉ t(m).
//
// The root sends to one peer after the other. A peer is a process (BT), a node's leader that is fixed (PBT,
// the same) or the first of n processes of a node to arrive (CPBT). Theorem 2 gives the latter's arrival.

#include <cstdint>
#include <vector>

#include "arrival/estimate.hpp"
#include "base/status.hpp"

namespace tutti::arrival {

/// ⌈log2 count⌉; `count` > 0.
uint32_t binomial_steps(uint32_t count);

/// Formula (1): a broadcast of `steps` steps when all arrive together; any unit.
double balanced_time(uint32_t steps, double transfer);

/// Theorem 1: mean time of one message between two processes that arrive in U[0, k]; any unit.
double mean_message_time(double k, double transfer);

/// Theorem 2: the chance that the first of `contenders` processes that arrive in U[0, k] has come before x,
/// and its density. 0 < k; outside of [0, k] the density is 0.
double leader_distribution(double x, double k, uint32_t contenders);
double leader_density(double x, double k, uint32_t contenders);

/// A root and those that it sends to. Time is counted in t(m).
struct ImpactCase {
  double unbalance = 0;     // Ψ, 0 to k_most_unbalance
  uint32_t steps = 10;      // 0 to 64
  uint32_t contenders = 1;  // n, 1 to 1024: one is BT and PBT, more are CPBT
};
inline constexpr double k_most_unbalance = 1e6;

/// Error: invalid_argument, one line: a number out of its range.
base::Status check(const ImpactCase& of);

/// Formulas (6) and (7): E(ω_i) of each step, c_j being replaced by its mean. With one contender (7) is (6).
/// In formula (7) as printed the last case is i = 1; the derivation says i = 0.
std::vector<double> paper_waits(const ImpactCase& of);

/// Γ by these formulas and formula (3).
double paper_coefficient(const ImpactCase& of);

/// Γ of the same model, nothing being replaced. Waiting ends when the last of the root and its peers has
/// come, each peer i being allowed i transfers: E max(t_0, τ_0, τ_1 - 1, τ_2 - 2, …) - Ψ/2, an integral of
/// polynomials. Exact to 1e-5 Ψ.
double exact_coefficient(const ImpactCase& of);

/// The same by Monte Carlo, following formula (5). `trials` > 0.
Estimate sampled_coefficient(const ImpactCase& of, uint32_t trials, uint64_t seed);

}  // namespace tutti::arrival
