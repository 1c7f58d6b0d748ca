# A library that is loaded into programs of others brings the C++ library with it, where that can be linked in (on some
# systems it is a package of its own, libstdc++-static). The program's may be older; and its own operator new, which C++
# lets it have, is for what it allocates itself. Static objects, those of the C++ library included, are never destroyed.
include(CheckCXXSourceCompiles)
function(tutti_check_own_cxx)
  set(CMAKE_POSITION_INDEPENDENT_CODE OFF)  # it would be that of a program
  set(CMAKE_REQUIRED_FLAGS -fPIC)
  set(CMAKE_REQUIRED_LINK_OPTIONS -shared -static-libstdc++)
  check_cxx_source_compiles("#include <string>\nstd::string text(int of) { return std::to_string(of); }\nint main() {}"
    TUTTI_HAS_STATIC_CXX)
  if(NOT TUTTI_HAS_STATIC_CXX)
    message(STATUS "no static C++ library: what is preloaded uses the program's, and its operator new")
  endif()
endfunction()
tutti_check_own_cxx()

function(tutti_own_cxx target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:tutti_never_destroyed>
    $<TARGET_OBJECTS:tutti_foreign_exceptions>)
  target_link_options(${target} PRIVATE -Wl,--wrap=__cxa_atexit)
  # Without what nothing in it uses (options.cmake).
  target_link_options(${target} PRIVATE $<$<CONFIG:Release>:-Wl,--gc-sections>)
  if(TUTTI_HAS_STATIC_CXX)
    target_link_options(${target} PRIVATE -static-libstdc++)
  endif()
endfunction()
