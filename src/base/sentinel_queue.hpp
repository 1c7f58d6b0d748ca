#pragma once
// A queue without a lock, of nodes that carry their own link (paper 001, section 3.2). A sentinel stands at
// its end whenever it is empty, so that producers write only what is behind the last node, and the consumer
// only what stands before it.

#include <atomic>

namespace tutti::base {

/// `T` has a member `std::atomic<T*> next`, which belongs to the queue from push() to pop().
///
/// push() and is_empty(): any thread; push() is wait-free: one exchange and one store. pop(): one thread at a
/// time. Nodes of one producer leave in the order in which they came. Neither allocates. A node that has been
/// popped may be pushed again, or destroyed, at once.
template <class T>
class SentinelQueue {
 public:
  SentinelQueue() = default;
  SentinelQueue(const SentinelQueue&) = delete;
  SentinelQueue& operator=(const SentinelQueue&) = delete;

  void push(T* node) {
    node->next.store(nullptr, std::memory_order_relaxed);
    // From here on the node is the last one, though nobody finds it before it is linked. Sequentially
    // consistent for the sake of Parking: see is_empty().
    std::atomic<T*>* const link = tail_.exchange(&node->next, std::memory_order_seq_cst);
    link->store(node, std::memory_order_release);
  }

  /// The oldest node; null when there is none, or when a producer is between the two steps of its push().
  T* pop() {
    T* const node = first();
    if (node == nullptr) return nullptr;
    first_ = node->next.load(std::memory_order_acquire);
    if (first_ != nullptr || is_last(node)) return node;
    // A producer has come: it writes into the node, which therefore stays until that has happened.
    first_ = node->next.load(std::memory_order_acquire);
    if (first_ != nullptr) return node;
    first_ = node;
    return nullptr;
  }

  /// False from the first step of a push() on: whoever has announced that he goes to sleep (sequentially
  /// consistent), and then finds the queue empty, is seen asleep by every producer that looks after its
  /// push().
  bool is_empty() const { return tail_.load(std::memory_order_seq_cst) == &sentinel_; }

 private:
  /// The oldest node, which stays in the queue.
  T* first() {
    if (first_ != nullptr) return first_;
    T* const node = sentinel_.load(std::memory_order_acquire);
    // Nobody writes the sentinel before is_last() puts it back.
    if (node != nullptr) sentinel_.store(nullptr, std::memory_order_relaxed);
    return node;
  }

  /// Puts the sentinel behind `node` if nobody has come in between; then nobody else knows the node any more.
  bool is_last(T* node) {
    std::atomic<T*>* expected = &node->next;
    return tail_.compare_exchange_strong(expected, &sentinel_, std::memory_order_acq_rel,
                                         std::memory_order_relaxed);
  }

  // The producers' line of the cache, and the consumer's.
  alignas(64) std::atomic<std::atomic<T*>*> tail_{&sentinel_};  // the link that the next producer writes
  alignas(64) std::atomic<T*> sentinel_{nullptr};               // the link before the first node
  T* first_ = nullptr;                                          // the oldest node, once pop() has seen it
};

}  // namespace tutti::base
