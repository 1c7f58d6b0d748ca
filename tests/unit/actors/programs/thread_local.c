// A thread-local variable of the program itself.
static _Thread_local int mine = 3;

int main(void) {
  return ++mine;
}
