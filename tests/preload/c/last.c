#include "last.h"

static void (*g_function)(void);

void call_at_last(void (*function)(void)) {
  g_function = function;
}

__attribute__((destructor)) static void go(void) {
  if (g_function != 0) g_function();
}
