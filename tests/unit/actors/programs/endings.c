// endings HOW: the ways in which a program can end.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(void) {
  puts("handler");
}

static void* end_from_thread(void* unused) {
  (void)unused;
  exit(9);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  atexit(say);
  if (strcmp(how, "return") == 0) return 300;  // as a parent sees it: 44
  if (strcmp(how, "exit") == 0) exit(5);
  if (strcmp(how, "_exit") == 0) _exit(6);
  if (strcmp(how, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) exit(8);
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  }
  if (strcmp(how, "thread") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, end_from_thread, NULL);
    pthread_join(thread, NULL);
  }
  return 1;
}
