// opening FILE LIBRARY: what dlopen() gives a program: a library for all that come later, and the program itself.
// Other ranks than r0 wait until it has made the file, after a symbol that is not there.
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int opening_own_function(void) {
  return 1;
}

int main(int argc, char** argv) {
  if (argc < 3 || dlsym(RTLD_DEFAULT, "actor_plugin_count") != NULL) return 2;
  const int is_first = strcmp(getenv("RANK_NAME"), "r0") == 0;
  for (int i = 0; !is_first && access(argv[1], F_OK) != 0; ++i)
    if (i == 10000 || usleep(1000) != 0) return 7;
  if (is_first) usleep(20000);  // the others wait
  void* const library = dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL || dlsym(RTLD_DEFAULT, "actor_plugin_count") == NULL) return 3;
  void* const own = dlopen(NULL, RTLD_NOW);
  if (own == NULL || dlsym(own, "opening_own_function") != (void*)opening_own_function) return 4;
  if (dlsym(own, "actor_plugin_count") == NULL || dlopen("/nowhere/library.so", RTLD_NOW) != NULL) return 5;
  dlclose(own);
  if (dlclose(library) != 0) return 6;
  if (is_first) close(open(argv[1], O_CREAT | O_WRONLY, 0600));
  return 21;
}
