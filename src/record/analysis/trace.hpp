#pragma once
// Exports the calls with most waiting as a trace for Perfetto (ui.perfetto.dev) and chrome://tracing, in the JSON that
// both read. Blocking calls are slices of their rank's track; others are asynchronous events, which may overlap. An
// arrow goes from the late rank to each slice that waited for it.

#include <string>

#include "record/analysis/analysis.hpp"
#include "record/analysis/symbols.hpp"

namespace tutti::record::analysis {

std::string trace_json(const Analysis& analysis, Symbols* symbols);

}  // namespace tutti::record::analysis
