# The installed package: find_package(Dyn) gives Dyn::Symbolic, Dyn::Dialects, Dyn::Transforms, Dyn::Pipelines,
# Dyn::Runtime and the libraries they consist of. With COMPONENTS it looks only for what those need: Runtime and
# SymbolicC for nothing, Symbolic for LLVM, all others for MLIR.
include(CMakePackageConfigHelpers)

# Names that users link, for groups of our libraries.
function(dyn_add_group name)
  add_library(Dyn${name} INTERFACE)
  target_link_libraries(Dyn${name} INTERFACE ${ARGN})
  set_target_properties(Dyn${name} PROPERTIES EXPORT_NAME ${name})
  add_library(Dyn::${name} ALIAS Dyn${name})
  install(TARGETS Dyn${name} EXPORT DynTargets)
endfunction()
dyn_add_group(Dialects DynDyn DynDynShape)
dyn_add_group(Transforms DynAnalysis DynDynTransforms DynShapes DynKernels DynMemory)

install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/dyn ${CMAKE_SOURCE_DIR}/include/dyn-c
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY ${CMAKE_BINARY_DIR}/include/dyn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.inc")

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Dyn)
configure_package_config_file(${CMAKE_SOURCE_DIR}/utils/cmake/DynConfig.cmake.in ${CMAKE_BINARY_DIR}/DynConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/DynConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/DynConfig.cmake ${CMAKE_BINARY_DIR}/DynConfigVersion.cmake DESTINATION ${package})
install(EXPORT DynTargets NAMESPACE Dyn:: DESTINATION ${package})
install(EXPORT DynRuntimeTargets NAMESPACE Dyn:: DESTINATION ${package})
install(EXPORT DynSymbolicCTargets NAMESPACE Dyn:: DESTINATION ${package})
