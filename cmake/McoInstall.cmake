# SPDX-License-Identifier: MIT
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
list(TRANSFORM MCO_LIBRARIES PREPEND mco_ OUTPUT_VARIABLE libraries)
install(TARGETS ${libraries} EXPORT mcoTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(MCO_BUILD_COMMAND)
  install(TARGETS mco_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/mco)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mco DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT mcoTargets NAMESPACE mco:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mco)
configure_package_config_file(cmake/mcoConfig.cmake.in ${PROJECT_BINARY_DIR}/mcoConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mco)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mcoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mcoConfig.cmake ${PROJECT_BINARY_DIR}/mcoConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mco)
if(METIS_FOUND)  # CMake itself does not know how to find it
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mco)
endif()

# pkg-config. A program that takes the static library must also link what this uses. That is always so if there is no
# shared library, else with `pkg-config --static`.
set(uses "-lm -lpthread")
if(MCO_HAVE_CUDA)
  string(APPEND uses " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
endif()
if(ZLIB_FOUND)
  string(APPEND uses " -lz")
endif()
if(METIS_FOUND)
  string(APPEND uses " -lmetis")
endif()
set(MCO_PC_LIBS "")
set(MCO_PC_LIBS_PRIVATE "")
if(MCO_LIBRARIES STREQUAL "static")
  set(MCO_PC_LIBS ${uses})
elseif("static" IN_LIST MCO_LIBRARIES)
  set(MCO_PC_LIBS_PRIVATE ${uses})
endif()
# The way from the folder of mco.pc back to the prefix: three steps if Debian puts an architecture in the path.
file(RELATIVE_PATH MCO_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/mco.pc.in ${PROJECT_BINARY_DIR}/mco.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/mco.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
