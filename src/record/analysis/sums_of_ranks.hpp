#pragma once
// The part of an analysis before the calls are read, and the part after it.

#include "record/analysis/analysis.hpp"

namespace tutti::record::analysis {

/// Fills ranks, nodes and times from the descriptions in the files.
void describe_ranks(Analysis* of);

/// Computes the sums that need all calls.
void sum_up(Analysis* of);

}  // namespace tutti::record::analysis
