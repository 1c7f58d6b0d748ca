// The classes that MPI had for C++: libraries of the MPI for them, on both sides of functions that they call.
#include <mpi.h>

#include <iostream>
#include <sstream>

namespace {

int rank() {
  return MPI::COMM_WORLD.Get_rank();
}

template <class... Values>
void say(const Values&... values) {
  std::ostringstream line;
  line << rank() << ":";
  ((line << ' ' << values), ...);
  std::cout << line.str() + "\n" << std::flush;
}

void multiply(const void* in, void* inout, int count, const MPI::Datatype& type) {
  if (type.Get_size() != static_cast<int>(sizeof(int))) say("multiply: wrong type");
  for (int i = 0; i < count; ++i) static_cast<int*>(inout)[i] *= static_cast<const int*>(in)[i];
}

int copy(const MPI::Comm& comm, int, void* extra, void* value, void* copied, bool& flag) {
  say("copies", comm.Get_size() == MPI::COMM_WORLD.Get_size(), *static_cast<int*>(extra),
      *static_cast<int*>(value));
  *static_cast<void**>(copied) = extra;
  flag = true;
  return MPI::SUCCESS;
}

int erase(MPI::Comm&, int, void* value, void* extra) {
  say("deletes", *static_cast<int*>(value), *static_cast<int*>(extra));
  return MPI::SUCCESS;
}

void on_error(MPI::Comm& comm, int* code, ...) {
  say("handles", comm == MPI::COMM_WORLD, MPI::Get_error_class(*code) == MPI::ERR_RANK);
}

void requests() {
  const int size = MPI::COMM_WORLD.Get_size(), left = (rank() + size - 1) % size, right = (rank() + 1) % size;
  int sent = rank(), got = -1;
  MPI::Request both[] = {MPI::COMM_WORLD.Irecv(&got, 1, MPI::INT, left, 1),
                         MPI::COMM_WORLD.Isend(&sent, 1, MPI::INT, right, 1)};
  MPI::Status statuses[2];
  MPI::Request::Waitall(2, both, statuses);
  say("waitall", got == left, statuses[0].Get_source() == left, statuses[0].Get_count(MPI::INT),
      both[0] == MPI::REQUEST_NULL);
  MPI::Prequest persistent = MPI::COMM_WORLD.Send_init(&sent, 1, MPI::INT, right, 2);
  persistent.Start();
  MPI::Status status;
  MPI::COMM_WORLD.Recv(&got, 1, MPI::INT, MPI::ANY_SOURCE, 2, status);
  persistent.Wait();
  persistent.Free();
  say("persistent", got == left, status.Get_tag(), persistent == MPI::REQUEST_NULL);
  MPI::COMM_WORLD.Sendrecv_replace(&sent, 1, MPI::INT, right, 3, left, 3);
  say("replaced", sent == left);
}

void operators() {
  MPI::Op op;
  op.Init(multiply, true);
  int values[] = {rank() + 1, 2}, products[2] = {};
  MPI::COMM_WORLD.Allreduce(values, products, 2, MPI::INT, op);
  say("products", products[0], products[1]);
  op.Free();
  MPI::COMM_WORLD.Allreduce(MPI::IN_PLACE, values, 2, MPI::INT, MPI::MAX);
  say("most", values[0], values[1]);
  bool all = true, is_first = rank() == 0;
  MPI::COMM_WORLD.Allreduce(&is_first, &all, 1, MPI::BOOL, MPI::LOR);
  say("or", all);
}

void attributes() {
  int extra = 7, value = 100 + rank();
  int key = MPI::Comm::Create_keyval(copy, erase, &extra);
  MPI::COMM_WORLD.Set_attr(key, &value);
  MPI::Intracomm duplicate = MPI::COMM_WORLD.Dup();
  int* found = nullptr;
  const bool is_there = duplicate.Get_attr(key, &found);
  say("attribute", is_there, is_there ? *found : 0);
  duplicate.Free();
  MPI::COMM_WORLD.Delete_attr(key);
  MPI::Comm::Free_keyval(key);
  int* tags = nullptr;
  const bool has_tags = MPI::COMM_WORLD.Get_attr(MPI::TAG_UB, &tags);
  say("tags", has_tags, has_tags && *tags >= 32767);
}

void errors() {
  int nothing = 0;
  MPI::Errhandler handler = MPI::Comm::Create_errhandler(on_error);
  MPI::COMM_WORLD.Set_errhandler(handler);
  MPI::COMM_WORLD.Send(&nothing, 1, MPI::INT, MPI::COMM_WORLD.Get_size(), 0);
  handler.Free();
  // The result of a library without exceptions is library-specific.
  MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
  try {
    MPI::COMM_WORLD.Send(&nothing, 1, MPI::INT, MPI::COMM_WORLD.Get_size(), 0);
    say("no exception");
  } catch (MPI::Exception& error) {
    say("exception", error.Get_error_class() == MPI::ERR_RANK);
  }
  MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_ARE_FATAL);
}

void communicators() {
  const int size = MPI::COMM_WORLD.Get_size();
  const int dims[] = {size};
  const bool periods[] = {true};
  MPI::Cartcomm ring = MPI::COMM_WORLD.Create_cart(1, dims, periods, false);
  int left = 0, right = 0;
  ring.Shift(0, 1, left, right);
  say("ring", left == (rank() + size - 1) % size, right == (rank() + 1) % size, ring.Get_dim());
  ring.Set_name("a ring");
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  ring.Get_name(name, length);
  say("named", name, length);
  MPI::Intracomm half = MPI::COMM_WORLD.Split(rank() % 2, 0);
  MPI::Group group = half.Get_group();
  say("half", half.Get_rank(), half.Get_size(), group.Get_size(), half.Is_inter());
  group.Free();
  half.Free();
  ring.Free();
  say("freed", half == MPI::COMM_NULL, ring == MPI::COMM_NULL);
}

void types() {
  MPI::Datatype column = MPI::INT.Create_vector(3, 1, 3);
  column.Commit();
  int square[9] = {}, from = 0;
  if (rank() == 0)
    for (int& one : square) one = ++from;
  MPI::COMM_WORLD.Bcast(square + 1, 1, column, 0);
  say("column", square[1], square[4], square[7]);
  column.Free();
  const MPI::Datatype types[] = {MPI::INT, MPI::DOUBLE};
  struct {
    int number;
    double weight;
  } both = {rank() == 0 ? 5 : 0, rank() == 0 ? 2.5 : 0};
  const int lengths[] = {1, 1};
  const MPI::Aint places[] = {0, 8};
  MPI::Datatype pair = MPI::Datatype::Create_struct(2, lengths, places, types);
  pair.Commit();
  MPI::COMM_WORLD.Bcast(&both, 1, pair, 0);
  say("pair", both.number, both.weight);
  pair.Free();
}

}  // namespace

int main(int argc, char** argv) {
  MPI::Init(argc, argv);
  requests();
  operators();
  attributes();
  errors();
  communicators();
  types();
  MPI::COMM_WORLD.Barrier();
  MPI::Finalize();
  return 0;
}
