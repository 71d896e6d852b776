# Helpers that give every target of the project the same form.
include(CMakeParseArguments)

# dyn_add_library(NAME sources... DEPENDS tablegen-targets... LINK libraries...)
# One static library, exported as Dyn::NAME without its `Dyn` prefix.
function(dyn_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  string(SUBSTRING ${name} 3 -1 export_name)
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${export_name})
  add_library(Dyn::${export_name} ALIAS ${name})
  install(TARGETS ${name} EXPORT DynTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# dyn_add_tool(NAME sources... LINK libraries...)
function(dyn_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  # The runtime lies beside the installed programs, LLVM and MLIR where they were found.
  set_target_properties(${name} PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}" INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# dyn_add_unit_test(NAME sources... LINK libraries...)   GoogleTest program in build/unit, run by test/unit/lit.cfg.py
function(dyn_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unit)
  set_property(GLOBAL APPEND PROPERTY DYN_UNIT_TESTS ${name})
endfunction()

# dyn_add_doc(NAME generator...)   build/docs/NAME.md from LLVM_TARGET_DEFINITIONS; target dyn-doc makes all of them
if(NOT TARGET dyn-doc)
  add_custom_target(dyn-doc)
endif()
function(dyn_add_doc name)
  set(output ${CMAKE_BINARY_DIR}/docs/${name}.md)
  set(input ${CMAKE_CURRENT_SOURCE_DIR}/${LLVM_TARGET_DEFINITIONS})
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/docs
    COMMAND mlir-tblgen ${ARGN} -I ${CMAKE_SOURCE_DIR}/include -I ${MLIR_INCLUDE_DIRS} ${input} -o ${output}
      -d ${output}.d
    DEPENDS ${input} DEPFILE ${output}.d
    COMMENT "Writing ${output}")
  string(MAKE_C_IDENTIFIER doc-${name} target)
  add_custom_target(${target} DEPENDS ${output})
  add_dependencies(dyn-doc ${target})
endfunction()
