#pragma once
// Readable names of code locations: function, file and line from DWARF, if the files still have it.

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "record/rank_file.hpp"

namespace tutti::record::analysis {

/// Not thread-safe.
class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  /// "solve (solver.c:120)", "solve (libsolver.so+0x1234)", "libsolver.so+0x1234"; "an unknown place".
  std::string name(const CodeLocation& place);

 private:
  class Module;
  std::map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace tutti::record::analysis
