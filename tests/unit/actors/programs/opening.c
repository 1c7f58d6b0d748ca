// opening LIBRARY: what dlopen() gives a program: a library for all that come later, and the program itself.
#include <dlfcn.h>
#include <stddef.h>

int opening_own_function(void) {
  return 1;
}

int main(int argc, char** argv) {
  if (argc < 2 || dlsym(RTLD_DEFAULT, "actor_plugin_count") != NULL) return 2;
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL || dlsym(RTLD_DEFAULT, "actor_plugin_count") == NULL) return 3;
  void* const own = dlopen(NULL, RTLD_NOW);
  if (own == NULL || dlsym(own, "opening_own_function") != (void*)opening_own_function) return 4;
  if (dlsym(own, "actor_plugin_count") == NULL || dlopen("/nowhere/library.so", RTLD_NOW) != NULL) return 5;
  dlclose(own);
  return dlclose(library) == 0 ? 21 : 6;
}
