// Stands in for libFuzzer under any compiler: runs a target over its corpus and over a fixed number of
// mutations of every seed, the same in every run.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "target.hpp"

namespace {

constexpr int k_mutations_per_seed = 4000;
constexpr int k_most_edits = 8;
constexpr std::string_view k_telling = "0123456789{}[]\":,=KMG-. \n\\\x7f";

std::vector<std::string> read_corpus(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path());
  std::sort(names.begin(), names.end());
  std::vector<std::string> seeds;
  for (const auto& name : names) {
    std::ifstream file(name, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

std::string mutated(std::string text, const std::string& other, std::mt19937& random) {
  const auto below = [&](size_t end) { return end == 0 ? 0 : random() % end; };
  for (size_t edits = 1 + below(k_most_edits); edits > 0; --edits) {
    const size_t at = below(text.size() + 1);
    switch (below(5)) {
      case 0:
        text.insert(at, 1, k_telling[below(k_telling.size())]);
        break;
      case 1:
        text.erase(at, below(8));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      case 3:
        text.insert(at, text.substr(below(text.size()), below(32)));
        break;
      default:
        text.insert(at, other.substr(below(other.size()), below(32)));
    }
  }
  return text;
}

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
    return 2;
  }
  const std::vector<std::string> seeds = read_corpus(argv[1]);
  tutti::fuzz::require(!seeds.empty(), "there is a corpus");
  std::mt19937 random(1);
  run("");
  for (const std::string& seed : seeds) {
    run(seed);
    for (int i = 0; i < k_mutations_per_seed; ++i) run(mutated(seed, seeds[random() % seeds.size()], random));
  }
  std::printf("%zu seeds, %d mutations of each\n", seeds.size(), k_mutations_per_seed);
}
