#include "simulate/fit.hpp"

#include <gtest/gtest.h>

#include "algorithm/catalogue.hpp"
#include "simulate/collective.hpp"

namespace tutti::simulate {
namespace {

using algorithm::Collective;
using topology::Topology;

Measurements measured_on(const Machine& machine, const Topology& topology) {
  Measurements all{.topology = topology, .calls = {}};
  for (const auto& [collective, text] : {std::pair{Collective::bcast, "knomial"},
                                         {Collective::allreduce, "ring"},
                                         {Collective::alltoall, "linear"},
                                         {Collective::barrier, "dissemination"}})
    for (const uint64_t bytes : {8, 4096, 65536, 1000000}) {
      MeasuredCall one{
          .call = {.collective = collective, .rank_count = topology.rank_count(), .bytes = bytes},
          .choice = algorithm::parse_choice(collective, text).value()};
      one.ns = measure({.call = one.call, .choice = one.choice}, topology, machine)->whole_ns;
      all.calls.push_back(one);
    }
  return all;
}

TEST(Fit, TheMachineThatWasMeasuredIsFound) {
  Machine truth;
  truth.latency_ns = 20000;
  truth.overhead_ns = 3000;
  truth.ns_per_byte = 8;
  truth.copy_ns_per_byte = 0.4;
  truth.reduce_ns_per_byte = 1;
  const auto found = fit(measured_on(truth, Topology::blocked(8, 2)), Machine{}, [](uint64_t) {}).value();
  EXPECT_LT(found.median_error, 0.03);
  EXPECT_LT(found.ninth_error, 0.1);
  EXPECT_NEAR(found.machine.ns_per_byte, 8, 0.4);
}

TEST(Fit, FewCallsTellNothing) {
  Measurements measured = measured_on(Machine{}, Topology::blocked(8, 2));
  const auto tells = [&] { return fit(measured, Machine{}, [](uint64_t) {}).value().is_telling(); };
  EXPECT_FALSE(tells()) << "16 calls, 10 times";
  const std::vector<MeasuredCall> some = measured.calls;
  measured.calls.insert(measured.calls.end(), some.begin(), some.end());
  EXPECT_TRUE(tells());
  measured.calls.resize(3);
  EXPECT_FALSE(tells());
}

TEST(Fit, WhatALinkWasMeasuredAtStays) {
  Machine truth;
  truth.ns_per_byte = 8;
  Measurements measured = measured_on(truth, Topology::blocked(8, 2));
  measured.link_ns_per_byte = 7.5;
  EXPECT_EQ(fit(measured, Machine{}, [](uint64_t) {}).value().machine.ns_per_byte, 7.5);
}

TEST(Fit, StopsAndRefuses) {
  const Measurements some = measured_on(Machine{}, Topology::blocked(4, 2));
  EXPECT_FALSE(fit(
                   some, Machine{}, [](uint64_t) {}, [] { return true; })
                   .is_ok());
  const Measurements none{.topology = Topology::flat(2), .calls = {}};
  EXPECT_EQ(fit(none, Machine{}, [](uint64_t) {}).status().message(), "no measured call can be simulated");
}

Measurements parsed(const std::string& text) {
  auto all = parse_measurements(text, "file");
  EXPECT_TRUE(all.is_ok()) << all.status().message();
  return *std::move(all);
}

TEST(MeasurementsFile, WhatTuttiBenchWrites) {
  const Measurements all =
      parsed(R"({"mpi": "MPICH", "ranks_of_node": [2, 1], "link_bytes_per_second": 1.25e8,
    "measurements": [
    {"collective": "bcast", "bytes": 8, "tutti_us": [3.0, 1.0, 2.0], "choice": "knomial:radix=4", "right": true},
    {"collective": "bcast", "bytes": 8, "tutti_us": [3.0], "choice": "native"},
    {"collective": "bcast", "bytes": 8, "tutti_us": [], "choice": "knomial"}]})");
  EXPECT_EQ(all.link_ns_per_byte, 8);
  EXPECT_EQ(all.topology.node_count(), 2);
  EXPECT_EQ(all.topology.node_of(2), 1);
  ASSERT_EQ(all.calls.size(), 1u);
  EXPECT_EQ(all.others, 2u);
  EXPECT_EQ(all.calls[0].ns, 2000);
  EXPECT_EQ(algorithm::to_string(all.calls[0].choice), "knomial:radix=4");
  EXPECT_EQ(all.calls[0].call.rank_count, 3);
}

TEST(MeasurementsFile, ABadOneIsOneLine) {
  const auto message = [](const std::string& text) {
    return parse_measurements(text, "file").status().message();
  };
  const auto with = [](const std::string& measurement) {
    return R"({"ranks_of_node": [2], "measurements": [)" + measurement + "]}";
  };
  EXPECT_EQ(message("[]"), "file: this is no object of measurements");
  EXPECT_EQ(message(R"({"ranks_of_node": [], "measurements": []})"), "file: ranks_of_node names no ranks");
  EXPECT_EQ(message(R"({"ranks_of_node": [2], "link_bytes_per_second": -1, "measurements": []})"),
            "file: link_bytes_per_second takes a number of bytes, 1e3 to 1e15, or 0");
  EXPECT_FALSE(
      parsed(R"({"ranks_of_node": [2], "link_bytes_per_second": 0, "measurements": []})").link_ns_per_byte);
  EXPECT_EQ(message(R"({"ranks_of_node": [4000000000], "measurements": []})"),
            "file: ranks_of_node takes numbers of ranks, together at most 65536");
  EXPECT_EQ(message(with("7")), "file: measurement 1: a measurement is an object");
  EXPECT_EQ(message(with(R"({"collective": "bcast", "bytes": -1, "tutti_us": [1], "choice": "linear"})")),
            "file: measurement 1: bytes takes a number of bytes, at most 1G");
  EXPECT_EQ(message(with(R"({"collective": "bcast", "bytes": 1, "tutti_us": ["x"], "choice": "linear"})")),
            "file: measurement 1: tutti_us takes numbers of µs");
  EXPECT_TRUE(message("{").starts_with("file: line 1")) << message("{");
}

}  // namespace
}  // namespace tutti::simulate
