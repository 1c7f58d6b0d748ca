#include "tutti/version.h"

extern "C" const char* tutti_version(void) {
  return TUTTI_VERSION;
}
