# SPDX-License-Identifier: MIT
# The libraries, all made of the same objects. mco_static and mco_shared show only the public functions; mco::mco is one
# of them. mco_internal shows everything and is not installed. The command, the tests and the benchmarks are linked with
# it.
get_property(object_libraries GLOBAL PROPERTY MCO_OBJECT_LIBRARIES)
list(TRANSFORM object_libraries REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
set(system_libraries Threads::Threads m ${CMAKE_DL_LIBS})
if(ZLIB_FOUND)
  list(APPEND system_libraries ZLIB::ZLIB)
endif()
if(METIS_FOUND)
  list(APPEND system_libraries METIS::METIS)
endif()
if(MCO_HAVE_PROTOBUF)
  list(APPEND system_libraries ${MCO_PROTOBUF_LIBRARY})
endif()
if(MCO_HAVE_CUDA)
  # The kernels and their launchers are compiled as C++, without its runtime library.
  list(APPEND system_libraries CUDA::cudart_static)
endif()

add_library(mco_internal STATIC EXCLUDE_FROM_ALL ${objects})
set_target_properties(mco_internal PROPERTIES LINKER_LANGUAGE C)
target_link_libraries(mco_internal PUBLIC ${system_libraries})

if("static" IN_LIST MCO_LIBRARIES)
  # All objects become one, in which hidden symbols are local, so that they cannot clash with symbols of a program.
  # Objects of a sanitizer or of LTO cannot be combined so. For them, and without objcopy, the archive holds the plain
  # objects.
  if(NOT CMAKE_OBJCOPY OR MCO_SANITIZE OR MCO_FUZZ OR CMAKE_INTERPROCEDURAL_OPTIMIZATION
     OR CMAKE_C_FLAGS MATCHES "-flto|-fsanitize")
    add_library(mco_static STATIC ${objects})
  else()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/combined/$<CONFIG>)
    separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS}")
    add_custom_command(OUTPUT ${folder}/mco.o
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${CMAKE_C_COMPILER} ${flags} -r -nostdlib -o ${folder}/mco.o
              -Wl,--whole-archive $<TARGET_FILE:mco_internal> -Wl,--no-whole-archive
      COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${folder}/mco.o
      DEPENDS mco_internal COMMENT "Combining the objects of the static library" VERBATIM)
    add_library(mco_static STATIC ${folder}/mco.o)
    set_target_properties(mco_static PROPERTIES MCO_IS_COMBINED ON)
  endif()
endif()

if("shared" IN_LIST MCO_LIBRARIES)
  # While the version is 0.x, its second number stands for an interface of its own: libmco.so.0.1. From 1.0 on, the
  # first does.
  set(soversion ${PROJECT_VERSION_MAJOR})
  if(soversion EQUAL 0)
    set(soversion 0.${PROJECT_VERSION_MINOR})
  endif()
  add_library(mco_shared SHARED ${objects})
  set_target_properties(mco_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${soversion}
                        LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/mco.map)
  target_link_libraries(mco_shared PRIVATE mco_options)
  # As needed: with kernels, CMake names the runtime library of C++ too.
  target_link_options(mco_shared PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/mco.map -Wl,--as-needed)
  if(NOT MCO_SANITIZE)  # a sanitizer's runtime may be only in the program
    target_link_options(mco_shared PRIVATE -Wl,--no-undefined)
  endif()
endif()

foreach(kind ${MCO_LIBRARIES})
  set_target_properties(mco_${kind} PROPERTIES OUTPUT_NAME mco EXPORT_NAME ${kind} LINKER_LANGUAGE C)
  target_include_directories(mco_${kind} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(mco_${kind} PRIVATE ${system_libraries})
  add_library(mco::${kind} ALIAS mco_${kind})
endforeach()
add_library(mco::mco ALIAS mco_${MCO_LIBRARY})
