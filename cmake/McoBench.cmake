# SPDX-License-Identifier: MIT
# Programs of bench/: built by name only, beside `mco`.

# mco_bench(NAME SOURCES...): one program on the library's inner functions. Call it for a program on a GPU only where CUDA is.
function(mco_bench name)
  add_executable(${name} EXCLUDE_FROM_ALL ${ARGN})
  mco_own(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  if(MCO_HAVE_CUDA)
    target_compile_definitions(${name} PRIVATE MCO_HAVE_CUDA)
  endif()
  target_link_libraries(${name} PRIVATE mco_internal)
endfunction()

# mco_benches(): every bench_*.c of the folder is a program; those on a GPU end with _gpu.
function(mco_benches)
  file(GLOB programs CONFIGURE_DEPENDS bench_*.c)
  if(NOT MCO_HAVE_CUDA)
    list(FILTER programs EXCLUDE REGEX "_gpu\\.c$")
  endif()
  foreach(file ${programs})
    get_filename_component(name ${file} NAME_WE)
    mco_bench(${name} ${file})
  endforeach()
endfunction()
