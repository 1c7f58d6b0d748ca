// Linked statically: what `tutti run` has to refuse.
int main(void) {
  return 0;
}
