"""The calls of MPI beside those in calls.py, by what they mean for data that has not arrived (docs/overlap.md).

Every function that an mpi.h declares is in calls.py or in one of these lists; tests/meta/all_calls.py sees to that. Names
are without MPI_, and without the _c of large counts.
"""

import re

# They are given data, or make memory visible to others, or tell others that it is: all early calls end first. The entry
# points are generated from the prototypes of mpi.h.
SETTLING = """
Accumulate Bsend Bsend_init Buffer_attach Buffer_detach Comm_accept Comm_connect Comm_disconnect Comm_join Comm_spawn
Comm_spawn_multiple Compare_and_swap Fetch_and_op Free_mem Get Get_accumulate Ibsend Imrecv Irecv Irsend Isend Isendrecv
Isendrecv_replace Issend Lookup_name Pack Pack_external Pready Pready_list Pready_range Precv_init Psend_init
Publish_name Put Raccumulate Recv_init Reduce_local Rget Rget_accumulate Rput Rsend_init Send_init Ssend_init Unpack
Unpack_external Unpublish_name
Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv Neighbor_alltoallw
Ineighbor_allgather Ineighbor_allgatherv Ineighbor_alltoall Ineighbor_alltoallv Ineighbor_alltoallw
Neighbor_allgather_init Neighbor_allgatherv_init Neighbor_alltoall_init Neighbor_alltoallv_init Neighbor_alltoallw_init
File_close File_delete File_iread File_iread_all File_iread_at File_iread_at_all File_iread_shared File_iwrite
File_iwrite_all File_iwrite_at File_iwrite_at_all File_iwrite_shared File_open File_preallocate File_read File_read_all
File_read_all_begin File_read_all_end File_read_at File_read_at_all File_read_at_all_begin File_read_at_all_end
File_read_ordered File_read_ordered_begin File_read_ordered_end File_read_shared File_seek File_seek_shared
File_set_atomicity File_set_size File_set_view File_sync File_write File_write_all File_write_all_begin
File_write_all_end File_write_at File_write_at_all File_write_at_all_begin File_write_at_all_end File_write_ordered
File_write_ordered_begin File_write_ordered_end File_write_shared
Win_allocate Win_allocate_shared Win_attach Win_complete Win_create Win_create_dynamic Win_detach Win_fence Win_flush
Win_flush_all Win_flush_local Win_flush_local_all Win_free Win_lock Win_lock_all Win_post Win_start Win_sync Win_test
Win_unlock Win_unlock_all Win_wait
Buffer_flush Buffer_iflush Comm_attach_buffer Comm_detach_buffer Comm_flush_buffer Comm_iflush_buffer
Session_attach_buffer Session_detach_buffer Session_flush_buffer Session_iflush_buffer
Stream_send Stream_isend Stream_recv Stream_irecv Send_enqueue Isend_enqueue Recv_enqueue Irecv_enqueue
Allreduce_enqueue Wait_enqueue Waitall_enqueue
""".split()

# Written by hand: they begin, end or interrupt everything, or say how it has begun.
BY_HAND = ["Init", "Init_thread", "Query_thread", "Finalize", "Session_init", "Abort"]

