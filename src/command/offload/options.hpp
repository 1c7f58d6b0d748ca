#pragma once
// Shared by the parts of `tutti offload`.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "pattern/dissemination.hpp"

namespace tutti::command {

/// "symmetric", "forward", or "" for the symmetric shape if the radix has one.
pattern::DisseminationShape shape_named(const std::string& name, uint32_t radix);

/// Each part adds its options, and returns its action.
std::function<int()> add_offload_describe(CLI::App& app);
std::function<int()> add_offload_radix(CLI::App& app);
std::function<int()> add_offload_simulate(CLI::App& app);

}  // namespace tutti::command
