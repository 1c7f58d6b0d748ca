#include "transport/tcp_interfaces.hpp"

#include <gtest/gtest.h>

namespace tutti::transport {
namespace {

const std::vector<Interface> k_here = {
    {"lo", 0x7F000001}, {"eth0", 0x0A010203}, {"eth1", 0xC0A80001}, {"eth1", 0x0A020304}};

TEST(TcpInterfaces, NamesThatExistAreMeant) {
  EXPECT_EQ(names_of_listed("eth1,eth0", k_here), "eth1,eth0");
  EXPECT_EQ(names_of_listed("ib0,eth0", k_here), "eth0");
}

TEST(TcpInterfaces, ANetworkMeansWhatHasAnAddressInIt) {
  EXPECT_EQ(names_of_listed("10.0.0.0/8", k_here), "eth0,eth1");
  EXPECT_EQ(names_of_listed("10.1.2.77/24", k_here), "eth0");
  EXPECT_EQ(names_of_listed("10.1.2.3/32", k_here), "eth0");
  EXPECT_EQ(names_of_listed("0.0.0.0/0", k_here), "lo,eth0,eth1");
}

TEST(TcpInterfaces, AnInterfaceComesOnce) {
  EXPECT_EQ(names_of_listed("eth1,192.168.0.0/16,10.2.0.0/16,eth1", k_here), "eth1");
}

TEST(TcpInterfaces, WhatIsNeitherIsLeftOut) {
  for (const char* list :
       {"", ",", "10.1.0.0", "10.1.0.0/", "10.1.0.0/33", "10.1.0/16", "/8", "eth0 ", "eth0/8"})
    EXPECT_EQ(names_of_listed(list, k_here), "") << list;
}

TEST(TcpInterfaces, ThisMachineHasOne) {
  for (const Interface& interface : interfaces_here()) EXPECT_FALSE(interface.name.empty());
}

}  // namespace
}  // namespace tutti::transport