# Numbers, names and handles: no data of the program's beyond the few words of their own arguments.
INDIFFERENT = re.compile("|".join([
    r"(Comm|File|Win|Session)_(call|create|get|set)_errhandler", r"Errhandler_\w+", r"Error_\w+", r"(Add|Remove)_error_\w+",
    r"\w+_(get|set|delete)_attr", r"\w+_(create|free)_keyval", r"Keyval_\w+", r"Attr_\w+",
    r"\w+_(get|set)_(info|name)", r"Info_\w+", r"Group_\w+", r"Win_(get_group|shared_query)",
    r"Type_\w+", r"Op_\w+", r"Status_\w+", r"(Cart|Graph|Dims|Dist_graph|Topo)_\w+", r"(Cart|Graph)dim(s)?_get",
    r"Comm_(compare|free|group|rank|size|remote_group|remote_size|test_inter|get_parent|create_from_group)",
    r"Comm_(i?agree|revoke|is_revoked|shrink|failure_ack|failure_get_acked|ack_failed|get_failed)",
    # MPICH's streams, and threads as ranks: communicators that Tutti does not know
    r"Stream_(create|free|progress|comm_create\w*)|Comm_(get_stream|test_threadcomm)|(Start|Stop)_progress_thread",
    r"Threadcomm_\w+", r"Comm_idup(_with_info)?",
    r"Intercomm_create(_from_groups)?", r"File_get_\w+", r"File_set_info", r"Session_\w+", r"Grequest_\w+", r"Get_\w+",
    r"(Pack|Pack_external)_size", r"(Open|Close)_port", r"Is_thread_main", r"\w*_query_support", r"Initialized|Finalized",
    r"Alloc_mem|Cancel|Test_cancelled|Parrived|Pcontrol|Register_datarep|Delete_error_\w+",
    r"Address|Aint_(add|diff)|Wtime|Wtick|T_\w+|\w+_(f2c|c2f|f082c|c2f08|f2f08|f082f)|Message_\w+|Request_\w+"]))

# They return without waiting for what another process does, and a program does not call them again and again until it has.
# Whatever is neither here nor in calls.py is a call that makes no progress for nonblocking collectives of Tutti while a
# program waits by it ("undriven").
LOCAL = re.compile("|".join([
    r"(Comm|File|Win|Session)_(call|create|get|set)_errhandler", r"Errhandler_\w+", r"Error_\w+", r"(Add|Delete)_error_\w+",
    r"\w+_(get|set|delete)_attr", r"\w+_(create|free)_keyval", r"Keyval_\w+", r"Attr_\w+",
    r"(Comm|Type)_(get|set)_name", r"Info_\w+", r"Group_\w+", r"Type_\w+", r"Op_\w+", r"Status_\w+",
    r"(Cart|Graph|Dims|Dist_graph|Topo)_\w+", r"(Cartdim|Graphdims)_get",
    r"Comm_(compare|free|group|rank|size|remote_group|remote_size|test_inter|get_parent|idup(_with_info)?)",
    r"Comm_(revoke|failure_ack|failure_get_acked)",
    r"Grequest_(start|complete|class_create|class_allocate)", r"Get_(address|count|elements(_x)?|(library_)?version)",
    r"Get_processor_name", r"(Un)?[Pp]ack(_external)?", r"Pack(_external)?_size", r"(Open|Close)_port", r"Reduce_local",
    r"I?[Bb]send", r"I(send|recv|ssend|rsend|mrecv)", r"Isendrecv(_replace)?", r"(Send|Bsend|Rsend|Ssend|Recv)_init",
    r"(Psend|Precv)_init", r"Pready(_list|_range)?", r"Ineighbor_\w+", r"(Is|Query)_\w+", r"\w*_query_support",
    r"Init|Init_thread|Initialized|Finalize|Finalized|Abort|Session_init|Session_get_\w+",
    r"(Alloc|Free)_mem|Cancel|Test_cancelled|Pcontrol|Register_datarep|Buffer_attach|Buffer_iflush",
    r"Address|Aint_(add|diff)|Wtime|Wtick|T_\w+|\w+_(f2c|c2f|f082c|c2f08|f2f08|f082f)"]))

# Functions of the tools interface, and variables, which no list can know.
NO_CALLS = re.compile(r"T_\w+|DUP_FN|\w+_(DUP|NULL)_\w+|\w+_fn|conversion_fn_null\w*")


# Names of arguments that are data, in mpi.h.
DATA = ("buf", "buffer", "inbuf", "outbuf", "inoutbuf", "origin_addr", "result_addr", "compare_addr")


def is_data(argument):
    return argument in DATA or argument.endswith("buf")


def kind_of(name):
    """"settling", "by hand" or "indifferent"; None: nobody has thought of it."""
    if name in SETTLING:
        return "settling"
    if name in BY_HAND:
        return "by hand"
    return "indifferent" if INDIFFERENT.fullmatch(name) or NO_CALLS.fullmatch(name) else None
