#pragma once
// The report of a recorded run: JSON (report.schema.json), from which text, page and pictures are made.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "record/analysis/analysis.hpp"
#include "record/analysis/verdicts.hpp"

namespace tutti::record::analysis {

/// `against`: as verdicts_of().
nlohmann::json report_json(const Analysis& analysis, const Analysis* against);

/// A screen of text, ending with a new line.
std::string report_text(const nlohmann::json& report);

/// What served each call site, and how much of its time was waiting and transfer; for `tutti explain`.
std::string choices_text(const Analysis& analysis);

/// One line for the end of a run: how much of the ranks' time was waiting, and for whom.
std::string report_line(const nlohmann::json& report);

/// For Prometheus: a text file of its node exporter.
std::string report_metrics(const nlohmann::json& report);

}  // namespace tutti::record::analysis
