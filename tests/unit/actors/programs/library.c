// Variables of a library; how often it has been asked.
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

int JOIN(VARIABLES_OF, _global) = 10;
static int in_file = 20;
static _Thread_local int of_thread = 30;

int JOIN(VARIABLES_OF, _count)(void) {
  static int in_function = 40;
  return ++JOIN(VARIABLES_OF, _global) + ++in_file + ++of_thread + ++in_function;
}
