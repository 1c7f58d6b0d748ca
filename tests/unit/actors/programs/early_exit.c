// Ends before main().
#include <stdlib.h>

__attribute__((constructor)) static void leave(void) {
  exit(getenv("RANK_NAME") != NULL ? 15 : 1);
}

int main(void) {
  return 2;
}
