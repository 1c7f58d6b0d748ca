// tutti_report(): the report up to now, for the program.

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "mpi/runtime/runtime.hpp"
#include "tutti/tutti.h"

extern "C" char* tutti_report(void) {
  tutti::mpi::Runtime* const runtime = tutti::mpi::Runtime::get();
  if (runtime == nullptr) return nullptr;
  try {
    const std::string text = runtime->report_text();
    return text.empty() ? nullptr : strdup(text.c_str());
  } catch (const std::exception&) {
    return nullptr;
  }
}
