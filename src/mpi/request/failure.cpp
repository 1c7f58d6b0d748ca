#include "mpi/request/failure.hpp"

namespace tutti::mpi {

int error_code_of(const base::Status& status) {
  switch (status.code()) {
    case base::Code::mpi:
      return status.native();
    case base::Code::out_of_memory:
      return MPI_ERR_NO_MEM;
    case base::Code::invalid_argument:  // during an operation: the two sides of a message differ in length
      return MPI_ERR_TRUNCATE;
    default:
      return MPI_ERR_INTERN;
  }
}

}  // namespace tutti::mpi
