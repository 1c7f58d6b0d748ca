// Linked into libraries that are loaded into programs of others (tutti_own_cxx): their static objects stay as they
// are while the process exits, because the program may still communicate then.

extern "C" int __wrap___cxa_atexit(void (*)(void*), void*, void*);  // NOLINT: the linker's name (--wrap)

extern "C" int __wrap___cxa_atexit(void (*)(void*), void*, void*) {  // NOLINT
  return 0;
}
