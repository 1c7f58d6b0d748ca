// Our copy of a part of PMIx, against the header that is installed here.

#include "mpi/bootstrap/pmix_abi.hpp"

#include <gtest/gtest.h>
#include <pmix.h>

namespace tutti::mpi::pmix {
namespace {

TEST(PmixAbi, StructuresHaveTheirLayout) {
  EXPECT_EQ(sizeof(Process), sizeof(pmix_proc_t));
  EXPECT_EQ(offsetof(Process, rank), offsetof(pmix_proc_t, rank));
  EXPECT_EQ(sizeof(Value), sizeof(pmix_value_t));
  EXPECT_EQ(offsetof(Value, string), offsetof(pmix_value_t, data.string));
  EXPECT_EQ(offsetof(Value, flag), offsetof(pmix_value_t, data.flag));
  EXPECT_EQ(sizeof(Value::type), sizeof(pmix_value_t::type));
  EXPECT_EQ(sizeof(Info), sizeof(pmix_info_t));
  EXPECT_EQ(offsetof(Info, flags), offsetof(pmix_info_t, flags));
  EXPECT_EQ(offsetof(Info, value), offsetof(pmix_info_t, value));
  EXPECT_EQ(sizeof(Lookup), sizeof(pmix_pdata_t));
  EXPECT_EQ(offsetof(Lookup, key), offsetof(pmix_pdata_t, key));
  EXPECT_EQ(offsetof(Lookup, value), offsetof(pmix_pdata_t, value));
}

TEST(PmixAbi, ConstantsHaveTheirValues) {
  EXPECT_EQ(k_success, PMIX_SUCCESS);
  EXPECT_EQ(k_not_found, PMIX_ERR_NOT_FOUND);
  EXPECT_EQ(k_not_supported, PMIX_ERR_NOT_SUPPORTED);
  EXPECT_EQ(k_global, PMIX_GLOBAL);
  EXPECT_EQ(sizeof k_global, sizeof(pmix_scope_t));
  EXPECT_EQ(k_bool, PMIX_BOOL);
  EXPECT_EQ(k_string, PMIX_STRING);
  EXPECT_STREQ(k_immediate, PMIX_IMMEDIATE);
}

}  // namespace
}  // namespace tutti::mpi::pmix
