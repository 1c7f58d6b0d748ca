// Linked into libraries that are loaded into programs (tutti_own_cxx): their static objects are not destroyed at exit,
// because the program may still communicate then.

extern "C" int __wrap___cxa_atexit(void (*)(void*), void*, void*);  // NOLINT: the linker's name (--wrap)

extern "C" int __wrap___cxa_atexit(void (*)(void*), void*, void*) {  // NOLINT
  return 0;
}
