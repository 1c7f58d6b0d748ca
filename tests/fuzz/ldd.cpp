// Lines of ldd: an MPI that is known is not an unknown one at the same time.

#include "command/program.hpp"
#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto facts = command::facts_from_ldd(std::string(fuzz::text_of(data, size)));
  fuzz::require(!(facts.mpi && facts.other_mpi), "one MPI or another");
  fuzz::require(facts.kind != command::ProgramFacts::Kind::script, "ldd speaks of programs only");
  return 0;
}
