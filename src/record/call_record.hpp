#pragma once
// The record of one collective call, or of one wait for a message, of one rank.

#include <bit>
#include <cstdint>
#include <string_view>

namespace tutti::record {

/// Duration whose end was not observed.
inline constexpr uint64_t k_unknown_ns = UINT64_MAX;
/// Value of CallRecord::root without a root or peer.
inline constexpr uint32_t k_no_root = UINT32_MAX;
/// Row number, in memory and in live files, of a record that must be ignored.
inline constexpr uint32_t k_void_row = UINT32_MAX;

/// Kind of call, beside collectives, in which a rank waits for another one. Its record stores the peer in `root`.
///
///   other  a call that several ranks make together, such as MPI_Comm_split; without a peer: waits for any member
///   poll   from the first of several unsuccessful tests to the successful one; without a peer: as `other`
enum class MessageCall : uint8_t { none, send, receive, exchange, probe, wait, other, poll };
inline constexpr std::string_view k_message_calls[] = {"",      "send", "recv",  "sendrecv",
                                                       "probe", "wait", "other", "poll"};
/// Whether such a call without a peer may wait for any other member of the communicator.
constexpr bool is_for_any_member(MessageCall call) {
  return call == MessageCall::other || call == MessageCall::poll;
}

struct CallRecord {
  uint64_t arrival_ns = 0;  // the program entered the call; monotonic clock of the machine
  uint32_t row = 0;         // what was called, and the call site (rank_file.hpp)
  uint32_t sequence = 0;    // number of the call among those of its communicator or persistent request
  /// Time that the program spent inside MPI for it: in the call, and in the calls that wait for a nonblocking one.
  uint64_t inside_ns = k_unknown_ns;
  /// From the arrival to the end of the operation on this rank; after an early return that is later than the end of the
  /// call. Natively nonblocking operations: to the moment when the program learned of the completion.
  uint64_t whole_ns = k_unknown_ns;
  uint64_t bytes = 0;
  uint32_t root = k_no_root;  // rank of the communicator; for messages: the peer
};

/// Encoding of a number in 32 bits: exact below 2^27, eight significant decimal digits above. UINT64_MAX (unknown) is
/// preserved; other numbers are limited to 2^57.
namespace compact {

inline constexpr int k_digits = 27;  // binary digits of the mantissa
inline constexpr uint32_t k_unknown = UINT32_MAX;
inline constexpr uint32_t k_most_exponent = 30;
inline constexpr uint64_t k_most = uint64_t{(1U << k_digits) - 1} << k_most_exponent;

constexpr uint32_t pack(uint64_t number) {
  if (number == UINT64_MAX) return k_unknown;
  if (number > k_most) number = k_most;
  const auto width = static_cast<int>(std::bit_width(number));
  const int exponent = width > k_digits ? width - k_digits : 0;
  return static_cast<uint32_t>(exponent) << k_digits | static_cast<uint32_t>(number >> exponent);
}

constexpr uint64_t unpack(uint32_t packed) {
  if (packed == k_unknown) return UINT64_MAX;
  return uint64_t{packed & ((1U << k_digits) - 1)} << (packed >> k_digits);
}

}  // namespace compact

/// Layout of a record in memory and in files: four 64-bit words, little-endian.
struct PackedRecord {
  uint64_t words[4];

  static constexpr PackedRecord of(const CallRecord& record) {
    const auto pair = [](uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; };
    return {{record.arrival_ns, pair(record.row, record.sequence),
             pair(compact::pack(record.inside_ns), compact::pack(record.whole_ns)),
             pair(compact::pack(record.bytes), record.root)}};
  }
  constexpr CallRecord unpack() const {
    const auto low = [this](int word) { return static_cast<uint32_t>(words[word]); };
    const auto high = [this](int word) { return static_cast<uint32_t>(words[word] >> 32); };
    return {.arrival_ns = words[0],
            .row = low(1),
            .sequence = high(1),
            .inside_ns = compact::unpack(low(2)),
            .whole_ns = compact::unpack(high(2)),
            .bytes = compact::unpack(low(3)),
            .root = high(3)};
  }
};
static_assert(sizeof(PackedRecord) == 32);

}  // namespace tutti::record
