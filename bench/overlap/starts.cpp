#include "bench/overlap/starts.hpp"

#include <utility>

#include "bench/overlap/names.hpp"

namespace tutti::bench {

namespace {

#define TUTTI_CALL(name, ...) (side == Side::native ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))

int barrier(Buffers& b, Side side, MPI_Request* request) {
  return TUTTI_CALL(Ibarrier, b.world.comm, request);
}

int bcast(Buffers& b, Side side, MPI_Request* request) {
  return TUTTI_CALL(Ibcast, b.out.data(), b.byte_count(), MPI_BYTE, k_root, b.world.comm, request);
}

int reduce(Buffers& b, Side side, MPI_Request* request) {
  return TUTTI_CALL(Ireduce, b.in.data(), b.out.data(), b.element_count(), MPI_DOUBLE, MPI_SUM, k_root,
                    b.world.comm, request);
}

int allreduce(Buffers& b, Side side, MPI_Request* request) {
  return TUTTI_CALL(Iallreduce, b.in.data(), b.out.data(), b.element_count(), MPI_DOUBLE, MPI_SUM,
                    b.world.comm, request);
}

int reduce_scatter(Buffers& b, Side side, MPI_Request* request) {
  return TUTTI_CALL(Ireduce_scatter, b.in.data(), b.out.data(), b.blocks.elements.data(), MPI_DOUBLE, MPI_SUM,
                    b.world.comm, request);
}

int allgather(Buffers& b, Side side, MPI_Request* request) {
  return TUTTI_CALL(Iallgather, b.in.data(), b.byte_count(), MPI_BYTE, b.out.data(), b.byte_count(), MPI_BYTE,
                    b.world.comm, request);
}

int alltoall(Buffers& b, Side side, MPI_Request* request) {
  return TUTTI_CALL(Ialltoall, b.in.data(), b.byte_count(), MPI_BYTE, b.out.data(), b.byte_count(), MPI_BYTE,
                    b.world.comm, request);
}

int gather(Buffers& b, Side side, MPI_Request* request) {
  return TUTTI_CALL(Igather, b.in.data(), b.byte_count(), MPI_BYTE, b.out.data(), b.byte_count(), MPI_BYTE,
                    k_root, b.world.comm, request);
}

int scatter(Buffers& b, Side side, MPI_Request* request) {
  return TUTTI_CALL(Iscatter, b.in.data(), b.byte_count(), MPI_BYTE, b.out.data(), b.byte_count(), MPI_BYTE,
                    k_root, b.world.comm, request);
}

int scan(Buffers& b, Side side, MPI_Request* request) {
  return TUTTI_CALL(Iscan, b.in.data(), b.out.data(), b.element_count(), MPI_DOUBLE, MPI_SUM, b.world.comm,
                    request);
}

const std::vector<std::pair<std::string, Start>>& starts() {
  static const std::vector<std::pair<std::string, Start>> all = {
      {"barrier", barrier},     {"bcast", bcast},
      {"reduce", reduce},       {"allreduce", allreduce},
      {"allgather", allgather}, {"reduce_scatter", reduce_scatter},
      {"alltoall", alltoall},   {"gather", gather},
      {"scatter", scatter},     {"scan", scan}};
  return all;
}

}  // namespace

std::vector<std::string> nonblocking_names(const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& [name, start] : starts()) names.push_back(prefix + name);
  return names;
}

Start start_of(const std::string& collective) {
  for (const auto& [name, start] : starts())
    if (name == collective) return start;
  return nullptr;
}

int complete(Side side, MPI_Request* request) {
  return TUTTI_CALL(Wait, request, MPI_STATUS_IGNORE);
}

int test(Side side, MPI_Request* request) {
  int is_done = 0;
  return TUTTI_CALL(Test, request, &is_done, MPI_STATUS_IGNORE);
}

#undef TUTTI_CALL

}  // namespace tutti::bench
