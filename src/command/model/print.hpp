#pragma once
// Prints the figures of the model as text tables, CSV and JSON. Pure; any thread.

#include <nlohmann/json.hpp>
#include <string>

#include "command/model/figures.hpp"

namespace tutti::command {

/// The computed figures; those not requested are empty.
struct ModelFigures {
  std::vector<ImpactRow> impact;   // Figure 3
  std::vector<TimeRow> times;      // Figure 4
  std::vector<TreeRow> trees;      // for Figure 4
  std::vector<LeaderRow> leaders;  // Figure 6
};

std::string model_text(const ModelFigures& figures);
/// figure,curve,x,quantity,value,error: one value per line.
std::string model_csv(const ModelFigures& figures);
nlohmann::ordered_json model_json(const ModelOptions& options, const ModelFigures& figures);

}  // namespace tutti::command
