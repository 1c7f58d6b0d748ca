#pragma once
// The report of a recorded run: JSON (report.schema.json), which is the input of text, page and pictures.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "record/analysis/analysis.hpp"
#include "record/analysis/verdicts.hpp"

namespace tutti::record::analysis {

/// `against`: as verdicts_of().
nlohmann::json report_json(const Analysis& analysis, const Analysis* against);

/// One screen of text, ending with a newline.
std::string report_text(const nlohmann::json& report);

/// What served each call site, and the shares of waiting and transfer in its time; for `tutti explain`.
std::string choices_text(const Analysis& analysis);

/// One line for the end of a run: the share of waiting in the ranks' time, and the ranks waited for.
std::string report_line(const nlohmann::json& report);

/// Metrics for Prometheus, as a text file of its node exporter.
std::string report_metrics(const nlohmann::json& report);

}  // namespace tutti::record::analysis
