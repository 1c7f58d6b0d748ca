#include "command/command.hpp"

int main(int argc, char** argv) {
  return tutti::command::run_command(argc, argv);
}
