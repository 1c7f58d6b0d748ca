"""The calls of MPI that ranks as threads can make. Names are without MPI_.

To add a call, write its function in src/actors/calls, or add its name to the calls passed to the native MPI. The
collectives of src/mpi/calls.py are generated (collective_calls.py).
"""

import collective_calls

# Implemented by functions of the same name in src/actors/calls, which get the rank as their first argument.
BY_HAND = """
Init Init_thread Finalize Initialized Finalized Query_thread Is_thread_main Abort Pcontrol
Get_processor_name Wtime Wtick
Send Ssend Rsend Bsend Isend Issend Irsend Ibsend Recv Irecv Sendrecv Sendrecv_replace
Isendrecv Isendrecv_replace Send_init Ssend_init Rsend_init Bsend_init Recv_init Start Startall
Probe Iprobe Mprobe Improbe Mrecv Imrecv Buffer_attach Buffer_detach
Wait Waitall Waitany Waitsome Test Testall Testany Testsome Request_free Request_get_status Cancel
Comm_rank Comm_size Comm_dup Comm_dup_with_info Comm_idup Comm_idup_with_info Comm_split Comm_split_type Comm_create
Comm_create_group Comm_free Comm_disconnect Comm_compare Comm_group Comm_test_inter Comm_get_name Comm_set_name
Comm_get_info Comm_set_info Comm_get_parent Group_rank
Comm_create_keyval Comm_free_keyval Comm_set_attr Comm_get_attr Comm_delete_attr
Keyval_create Keyval_free Attr_put Attr_get Attr_delete
Comm_create_errhandler Comm_set_errhandler Comm_get_errhandler Comm_call_errhandler Errhandler_free
Errhandler_create Errhandler_set Errhandler_get
Cart_create Cart_get Cart_rank Cart_coords Cart_shift Cart_sub Cart_map Cartdim_get Topo_test
Graph_create Graph_get Graph_map Graphdims_get Graph_neighbors Graph_neighbors_count
Dist_graph_create Dist_graph_create_adjacent Dist_graph_neighbors Dist_graph_neighbors_count
Type_create_struct Type_struct Type_get_contents Type_set_attr Type_delete_attr
Op_create Op_free Op_commutative Reduce_local
Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv Neighbor_alltoallw
Ineighbor_allgather Ineighbor_allgatherv Ineighbor_alltoall Ineighbor_alltoallv Ineighbor_alltoallw
""".split()

# Passed to the native MPI: they concern only this process, and objects that ranks share with it.
PASSED = """
Get_version Get_library_version Error_class Error_string Add_error_class Add_error_code Add_error_string
Alloc_mem Free_mem Get_address Address Aint_add Aint_diff Dims_create
Get_count Get_elements Get_elements_x Status_set_elements Status_set_elements_x Status_set_cancelled Test_cancelled
Status_c2f Status_f2c
Type_commit Type_contiguous Type_vector Type_indexed Type_create_hvector Type_create_hindexed
Type_create_indexed_block Type_create_hindexed_block Type_create_resized Type_create_subarray Type_create_darray
Type_dup Type_free Type_size Type_size_x Type_get_extent Type_get_extent_x Type_get_true_extent Type_get_true_extent_x
Type_get_envelope Type_get_name Type_set_name Type_match_size
Type_create_f90_complex Type_create_f90_integer Type_create_f90_real
Type_extent Type_hindexed Type_hvector Type_lb Type_ub
Type_create_keyval Type_free_keyval Type_get_attr
Type_contiguous_c Type_vector_c Type_indexed_c Type_create_hvector_c Type_create_hindexed_c Type_create_indexed_block_c
Type_create_hindexed_block_c Type_create_resized_c Type_create_subarray_c Type_create_darray_c Type_size_c
Type_get_extent_c Type_get_true_extent_c Get_count_c Get_elements_c Status_set_elements_c
Pack Unpack Pack_size Pack_external Unpack_external Pack_external_size
Group_size Group_incl Group_excl Group_range_incl Group_range_excl Group_union Group_intersection Group_difference
Group_translate_ranks Group_compare Group_free
Info_create Info_free Info_dup Info_set Info_get Info_get_valuelen Info_get_nkeys Info_get_nthkey Info_delete
Info_get_string Info_create_env Type_c2f Type_f2c Group_c2f Group_f2c Info_c2f Info_f2c
""".split()

# Functions in one MPI and macros in the other; also implemented by hand.
BY_HAND_OF = {"openmpi": "Comm_c2f Comm_f2c Request_c2f Request_f2c Op_c2f Op_f2c Errhandler_c2f Errhandler_f2c "
                         "Message_c2f Message_f2c".split(),
              "mpich": []}


# Whether the MPI takes device memory: ranks as threads serve host memory only.
NOT_SUPPORTED = ["MPIX_Query_cuda_support", "MPIX_Query_hip_support", "MPIX_Query_ze_support"]
# In <mpi>_internals.c.
BY_HAND_IN_STUB = ["MPIX_GPU_query_support"]


def is_implemented(mpi, name):
    """Implemented in src/actors, by hand or generated."""
    return name in BY_HAND or name in BY_HAND_OF[mpi] or name in collective_calls.ALL


def is_covered(mpi, name):
    return is_implemented(mpi, name) or name in PASSED
