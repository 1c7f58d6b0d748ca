#pragma once
// Errors are values. No exception of Tutti crosses a C or MPI boundary (DESIGN §12).

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tutti::base {

enum class Code {
  ok,
  invalid_argument,  // invalid request by the caller, or invalid contents of a file
  not_supported,     // valid, but not handled here: the caller falls back (in the end to the native MPI)
  not_found,
  out_of_memory,  // heap, shared memory, or a full table
  system,         // a system call failed; native() is errno
  mpi,            // an MPI call failed; native() is the MPI error code
  internal,       // an invariant of Tutti is violated
};

/// Lower-case name of a code, for messages.
std::string_view to_string(Code code);

/// Success, or an error. A successful Status does not allocate.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message, int native = 0)
      : code_(code), native_(native), message_(std::move(message)) {}

  static Status invalid_argument(std::string message) { return {Code::invalid_argument, std::move(message)}; }
  static Status not_supported(std::string message) { return {Code::not_supported, std::move(message)}; }
  static Status not_found(std::string message) { return {Code::not_found, std::move(message)}; }
  static Status internal(std::string message) { return {Code::internal, std::move(message)}; }
  /// A failed system call: appends strerror(error_number).
  static Status system(std::string message, int error_number);

  bool is_ok() const { return code_ == Code::ok; }
  explicit operator bool() const { return is_ok(); }
  Code code() const { return code_; }
  /// errno for Code::system, the MPI error code for Code::mpi, otherwise 0.
  int native() const { return native_; }
  /// One line: what, where, what to do. Empty for ok.
  const std::string& message() const { return message_; }

 private:
  Code code_ = Code::ok;
  int native_ = 0;
  std::string message_;
};

/// A value, or the Status with the reason why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}        // NOLINT: implicit on purpose, `return value;`
  Result(Status status) : content_(std::move(status)) {  // NOLINT: implicit on purpose, `return status;`
    assert(!std::get<Status>(content_).is_ok());
  }

  bool is_ok() const { return std::holds_alternative<T>(content_); }
  explicit operator bool() const { return is_ok(); }

  T& value() & { return std::get<T>(content_); }
  const T& value() const& { return std::get<T>(content_); }
  T&& value() && { return std::get<T>(std::move(content_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// The Status; ok if there is a value.
  Status status() const { return is_ok() ? Status{} : std::get<Status>(content_); }

 private:
  std::variant<T, Status> content_;
};

}  // namespace tutti::base
