#include "actors/calls/attributes.hpp"

#include <algorithm>

namespace tutti::actors {

int Attributes::add(const Keyval& keyval) {
  keyvals_.push_back(std::make_unique<Keyval>(keyval));
  return k_first_number + static_cast<int>(keyvals_.size()) - 1;
}

Keyval* Attributes::find(int number) {
  const auto place = static_cast<size_t>(static_cast<unsigned>(number) - k_first_number);
  return place < keyvals_.size() ? keyvals_[place].get() : nullptr;
}

void Attributes::free(int number) {
  Keyval* const keyval = find(number);
  keyval->is_freed = true;
  if (keyval->users == 0) keyvals_[static_cast<size_t>(number - k_first_number)].reset();
}

void Attributes::release(int number) {
  Keyval* const keyval = find(number);
  if (--keyval->users == 0 && keyval->is_freed)
    keyvals_[static_cast<size_t>(number - k_first_number)].reset();
}

AttributeValues::iterator find_value(AttributeValues* values, int keyval) {
  return std::ranges::find(*values, keyval, &AttributeValues::value_type::first);
}

}  // namespace tutti::actors
