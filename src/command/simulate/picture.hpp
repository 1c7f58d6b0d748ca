#pragma once
// A simulation as a picture.

#include <string>

#include "command/simulate/table.hpp"

namespace tutti::command {

/// An SVG document: time over sizes, a line for each algorithm and leader policy; both axes are logarithmic.
std::string simulation_picture(const SimulationTable& table);

}  // namespace tutti::command
