#pragma once
// Multicast tables as the switches themselves hold them, read with directed-route subnet management packets.

#include "fabric/tables.hpp"
#include "port.hpp"

namespace tutti::opensm_test {

/// Reads all tables of all switches that this port reaches. Errors: system; not_found: no answer, or the
/// fabric does not know this port.
base::Result<fabric::MulticastTables> read_tables(Port& port, const fabric::Fabric& fabric);

}  // namespace tutti::opensm_test
