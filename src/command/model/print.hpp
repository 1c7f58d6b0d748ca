#pragma once
// The figures of the model as tables for people, as CSV and as JSON. Pure; any thread.

#include <nlohmann/json.hpp>
#include <string>

#include "command/model/figures.hpp"

namespace tutti::command {

/// What was computed; a figure that was not asked for is empty.
struct ModelFigures {
  std::vector<ImpactRow> impact;   // Figure 3
  std::vector<TimeRow> times;      // Figure 4
  std::vector<TreeRow> trees;      // with it
  std::vector<LeaderRow> leaders;  // Figure 6
};

std::string model_text(const ModelFigures& figures);
/// figure,curve,x,quantity,value,error: one value a line.
std::string model_csv(const ModelFigures& figures);
nlohmann::ordered_json model_json(const ModelOptions& options, const ModelFigures& figures);

}  // namespace tutti::command
