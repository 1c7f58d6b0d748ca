// Discrete Fourier transforms of single lines of a field.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

namespace apps {

using Complex = std::complex<double>;
using Field = std::vector<Complex>;

// In-place radix-2 transform of one line whose length is a power of two.
class LineTransform {
 public:
  explicit LineTransform(int size) : size_(size), roots_(static_cast<std::size_t>(size) / 2) {
    for (std::size_t k = 0; k < roots_.size(); ++k)
      roots_[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / size);
  }

  void operator()(Complex* line) const {
    reverse_bits(line);
    for (int half = 1; half < size_; half *= 2)
      for (int start = 0; start < size_; start += 2 * half)
        for (int k = 0; k < half; ++k) {
          const Complex odd = line[start + k + half] * roots_[k * (size_ / (2 * half))];
          line[start + k + half] = line[start + k] - odd;
          line[start + k] += odd;
        }
  }

  // Transforms all lines in the order of memory.
  void every_line(Field& field) const {
    for (std::size_t at = 0; at < field.size(); at += static_cast<std::size_t>(size_))
      (*this)(field.data() + at);
  }

 private:
  void reverse_bits(Complex* line) const {
    for (int i = 1, reversed = 0; i < size_; ++i) {
      int bit = size_ / 2;
      for (; reversed & bit; bit /= 2) reversed ^= bit;
      reversed ^= bit;
      if (i < reversed) std::swap(line[i], line[reversed]);
    }
  }

  int size_;
  std::vector<Complex> roots_;
};

}  // namespace apps
