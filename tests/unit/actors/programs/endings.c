// endings HOW [OUTPUT]: the ways in which a program can end.
#define _GNU_SOURCE
#include <argp.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
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

static const char* g_output;
static void write_word(const char* word) {
  const int file = open(g_output, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (write(file, word, strlen(word)) < 0) abort();
  close(file);
}

static void write_status(int status, void* word) {
  if (status == 9) write_word(word);
}

static void* write_for_ever(void* unused) {
  for (;;) write_word("x"), usleep(1000);
  return unused;
}

static void* write_late(void* unused) {
  usleep(100000);
  write_word("late");
  return unused;
}

static void leave_at_once(void) {
  write_word("quick");
}

static int count_object(struct dl_phdr_info* object, size_t bytes, void* count) {
  (void)object, (void)bytes;
  ++*(int*)count;
  return 0;
}

static void* count_objects(void* count) {
  dl_iterate_phdr(count_object, count);
  return NULL;
}

static int g_waits_in_destructor;

// The loader holds no lock while destructors run: what they wait for may look at libraries.
__attribute__((destructor)) static void wait_for_a_thread(void) {
  if (!g_waits_in_destructor) return;
  g_waits_in_destructor = 0;  // the process of the tests calls it once more
  pthread_t thread;
  int count = 0;
  pthread_create(&thread, NULL, count_objects, &count);
  pthread_join(thread, NULL);
  write_word(count > 1 ? "destroyed" : "lost");
}

// Others of this process have children, too.
static int reaps_own_children(void) {
  int strange = 0;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      usleep((unsigned)(i * 7 % 5) * 1000);
      _exit(i);
    }
    int status = 0;
    strange += wait(&status) != child || WEXITSTATUS(status) != i;
  }
  return strange;
}

// Natively these end the process in the middle of the C library, or leave threads to it.
static int end_otherwise(const char* how, char** argv) {
  pthread_t thread;
  if (strcmp(how, "quick_exit") == 0) {
    at_quick_exit(leave_at_once);
    quick_exit(10);
  }
  if (strcmp(how, "errx") == 0) errx(11, "the end of %s", program_invocation_short_name);
  if (strcmp(how, "argp") == 0) {
    char help[] = "--help";
    char* words[] = {argv[0], help, NULL};
    const struct argp nothing = {0};
    argp_parse(&nothing, 2, words, 0, NULL, NULL);
  }
  if (strcmp(how, "on_exit") == 0) {
    char word[] = "handled";
    on_exit(write_status, word);
    exit(9);
  }
  if (strcmp(how, "detached") == 0) {
    pthread_create(&thread, NULL, write_for_ever, NULL);
    pthread_detach(thread);
    usleep(20000);
    return 12;
  }
  if (strcmp(how, "pthread_exit") == 0) {
    pthread_create(&thread, NULL, write_late, NULL);
    pthread_exit(NULL);
  }
  if (strcmp(how, "destructor") == 0) {
    g_waits_in_destructor = 1;
    return 14;
  }
  if (strcmp(how, "exec") == 0) execl("/bin/sh", "sh", "-c", "exit 13", (char*)NULL);
  if (strcmp(how, "children") == 0) return reaps_own_children();
  return 1;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  g_output = argc > 2 ? argv[2] : "";
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
  return end_otherwise(how, argv);
}
