#pragma once
// Lock-free intrusive queue (paper 001, section 3.2). A sentinel is at its end when it is empty, so that producers
// write only the link after the last node, and the consumer only the links before it.

#include <atomic>

namespace tutti::base {

/// `T` has a member `std::atomic<T*> next`, which the queue uses from push() to pop().
///
/// push() and is_empty(): any thread. push() is wait-free: one exchange and one store. pop(): one thread at a time.
/// Nodes of one producer are popped in the order of their push(). No allocation. A popped node may be pushed again or
/// destroyed at once.
template <class T>
class MpscQueue {
 public:
  MpscQueue() = default;
  MpscQueue(const MpscQueue&) = delete;
  MpscQueue& operator=(const MpscQueue&) = delete;

  void push(T* node) {
    node->next.store(nullptr, std::memory_order_relaxed);
    // From here on the node is the last one, but not reachable until it is linked. Sequentially consistent for Parking:
    // see is_empty().
    std::atomic<T*>* const link = tail_.exchange(&node->next, std::memory_order_seq_cst);
    link->store(node, std::memory_order_release);
  }

  /// The oldest node; nullptr if there is none, or if a producer is between the two steps of its push().
  T* pop() {
    T* const node = first();
    if (node == nullptr) return nullptr;
    first_ = node->next.load(std::memory_order_acquire);
    if (first_ != nullptr || is_last(node)) return node;
    // A producer will write into the node, which therefore stays in the queue until that has happened.
    first_ = node->next.load(std::memory_order_acquire);
    if (first_ != nullptr) return node;
    first_ = node;
    return nullptr;
  }

  /// False from the first step of a push() on. If a consumer announces that it will sleep (sequentially consistent) and
  /// then finds the queue empty, every producer that checks after its push() sees the announcement.
  bool is_empty() const { return tail_.load(std::memory_order_seq_cst) == &sentinel_; }

 private:
  /// The oldest node, which stays in the queue.
  T* first() {
    if (first_ != nullptr) return first_;
    T* const node = sentinel_.load(std::memory_order_acquire);
    // No producer writes the sentinel before is_last() makes it the end again.
    if (node != nullptr) sentinel_.store(nullptr, std::memory_order_relaxed);
    return node;
  }

  /// Puts the sentinel after `node` if no node was pushed meanwhile; then no producer refers to the node any more.
  bool is_last(T* node) {
    std::atomic<T*>* expected = &node->next;
    return tail_.compare_exchange_strong(expected, &sentinel_, std::memory_order_acq_rel,
                                         std::memory_order_relaxed);
  }

  // The cache lines of the producers, and of the consumer.
  alignas(64) std::atomic<std::atomic<T*>*> tail_{&sentinel_};  // the link that the next producer writes
  alignas(64) std::atomic<T*> sentinel_{nullptr};               // the link before the first node
  T* first_ = nullptr;                                          // the oldest node, once pop() has seen it
};

}  // namespace tutti::base
