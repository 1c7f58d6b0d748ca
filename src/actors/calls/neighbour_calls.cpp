// Neighbourhood collectives, implemented with messages (MPI 4.0, §8.6 to §8.8), and distributed graph
// topologies.

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "actors/calls/context_agreement.hpp"
#include "actors/calls/point_to_point.hpp"
#include "actors/calls/rank.hpp"
#include "actors/calls/recorded_wait.hpp"
#include "actors/calls/virtual_topology.hpp"
#include "calls.hpp"

namespace tutti::actors {

namespace {

/// The buffer of the message to or from one neighbour.
struct Part {
  const void* address = nullptr;
  int64_t count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// All messages of one call.
class NeighbourRequest final : public Request {
 public:
  NeighbourRequest(Rank& owner, Communicator& on) : Request(owner, &on) {}

  /// Part i of each is that of neighbour i. In a grid dimension of one or two ranks the same neighbour is on
  /// both sides: a message sent to one side arrives from the other side, so tags distinguish messages by
  /// direction.
  int begin(const Neighbours& with, const std::vector<Part>& sent, const std::vector<Part>& received,
            bool is_grid) {
    for (size_t i = 0; i < received.size(); ++i)
      if (const int code = post(with.sources[i], received[i], is_grid ? i : number_of(with.sources, i));
          code != MPI_SUCCESS)
        return code;
    received_ = messages_.size();
    for (size_t i = 0; i < sent.size(); ++i)
      if (const int code =
              send(with.destinations[i], sent[i], is_grid ? i ^ 1 : number_of(with.destinations, i));
          code != MPI_SUCCESS)
        return code;
    return MPI_SUCCESS;
  }
  bool is_done() const override {
    return std::ranges::all_of(messages_, [](const auto& one) { return one->is_done(); });
  }
  int finish(MPI_Status* status) override {
    int result = MPI_SUCCESS;
    for (const auto& one : messages_)
      if (const int code = one->finish(status); code != MPI_SUCCESS) result = code;
    set_empty(status);
    return result;
  }
  std::vector<int> awaited_peers() const override {
    std::vector<int> peers;
    for (size_t i = 0; i < received_; ++i)
      for (const int peer : messages_[i]->awaited_peers())
        if (peer != communicator()->rank()) peers.push_back(peer);
    return peers;
  }

 private:
  /// How often the same rank occurs before index i.
  static size_t number_of(const std::vector<int>& ranks, size_t i) {
    return static_cast<size_t>(
        std::count(ranks.begin(), ranks.begin() + static_cast<ptrdiff_t>(i), ranks[i]));
  }
  int post(int from, const Part& part, size_t tag) {
    auto one = std::make_unique<ReceiveRequest>(owner_, *communicator());
    one->set_traffic(Traffic::neighbours);
    const int code = one->bind({part.address, part.count, part.type, from, static_cast<int>(tag)}, true);
    return code == MPI_SUCCESS ? begin(std::move(one)) : code;
  }
  int send(int to, const Part& part, size_t tag) {
    auto one = std::make_unique<SendRequest>(owner_, *communicator(), SendKind::standard);
    one->set_traffic(Traffic::neighbours);
    const int code = one->bind({part.address, part.count, part.type, to, static_cast<int>(tag)}, true);
    return code == MPI_SUCCESS ? begin(std::move(one)) : code;
  }
  int begin(std::unique_ptr<Request> one) {
    messages_.push_back(std::move(one));
    return messages_.back()->start();
  }

