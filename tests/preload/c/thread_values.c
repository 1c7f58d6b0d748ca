// Values of pthread_key_create() belong to the program: new keys are empty, values stay across calls of MPI, and the
// program's destructors get the program's values.
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

enum { k_keys = 200 };  // more than a thread has at hand
static pthread_key_t g_keys[k_keys];
static atomic_int g_destroyed;

static void destroy(void* value) {
  g_destroyed += *(int*)value;
  free(value);
}

static void* one(void) {
  int* const value = malloc(sizeof *value);
  *value = 1;
  return value;
}

static void exchange(void) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0, in[6] = {0}, out[6], sum = 0;
  MPI_Datatype type;
  MPI_Error_string(MPI_ERR_TAG, text, &length);
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Sendrecv(in, 1, type, (g_rank + 1) % g_size, 1, out, 1, type, (g_rank + g_size - 1) % g_size, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Type_free(&type);
}

static void* in_thread(void* unused) {
  for (int i = 0; i < k_keys; ++i) {
    CHECK(pthread_getspecific(g_keys[i]) == NULL, "a thread begins with a value of key %d", i);
    pthread_setspecific(g_keys[i], one());
  }
  return unused;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  exchange();
  for (int i = 0; i < k_keys; ++i) {
    CHECK(pthread_key_create(&g_keys[i], destroy) == 0, "key %d", i);
    CHECK(pthread_getspecific(g_keys[i]) == NULL, "key %d begins with a value", i);
    CHECK(pthread_setspecific(g_keys[i], one()) == 0, "key %d takes no value", i);
  }
  for (int i = 0; i < 10; ++i) exchange();
  for (int i = 0; i < k_keys; ++i)
    CHECK(pthread_getspecific(g_keys[i]) != NULL && *(int*)pthread_getspecific(g_keys[i]) == 1, "key %d", i);
  pthread_t thread;
  pthread_create(&thread, NULL, in_thread, NULL);
  pthread_join(thread, NULL);
  CHECK(g_destroyed == k_keys, "%d of %d values of a thread have been destroyed", g_destroyed, k_keys);

  tss_t key;
  CHECK(tss_create(&key, NULL) == thrd_success && tss_set(key, &key) == thrd_success && tss_get(key) == &key,
        "of C");
  tss_delete(key);
  CHECK(pthread_key_delete(g_keys[0]) == 0, "a key is deleted");
  CHECK(pthread_setspecific(g_keys[0], &key) != 0 && pthread_getspecific(g_keys[0]) == NULL, "a deleted key");
  pthread_key_t again;
  CHECK(pthread_key_create(&again, NULL) == 0 && pthread_getspecific(again) == NULL, "a key made again");
  return check_finish("thread_values");
}
