// The path by which a program finds itself: many look for their data next to their executable.
#include "check.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static char g_by_name[PATH_MAX];  // from argv[0]

static bool is_own(const char* path) {
  char whole[PATH_MAX];
  return realpath(path, whole) != NULL && strcmp(whole, g_by_name) == 0;
}

int main(int argc, char** argv) {
  CHECK(realpath(argv[0], g_by_name) != NULL, "argv[0] is %s", argv[0]);
  check_init(&argc, &argv);
  char path[PATH_MAX] = "", own_link[64];
  volatile size_t size = sizeof path - 1;
  const ssize_t length = readlink("/proc/self/exe", path, size);
  CHECK(length == (ssize_t)strlen(g_by_name) && strcmp(path, g_by_name) == 0, "readlink: %s", path);
  memset(path, 0, sizeof path);
  CHECK(readlink("/proc/self/exe", path, 3) == 3 && strncmp(path, g_by_name, 3) == 0, "readlink of 3: %s",
        path);
  memset(path, 0, sizeof path);
  snprintf(own_link, sizeof own_link, "/proc/%d/exe", (int)getpid());
  CHECK(readlinkat(-1, own_link, path, size) == length && strcmp(path, g_by_name) == 0, "readlinkat: %s",
        path);
  CHECK(is_own("/proc/self/exe"), "realpath");
  char* const canonical = canonicalize_file_name("/proc/self/exe");
  CHECK(canonical != NULL && strcmp(canonical, g_by_name) == 0, "canonicalize_file_name: %s", canonical);
  free(canonical);
  CHECK(is_own((const char*)getauxval(AT_EXECFN)), "AT_EXECFN: %s", (const char*)getauxval(AT_EXECFN));
  Dl_info info;
  CHECK(dladdr((void*)main, &info) != 0 && is_own(info.dli_fname), "dladdr: %s", info.dli_fname);
  CHECK(dlopen(NULL, RTLD_NOW) != NULL, "dlopen of the program");
  return check_finish("own_path");
}
