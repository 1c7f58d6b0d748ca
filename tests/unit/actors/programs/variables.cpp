// variables OUTPUT PLUGIN, in C++: statics with constructors and destructors, streams, exceptions, threads.
#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern "C" int actor_linked_count();

namespace {

std::ofstream output;

struct Noted {
  std::string name;
  explicit Noted(std::string its_name) : name(std::move(its_name)) {}
  ~Noted() { output << "destroyed " << name << '\n'; }
};

Noted in_file("in file");
std::vector<int> numbers{1, 2, 3};
inline std::map<std::string, int> counts;

int count() {
  static Noted in_function("in function");
  static int calls = 0;
  return ++calls;
}

int thrown(const char* text) {
  try {
    if (count() < 100) throw std::runtime_error(text);
    return 0;
  } catch (const std::exception& error) {
    return static_cast<int>(std::string(error.what()).size());
  }
}

}  // namespace

int main(int, char** argv) {
  output.open(argv[1]);
  numbers.push_back(4);
  ++counts["x"];
  output << "numbers " << numbers.size() << " counts " << counts["x"] << " thrown " << thrown("abc") << '\n';
  int from_threads = 0;
  std::thread([&] { from_threads = actor_linked_count(); }).join();
  output << "threads " << from_threads << ' ' << actor_linked_count() << '\n';
  std::cout << "" << std::flush;
  const auto plugged = reinterpret_cast<int (*)()>(dlsym(dlopen(argv[2], RTLD_NOW), "actor_plugin_count"));
  output << "plugin " << plugged() << ' ' << std::getenv("RANK_NAME") << '\n';
  std::exit(4);
}