  std::vector<std::unique_ptr<Request>> messages_;  // first those that are received
  size_t received_ = 0;
};

/// `fill(neighbours, sent, received)` sets the parts; the result is an error class.
template <class Fill>
int exchange(Rank& me, const std::string& name, MPI_Comm comm, MPI_Request* request, Fill fill) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  if (std::holds_alternative<std::monostate>(on->topology)) return me.result(on, MPI_ERR_TOPOLOGY);
  const Neighbours with = neighbours_of(*on);
  std::vector<Part> sent(with.destinations.size()), received(with.sources.size());
  fill(sent, received);
  auto call = std::make_unique<NeighbourRequest>(me, *on);
  const int code = call->begin(with, sent, received, std::holds_alternative<Cartesian>(on->topology));
  if (code != MPI_SUCCESS) return me.result(on, code);
  if (request != nullptr) {
    *request = me.give(std::move(call));
    return MPI_SUCCESS;
  }
  RecordedWait waiting(me, record::MessageCall::other, name);
  waiting.begin(*call);
  me.wait_until([&call] { return call->is_done(); });
  waiting.end(*call);
  MPI_Status status;
  return me.result(on, call->finish(&status));
}

const void* at(const void* buffer, int64_t bytes) {
  return static_cast<const std::byte*>(buffer) + bytes;
}

int64_t extent_of(MPI_Datatype type) {
  mpi::Type described;
  return mpi::describe(type, &described) ? described.extent : 0;
}

/// Consecutive blocks of `count` elements.
void in_a_row(std::vector<Part>& parts, const void* buffer, int count, MPI_Datatype type) {
  for (size_t i = 0; i < parts.size(); ++i)
    parts[i] = {at(buffer, static_cast<int64_t>(i) * count * extent_of(type)), count, type};
}

void at_displacements(std::vector<Part>& parts, const void* buffer, const int* counts,
                      const int* displacements, MPI_Datatype type) {
  for (size_t i = 0; i < parts.size(); ++i)
    parts[i] = {at(buffer, displacements[i] * extent_of(type)), counts[i], type};
}

void of_types(Rank& me, std::vector<Part>& parts, const void* buffer, const int* counts,
              const MPI_Aint* places, const MPI_Datatype* types) {
  for (size_t i = 0; i < parts.size(); ++i)
    parts[i] = {at(buffer, places[i]), counts[i], me.native(types[i])};
}

}  // namespace

namespace calls {

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Ineighbor_allgather(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  static const std::string name = "MPI_Neighbor_allgather";
  return exchange(me, name, comm, request, [&](auto& sent, auto& received) {
    std::ranges::fill(sent, Part{sendbuf, sendcount, sendtype});
    in_a_row(received, recvbuf, recvcount, recvtype);
  });
}
int Neighbor_allgather(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return Ineighbor_allgather(me, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, nullptr);
}

int Ineighbor_allgatherv(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                         MPI_Request* request) {
  static const std::string name = "MPI_Neighbor_allgatherv";
  return exchange(me, name, comm, request, [&](auto& sent, auto& received) {
    std::ranges::fill(sent, Part{sendbuf, sendcount, sendtype});
    at_displacements(received, recvbuf, recvcounts, displs, recvtype);
  });
}
int Neighbor_allgatherv(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return Ineighbor_allgatherv(me, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                              nullptr);
}

int Ineighbor_alltoall(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  static const std::string name = "MPI_Neighbor_alltoall";
  return exchange(me, name, comm, request, [&](auto& sent, auto& received) {
    in_a_row(sent, sendbuf, sendcount, sendtype);
    in_a_row(received, recvbuf, recvcount, recvtype);
  });
}
int Neighbor_alltoall(Rank& me, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return Ineighbor_alltoall(me, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, nullptr);
}

int Ineighbor_alltoallv(Rank& me, const void* sendbuf, const int sendcounts[], const int sdispls[],
                        MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                        MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  static const std::string name = "MPI_Neighbor_alltoallv";
  return exchange(me, name, comm, request, [&](auto& sent, auto& received) {
    at_displacements(sent, sendbuf, sendcounts, sdispls, sendtype);
    at_displacements(received, recvbuf, recvcounts, rdispls, recvtype);
  });
}
int Neighbor_alltoallv(Rank& me, const void* sendbuf, const int sendcounts[], const int sdispls[],
                       MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                       MPI_Datatype recvtype, MPI_Comm comm) {
  return Ineighbor_alltoallv(me, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                             recvtype, comm, nullptr);
}

int Ineighbor_alltoallw(Rank& me, const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                        const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                        const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                        MPI_Request* request) {
  static const std::string name = "MPI_Neighbor_alltoallw";
  return exchange(me, name, comm, request, [&](auto& sent, auto& received) {
    of_types(me, sent, sendbuf, sendcounts, sdispls, sendtypes);
    of_types(me, received, recvbuf, recvcounts, rdispls, recvtypes);
  });
}
int Neighbor_alltoallw(Rank& me, const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                       const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return Ineighbor_alltoallw(me, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                             recvtypes, comm, nullptr);
}

int Dist_graph_create_adjacent(Rank& me, MPI_Comm comm, int indegree, const int sources[],
                               const int sourceweights[], int outdegree, const int destinations[],
                               const int destweights[], MPI_Info, int, MPI_Comm* newcomm) {
  DistributedGraph graph;
  graph.is_weighted = me.native(const_cast<int*>(sourceweights)) != MPI_UNWEIGHTED &&
                      me.native(const_cast<int*>(destweights)) != MPI_UNWEIGHTED;
  graph.sources.assign(sources, sources + indegree);
  graph.destinations.assign(destinations, destinations + outdegree);
  if (graph.is_weighted && indegree > 0) graph.source_weights.assign(sourceweights, sourceweights + indegree);
  if (graph.is_weighted && outdegree > 0)
    graph.destination_weights.assign(destweights, destweights + outdegree);
  Communicator* const from = me.find(comm);
  if (from == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  const int code = Comm_split(me, comm, 0, from->rank(), newcomm);
  if (code == MPI_SUCCESS) me.find(*newcomm)->topology = std::move(graph);
  return code;
}

int Dist_graph_create(Rank& me, MPI_Comm comm, int n, const int sources[], const int degrees[],
                      const int destinations[], const int weights[], MPI_Info info, int reorder,
                      MPI_Comm* newcomm) {
  Communicator* const from = me.find(comm);
  if (from == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  const bool is_weighted = me.native(const_cast<int*>(weights)) != MPI_UNWEIGHTED;
  // All ranks exchange the number of their edges, and then the edges.
  const int64_t count = std::accumulate(degrees, degrees + n, int64_t{0});
  ContextAgreement counts(me, from->members(), from->context(Traffic::creation), 0, {count});
  static const std::string name = "MPI_Dist_graph_create";
  counts.wait(*from, name);
  int64_t most = 0;
  for (size_t i = 0; i < counts.size(); ++i) most = std::max(most, counts.of(i)[0]);
  std::vector<int64_t> mine(static_cast<size_t>(3 * most + 1), -1);
  for (int i = 0, edge = 0; i < n; ++i)
    for (int k = 0; k < degrees[i]; ++k, ++edge) {
      const auto place = static_cast<size_t>(3 * edge);
      mine[place] = sources[i];
      mine[place + 1] = destinations[edge];
      mine[place + 2] = is_weighted ? weights[edge] : 0;
    }
  ContextAgreement edges(me, from->members(), from->context(Traffic::creation), 0, mine);
  edges.wait(*from, name);
  std::vector<int> in, in_weights, out, out_weights;
  for (size_t i = 0; i < edges.size(); ++i)
    for (int64_t edge = 0; edge < counts.of(i)[0]; ++edge) {
      const auto told = edges.of(i).subspan(static_cast<size_t>(3 * edge), 3);
      const int source = static_cast<int>(told[0]), destination = static_cast<int>(told[1]);
      if (destination == from->rank()) in.push_back(source), in_weights.push_back(static_cast<int>(told[2]));
      if (source == from->rank())
        out.push_back(destination), out_weights.push_back(static_cast<int>(told[2]));
    }
  int* const unweighted = me.programs(const_cast<int*>(MPI_UNWEIGHTED));
  return Dist_graph_create_adjacent(me, comm, static_cast<int>(in.size()), in.data(),
                                    is_weighted ? in_weights.data() : unweighted,
                                    static_cast<int>(out.size()), out.data(),
                                    is_weighted ? out_weights.data() : unweighted, info, reorder, newcomm);
}

int Dist_graph_neighbors_count(Rank& me, MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
  const Communicator* const on = me.find(comm);
  const auto* const graph = on == nullptr ? nullptr : std::get_if<DistributedGraph>(&on->topology);
  if (graph == nullptr) return me.result(on, on == nullptr ? MPI_ERR_COMM : MPI_ERR_TOPOLOGY);
  *indegree = static_cast<int>(graph->sources.size());
  *outdegree = static_cast<int>(graph->destinations.size());
  *weighted = graph->is_weighted ? 1 : 0;
  return MPI_SUCCESS;
}

int Dist_graph_neighbors(Rank& me, MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                         int maxoutdegree, int destinations[], int destweights[]) {
  const Communicator* const on = me.find(comm);
  const auto* const graph = on == nullptr ? nullptr : std::get_if<DistributedGraph>(&on->topology);
  if (graph == nullptr) return me.result(on, on == nullptr ? MPI_ERR_COMM : MPI_ERR_TOPOLOGY);
  const auto give = [](const std::vector<int>& from, int most, int* to) {
    std::copy_n(from.begin(), std::min<size_t>(from.size(), static_cast<size_t>(most)), to);
  };
  give(graph->sources, maxindegree, sources);
  give(graph->destinations, maxoutdegree, destinations);
  if (!graph->is_weighted) return MPI_SUCCESS;
  if (me.native(sourceweights) != MPI_UNWEIGHTED) give(graph->source_weights, maxindegree, sourceweights);
  if (me.native(destweights) != MPI_UNWEIGHTED) give(graph->destination_weights, maxoutdegree, destweights);
  return MPI_SUCCESS;
}
// NOLINTEND(readability-identifier-naming)

}  // namespace calls

}  // namespace tutti::actors
