# SPDX-License-Identifier: MIT
# Libraries that read the files of others. Each is optional: without it mco says which package is missing where a file
# asks for it. MCO_<NAME> is AUTO (where it is found), ON (it must be there) or OFF.

# mco_format(NAME header library text [FOLDER]): sets MCO_HAVE_<NAME> and MCO_<NAME>_LIBRARY. Both may be in FOLDER of the usual places.
macro(mco_format name header library text)
  set(MCO_${name} "AUTO" CACHE STRING "${text}: AUTO (where it is found), ON or OFF")
  set(MCO_HAVE_${name} OFF)
  if(NOT MCO_${name} STREQUAL "OFF")
    find_path(MCO_${name}_INCLUDE ${header} PATH_SUFFIXES ${ARGN})
    find_library(MCO_${name}_LIBRARY NAMES ${library} PATH_SUFFIXES ${ARGN})
    mark_as_advanced(MCO_${name}_INCLUDE MCO_${name}_LIBRARY)
    if(MCO_${name}_INCLUDE AND MCO_${name}_LIBRARY)
      set(MCO_HAVE_${name} ON)
    elseif(MCO_${name} STREQUAL "ON")
      message(FATAL_ERROR "MCO_${name} is ON, but ${header} or lib${library} is not found")
    endif()
  endif()
endmacro()

mco_format(LIBZIP zip.h zip "Feeds of timetables in zip archives, by libzip")
mco_format(PROTOBUF protobuf-c/protobuf-c.h protobuf-c "Maps of OpenStreetMap in .osm.pbf, by protobuf-c")
mco_format(HDF5 hdf5.h hdf5 "Matrices of trips in .omx, by HDF5" hdf5/serial)

# The compiler of the messages belongs to protobuf-c, and the maps are compressed by zlib.
if(MCO_HAVE_PROTOBUF)
  find_program(MCO_PROTOC_C NAMES protoc-c)
  mark_as_advanced(MCO_PROTOC_C)
  if(NOT MCO_PROTOC_C OR NOT ZLIB_FOUND)
    if(MCO_PROTOBUF STREQUAL "ON")
      message(FATAL_ERROR "MCO_PROTOBUF is ON, but protoc-c or zlib is not found")
    endif()
    set(MCO_HAVE_PROTOBUF OFF)
  endif()
endif()
