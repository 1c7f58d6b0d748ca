"""The calls of MPI beside those in calls.py, by what they mean for data that has not arrived (docs/overlap.md).

Every function that an mpi.h declares is in calls.py or in one of these lists; tests/meta/all_calls.py sees to that. Names
are without MPI_, and without the _c of large counts. What a call is given decides with its name (kind_of): the MPI reads
arrays and texts with its lock in hand, which the thread needs that brings the data.
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

# Written by hand.
BY_HAND = ["Init", "Init_thread", "Query_thread", "Finalize", "Session_init", "Abort", "Request_get_status_all",
           "Request_get_status_any", "Request_get_status_some"]

# They run functions of the program's, which may use any memory: copy and delete functions of attributes, error handlers.
CALLS_BACK = re.compile(r"Comm_(free|idup(_with_info)?)|Type_(free|dup)|\w+_(set|delete)_attr|Attr_(put|delete)"
                        r"|(Comm|File|Win|Session)_call_errhandler|Session_finalize|Grequest_complete|Cancel")

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
    r"(Pack|Pack_external)_size", r"(Open|Close)_port", r"Is_thread_main", r"\w*_query_support|Query_\w+_support", r"Initialized|Finalized",
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

# Ranks wait for each other in them, and they are no collectives or messages: their time is recorded (lifecycle/other_calls.hpp).
# Reading and writing a file alone is a rank's own business.
RECORDED = re.compile("|".join([
    r"I?[Nn]eighbor_(all(gatherv?|toall[vw]?))", r"Comm_(dup(_with_info)?|split(_type)?|create(_group)?|accept|connect|spawn(_multiple)?)",
    r"Cart_(create|sub)", r"Graph_create", r"Dist_graph_create(_adjacent)?", r"Intercomm_(create|merge)",
    r"Win_(create(_dynamic)?|allocate(_shared)?|free|fence|start|complete|wait|(un)?lock(_all)?|flush(_local)?(_all)?)",
    r"File_(open|close|set_view|set_size|preallocate|sync|seek_shared)",
    r"File_(read|write)_(all|at_all|ordered)(_begin|_end)?"]))

# Functions of the tools interface, which no list can know, and variables.
TOOLS = re.compile(r"T_\w+")
NO_CALLS = re.compile(r"DUP_FN|\w+_(DUP|NULL)_\w+|\w+_fn|conversion_fn_null\w*")

# Their untyped argument is a place for one word, or an address that is not followed.
ONE_WORD = re.compile(r"\w+_get_attr|Attr_get|Get_address|Address|Alloc_mem|Win_shared_query|\w+_create_keyval|Keyval_create"
                      r"|Grequest_start|Register_datarep")

# Fortran's are functions, or there are none.
NOT_IN_FORTRAN = re.compile(r"T_\w+|Wtime|Wtick|Aint_\w+|\w+_(f2c|c2f|f082c|c2f08|f2f08|f082f)|Pcontrol|\w+_query_support"
                            r"|Query_\w+_support|(Start|Stop)_progress_thread|Stream_\w+|Threadcomm_\w+|Delete_error_\w+")

# What else is done before they are made.
BEFORE = dict.fromkeys(("Grequest_start", "Comm_create_errhandler", "File_create_errhandler", "Win_create_errhandler",
                        "Session_create_errhandler", "Errhandler_create"), "tutti::mpi::expect_functions_in_waits();")


def is_array(parameter):
    """As it is declared: several values, or a text."""
    return "[" in parameter or re.search(r"\bchar\b", parameter) is not None


def is_pointer(parameter):
    """To data."""
    return ("*" in parameter or "[" in parameter) and "_function" not in parameter


def is_given_memory(prototype):
    return any(is_array(p) or (re.search(r"\bvoid \*", p) and not ONE_WORD.fullmatch(prototype.name))
               for p in prototype.parameters)


def kind_of(prototype):
    """"settling": all early calls end first; "objects": those end whose data lies where its arguments point to; "nothing":
    it is given no address; "by hand"; None: nobody has thought of it."""
    name = prototype.name
    if name in BY_HAND:
        return "by hand"
    if name in SETTLING or CALLS_BACK.fullmatch(name):
        return "settling"
    if NO_CALLS.fullmatch(name):
        return "nothing"
    if INDIFFERENT.fullmatch(name) is None and TOOLS.fullmatch(name) is None:
        return None
    if is_given_memory(prototype):
        return "settling"
    return "objects" if any(map(is_pointer, prototype.parameters)) else "nothing"
