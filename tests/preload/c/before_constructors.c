// Memory given back before any constructor has run, by the dynamic linker too: it frees the text of an error when the
// next name is sought. Allocators and tools do such in .preinit_array.
#include "check.h"

#include <dlfcn.h>
#include <stdlib.h>

static void* volatile g_block;
static int g_found;

static void begin(int argc, char** argv, char** environment) {
  (void)argc, (void)argv, (void)environment;
  for (int i = 0; i < 3; ++i) g_found += dlsym(RTLD_DEFAULT, "there_is_no_such_function") != NULL;
  g_block = realloc(malloc(10), 1000);
  free(g_block);
}

__attribute__((section(".preinit_array"), used)) static void (*const g_begin)(int, char**, char**) = begin;

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  CHECK(g_found == 0, "a function is found that is nowhere");
  CHECK(g_block != NULL, "no memory before the constructors");
  return check_finish("before_constructors");
}
