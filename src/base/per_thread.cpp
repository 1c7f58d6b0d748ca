#include "base/per_thread.hpp"

#include <pthread.h>

#include <utility>

namespace tutti::base {

void OfThread::keep() {
  struct Key {
    pthread_key_t key{};
    bool is_there = pthread_key_create(&key, end_thread) == 0;
  };
  static const Key list;  // without a free key, the objects remain when their threads end
  if (!list.is_there) return;
  before_ = static_cast<OfThread*>(pthread_getspecific(list.key));
  pthread_setspecific(list.key, this);
}

/// An object created meanwhile starts a new list, for which this function is called again.
void OfThread::end_thread(void* last) {
  for (auto* one = static_cast<OfThread*>(last); one != nullptr;) delete std::exchange(one, one->before_);
}

}  // namespace tutti::base
