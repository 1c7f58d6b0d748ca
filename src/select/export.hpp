#pragma once
// Rules in the words of the MPIs themselves, for runs without Tutti. Each MPI has only some of Tutti's
// algorithms, and only for blocking calls; neither knows of nodes. What cannot be said is left out and named;
// where a rule that was left out would decide, the MPI decides itself, not the next rule.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "select/rules.hpp"

namespace tutti::select {

struct Exported {
  std::string text;                   // the file
  std::vector<std::string> left_out;  // a line for each rule that is not in it, and why
  std::vector<std::string> remarks;   // a line for each that is, but says less than it did
};

/// A dynamic rules file of Open MPI's component coll/tuned, versions 4.1 and 5.0 (docs there: "tuned dynamic
/// rules"). Used with coll_tuned_use_dynamic_rules=1 and coll_tuned_dynamic_rules_filename=FILE.
Exported to_openmpi(std::span<const Rule> rules);

/// A tuning file of MPICH 4.0, for MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE. MPICH takes all of its
/// decisions from that file, so it is made from the one that this MPICH was built with (`own`; in its sources
/// maint/tuning/coll/mpir/generic.json): what the rules do not say stays as it is there.
/// Error: invalid_argument where `own` is not such a file.
base::Result<Exported> to_mpich(std::span<const Rule> rules, std::string_view own);

}  // namespace tutti::select
