#pragma once
// Draws a simulation.

#include <string>

#include "command/simulate/table.hpp"

namespace tutti::command {

/// An SVG document: time by size, with a line for each algorithm and leader policy; both axes are logarithmic.
std::string simulation_picture(const SimulationTable& table);

}  // namespace tutti::command
