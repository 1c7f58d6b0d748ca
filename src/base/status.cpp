#include "base/status.hpp"

#include <system_error>

namespace tutti::base {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::ok:
      return "ok";
    case Code::invalid_argument:
      return "invalid argument";
    case Code::not_supported:
      return "not supported";
    case Code::not_found:
      return "not found";
    case Code::out_of_memory:
      return "out of memory";
    case Code::system:
      return "system error";
    case Code::mpi:
      return "MPI error";
    case Code::internal:
      return "internal error";
  }
  return "unknown";
}

Status Status::system(std::string message, int error_number) {
  message += ": ";
  message += std::generic_category().message(error_number);
  return {Code::system, std::move(message), error_number};
}

}  // namespace tutti::base
