#pragma once
// Prints a simulation as text, CSV and JSON.

#include <nlohmann/json.hpp>
#include <string>

#include "command/simulate/table.hpp"

namespace tutti::command {

std::string simulation_text(const SimulationTable& table);
std::string simulation_csv(const SimulationTable& table);
nlohmann::ordered_json simulation_json(const SimulationTable& table);

}  // namespace tutti::command
