# SPDX-License-Identifier: MIT
include(CMakePackageConfigHelpers)
install(TARGETS mco EXPORT mcoTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS mco_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/mco DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT mcoTargets NAMESPACE mco:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mco)
configure_package_config_file(cmake/mcoConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/mcoConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mco)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/mcoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
# From the folder of mco.pc back to the prefix: three steps where Debian puts an architecture in the path.
file(RELATIVE_PATH MCO_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/mco.pc.in ${CMAKE_CURRENT_BINARY_DIR}/mco.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/mcoConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/mcoConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mco)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/mco.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
