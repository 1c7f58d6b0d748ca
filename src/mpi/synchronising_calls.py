"""The MPI calls that are not in calls.py, classified by their effect on data that has not arrived (docs/overlap.md).

Every function that an mpi.h declares is in calls.py or in one of these lists; tests/meta/all_calls.py checks that. Names
are without MPI_, and without the _c of large counts. The class of a call depends on its name and its parameters
(kind_of): the MPI holds its lock while it reads arrays and strings, and the thread that completes the data needs that lock.
"""

import re

# Calls that get data, make memory visible to other ranks, or signal to them that it is: they wait for all early calls
# first. The entry points are generated from the prototypes of mpi.h.
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

# Calls whose entry points are written by hand.
BY_HAND = ["Init", "Init_thread", "Query_thread", "Finalize", "Session_init", "Abort", "Request_get_status_all",
           "Request_get_status_any", "Request_get_status_some"]

# Calls that run functions of the program, which may use any memory: copy and delete functions of attributes, error handlers.
CALLS_BACK = re.compile(r"Comm_(free|idup(_with_info)?)|Type_(free|dup)|\w+_(set|delete)_attr|Attr_(put|delete)"
                        r"|(Comm|File|Win|Session)_call_errhandler|Session_finalize|Grequest_complete|Cancel")

# Calls with numbers, names and handles only: they access no data of the program beyond their own arguments.
INDIFFERENT = re.compile("|".join([
    r"(Comm|File|Win|Session)_(call|create|get|set)_errhandler", r"Errhandler_\w+", r"Error_\w+", r"(Add|Remove)_error_\w+",
    r"\w+_(get|set|delete)_attr", r"\w+_(create|free)_keyval", r"Keyval_\w+", r"Attr_\w+",
    r"\w+_(get|set)_(info|name)", r"Info_\w+", r"Group_\w+", r"Win_(get_group|shared_query)",
    r"Type_\w+", r"Op_\w+", r"Status_\w+", r"(Cart|Graph|Dims|Dist_graph|Topo)_\w+", r"(Cart|Graph)dim(s)?_get",
    r"Comm_(compare|free|group|rank|size|remote_group|remote_size|test_inter|get_parent|create_from_group)",
    r"Comm_(i?agree|revoke|is_revoked|shrink|failure_ack|failure_get_acked|ack_failed|get_failed)",
    # MPICH's streams and thread communicators: communicators that Tutti does not register
    r"Stream_(create|free|progress|comm_create\w*)|Comm_(get_stream|test_threadcomm)|(Start|Stop)_progress_thread",
    r"Threadcomm_\w+", r"Comm_idup(_with_info)?",
    r"Intercomm_create(_from_groups)?", r"File_get_\w+", r"File_set_info", r"Session_\w+", r"Grequest_\w+", r"Get_\w+",
    r"(Pack|Pack_external)_size", r"(Open|Close)_port", r"Is_thread_main", r"\w*_query_support|Query_\w+_support", r"Initialized|Finalized",
    r"Alloc_mem|Cancel|Test_cancelled|Parrived|Pcontrol|Register_datarep|Delete_error_\w+",
    r"Address|Aint_(add|diff)|Wtime|Wtick|T_\w+|\w+_(f2c|c2f|f082c|c2f08|f2f08|f082f)|Message_\w+|Request_\w+"]))

# Calls that return without waiting for another process, and that programs do not use for polling. Any call that is
# neither here nor in calls.py is "undriven": while a program waits in it, or polls with it, Tutti's nonblocking
# collectives make no progress.
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

# Calls, other than collectives and messages, in which ranks wait for each other: their time is recorded
# (recorded_calls/other_calls.hpp). Independent reads and writes of a file are not among them.
RECORDED = re.compile("|".join([
    r"I?[Nn]eighbor_(all(gatherv?|toall[vw]?))", r"Comm_(dup(_with_info)?|split(_type)?|create(_group)?|accept|connect|spawn(_multiple)?)",
    r"Cart_(create|sub)", r"Graph_create", r"Dist_graph_create(_adjacent)?", r"Intercomm_(create|merge)",
    r"Win_(create(_dynamic)?|allocate(_shared)?|free|fence|start|complete|wait|(un)?lock(_all)?|flush(_local)?(_all)?)",
    r"File_(open|close|set_view|set_size|preallocate|sync|seek_shared)",
    r"File_(read|write)_(all|at_all|ordered)(_begin|_end)?"]))

# Functions of the tools interface, and variables and predefined functions, which are not calls.
TOOLS = re.compile(r"T_\w+")
NO_CALLS = re.compile(r"DUP_FN|\w+_(DUP|NULL)_\w+|\w+_fn|conversion_fn_null\w*")

# Calls whose untyped argument is a buffer for one machine word, or an address that is not dereferenced.
ONE_WORD = re.compile(r"\w+_get_attr|Attr_get|Get_address|Address|Alloc_mem|Win_shared_query|\w+_create_keyval|Keyval_create"
                      r"|Grequest_start|Register_datarep")

# Calls whose Fortran versions are functions or do not exist.
NOT_IN_FORTRAN = re.compile(r"T_\w+|Wtime|Wtick|Aint_\w+|\w+_(f2c|c2f|f082c|c2f08|f2f08|f082f)|Pcontrol|\w+_query_support"
                            r"|Query_\w+_support|(Start|Stop)_progress_thread|Stream_\w+|Threadcomm_\w+|Delete_error_\w+")

# Additional statements before these calls.
BEFORE = dict.fromkeys(("Grequest_start", "Comm_create_errhandler", "File_create_errhandler", "Win_create_errhandler",
                        "Session_create_errhandler", "Errhandler_create"), "tutti::mpi::expect_functions_in_waits();")


def is_array(parameter):
    """True if the parameter is declared as an array or a string."""
    return "[" in parameter or re.search(r"\bchar\b", parameter) is not None


def is_pointer(parameter):
    """True if the parameter is a pointer to data."""
    return ("*" in parameter or "[" in parameter) and "_function" not in parameter


def is_given_memory(prototype):
    return any(is_array(p) or (re.search(r"\bvoid \*", p) and not ONE_WORD.fullmatch(prototype.name))
               for p in prototype.parameters)


def kind_of(prototype):
    """The class of a call. "settling": it waits for all early calls first; "objects": it waits for the data at the addresses
    of its arguments; "nothing": it gets no address; "by hand"; None: the call is in no list."""
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
