#pragma once
// What linear gather and linear scatter share: the root talks to all others, a bounded number at a time.

#include "algorithm/algorithm.hpp"

namespace tutti::algorithm {

inline constexpr Parameter k_linear_parameters[] = {
    {.name = "segment",
     .summary = "bytes per message",
     .unit = Parameter::Unit::bytes,
     .default_value = 1 << 20,
     .min = 1,
     .max = uint64_t{1} << 30},
    {.name = "peers",
     .summary = "ranks that the root serves at a time; 0: all",
     .default_value = 8,
     .min = 0,
     .max = 1 << 20},
};
inline constexpr size_t k_linear_segment = 0, k_linear_peers = 1;

bool linear_applies(const Request& request, const Topology& topology, const ParameterSet& parameters,
                    std::string* why_not);

// About the blocks of all ranks but the root. Where they are not known, all count as being like the own one.

uint64_t nonempty_blocks_of_others(const Request& request);
uint64_t largest_block_of_others(const Request& request);
uint64_t bytes_of_others(const Request& request);

}  // namespace tutti::algorithm
