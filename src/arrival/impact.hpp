#pragma once
// Cost of late processes in a broadcast by a binomial tree, by the model of paper 000 §2: the root's waiting time when
// all processes arrive at random in [0, k] and every transfer takes t(m) = α + mβ and needs both sides. Pure; any
// thread.
//
// Definitions 1 and 2: a process that arrives at t_i and leaves at f_i spends T_i = f_i - t_i = W_i + C_i, of which C_i
// is transfer. Definition 3: the unbalance degree is Ψ = k / t(m). Definition 4: the impact model is Γ(Ψ) = E(W) /
// t(m), where W is the root's waiting time, so that formula (4) is T = Γ t(m) + ⌈log2 p⌉ t(m).
//
// The root sends to one peer after the other. A peer is a process (BT), the fixed leader of a node (PBT, the same) or
// the first of n processes of a node to arrive (CPBT). Theorem 2 gives the arrival of the latter.

#include <cstdint>
#include <vector>

#include "arrival/estimate.hpp"
#include "base/status.hpp"

namespace tutti::arrival {

/// ⌈log2 count⌉; `count` > 0.
uint32_t binomial_steps(uint32_t count);

/// Formula (1): a broadcast of `steps` steps with simultaneous arrivals; any unit.
double balanced_time(uint32_t steps, double transfer);

/// Theorem 1: mean time of one message between two processes that arrive in U[0, k]; any unit.
double mean_message_time(double k, double transfer);

/// Theorem 2: probability that the first of `contenders` processes with arrivals in U[0, k] has arrived before x, and
/// its density. 0 < k; outside of [0, k] the density is 0.
double leader_distribution(double x, double k, uint32_t contenders);
double leader_density(double x, double k, uint32_t contenders);

/// A root and its peers. The unit of time is t(m).
struct ImpactCase {
  double unbalance = 0;     // Ψ, 0 to k_most_unbalance
  uint32_t steps = 10;      // 0 to 64
  uint32_t contenders = 1;  // n, 1 to 1024: one is BT and PBT, more are CPBT
};
inline constexpr double k_most_unbalance = 1e6;

/// Error: invalid_argument, one line: a number is out of range.
base::Status check(const ImpactCase& of);

/// Formulas (6) and (7): E(ω_i) of each step, with c_j replaced by its mean. With one contender (7) is (6). The last
/// case of formula (7) is printed as i = 1; by the derivation it is i = 0.
std::vector<double> paper_waits(const ImpactCase& of);

/// Γ by these formulas and formula (3).
double paper_coefficient(const ImpactCase& of);

/// Γ of the same model without replacing c_j. Waiting ends when the root and all its peers have arrived, with an
/// allowance of i transfers for peer i: E max(t_0, τ_0, τ_1 - 1, τ_2 - 2, …) - Ψ/2, an integral of polynomials. Exact
/// to 1e-5 Ψ.
double exact_coefficient(const ImpactCase& of);

/// The same by Monte Carlo, following formula (5). `trials` > 0.
Estimate sampled_coefficient(const ImpactCase& of, uint32_t trials, uint64_t seed);

}  // namespace tutti::arrival
