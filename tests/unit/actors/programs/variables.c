// variables OUTPUT PLUGIN: every rank has to find all variables as they were written.
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int actor_linked_global;
int actor_linked_count(void);

int global = 1;
static int in_file = 2;
static int constructed;

__attribute__((constructor)) static void construct(void) {
  constructed = getenv("RANK_NAME") != NULL && getenv("RANK_NAME")[0] == 'r' ? 5 : 0;
}

static FILE* output;
static void at_the_end(void) {
  fprintf(output, "end %s\n", getenv("RANK_NAME"));
}
__attribute__((destructor)) static void destroy(void) {
  fprintf(output, "destroyed\n");  // not flushed here
}

static int count(void) {
  static int in_function = 3;
  return ++global * 100 + ++in_file * 10 + ++in_function;
}

int main(int argc, char** argv) {
  output = fopen(argv[1], "w");
  atexit(at_the_end);
  count();
  fprintf(output, "own %d constructed %d\n", count(), constructed);
  actor_linked_count();
  const int linked = actor_linked_count();
  fprintf(output, "linked %d %d\n", linked, actor_linked_global);
  void* plugin = dlopen(argv[2], RTLD_NOW);
  if (plugin == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int (*plugged)(void) = (int (*)(void))dlsym(plugin, "actor_plugin_count");
  plugged();
  fprintf(output, "plugin %d\n", plugged());
  int option, options = 0;
  while ((option = getopt(argc, argv, "a:")) != -1) options += option == 'a' && strcmp(optarg, "value") == 0;
  fprintf(output, "options %d optind %d\n", options, optind);
  errno = 7;
  setenv("RANK_NAME", strcat(strcpy(malloc(100), getenv("RANK_NAME")), "!"), 1);
  fprintf(output, "%s %d %d\n", getenv("RANK_NAME"), errno, isalpha('x') != 0);
  return 3;
}
