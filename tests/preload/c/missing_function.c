// A function that the MPI may lack, found by name: where it is lacking, natively there is nothing to call, and under
// Tutti the call returns an error.
#include <dlfcn.h>

#include "check.h"

typedef int Pready(int partition, MPI_Request request);

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  // The MPI's own function, by the name that is not intercepted.
  const int is_missing = dlsym(RTLD_DEFAULT, "PMPI_Pready") == NULL;
  Pready* const pready = (Pready*)dlsym(RTLD_DEFAULT, "MPI_Pready");
  if (is_missing && pready != NULL) {
    int class_of_error = MPI_SUCCESS;
    MPI_Error_class(pready(0, MPI_REQUEST_NULL), &class_of_error);
    CHECK(class_of_error == MPI_ERR_UNSUPPORTED_OPERATION, "class %d", class_of_error);
  } else {
    CHECK(is_missing == (pready == NULL), "is there under one name only");
  }
  return check_finish("missing_function");
}
