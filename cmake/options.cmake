# Compiler flags that every target of the project shares.
add_library(tutti_options INTERFACE)
target_compile_options(tutti_options INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers
  $<$<BOOL:${TUTTI_WERROR}>:-Werror>)
# In unity builds a room is one file. With a section for each function and object, the linker can nevertheless drop those
# that a library does not use (own_cxx.cmake).
target_compile_options(tutti_options INTERFACE "$<$<CONFIG:Release>:-ffunction-sections;-fdata-sections>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Dependencies and friends keep a view of an argument list for the length of one call.
  # gcc 12 sees overlapping memory in `"text" + std::string` where there is none (GCC bug 105651).
  target_compile_options(tutti_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-init-list-lifetime -Wno-restrict>)
endif()
if(TUTTI_SANITIZE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With sanitizers gcc 12 no longer sees which alternative a std::variant holds.
    target_compile_options(tutti_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
  endif()
  target_compile_options(tutti_options INTERFACE
    -fsanitize=${TUTTI_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tutti_options INTERFACE -fsanitize=${TUTTI_SANITIZE})
  # Every test program takes the sanitizers in: LLVM's linker needs a quarter of the time.
  find_program(TUTTI_LLD ld.lld)
  if(TUTTI_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_link_options(tutti_options INTERFACE -fuse-ld=lld)
  endif()
endif()
