#pragma once
// Parser for the parameters behind the colon of a description like "torus:size=8x8x4,hosts=2".

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.hpp"

namespace tutti::fabric {

/// Values by name, with defaults, and the first error. Keeps views of the texts passed to it.
class Parameters {
 public:
  /// `defaults` names all parameters: "size=30x20x20,hosts=2".
  Parameters(std::string_view name, std::string_view defaults);

  /// Values in `text` replace the defaults.
  void read(std::string_view text);

  /// The value of a parameter. If it is out of range, returns `least` and sets status() to the error.
  uint32_t number(std::string_view name, uint32_t least, uint32_t most);
  /// Numbers joined by 'x'.
  std::vector<uint32_t> sizes(std::string_view name, uint32_t least, uint32_t most);

  /// invalid_argument for the first error in read(), number() and sizes().
  const base::Status& status() const { return status_; }

 private:
  using Values = std::vector<std::pair<std::string_view, std::string_view>>;

  Values::iterator find(std::string_view name);
  uint32_t checked(std::string_view name, std::string_view text, uint32_t least, uint32_t most);
  void refuse(const std::string& why);

  std::string_view name_, defaults_;
  Values values_;
  std::vector<std::string_view> given_;
  base::Status status_;
};

}  // namespace tutti::fabric
