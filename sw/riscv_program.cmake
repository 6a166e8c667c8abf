# SPDX-License-Identifier: Apache-2.0
# Programs for the RISC-V core: the cross compiler, its flags, and functions that compile and link.
find_program(RISCV_CC riscv64-unknown-elf-gcc)
find_program(RISCV_AR riscv64-unknown-elf-ar)
find_program(RISCV_OBJCOPY riscv64-unknown-elf-objcopy)
if(NOT RISCV_CC OR NOT RISCV_AR OR NOT RISCV_OBJCOPY)
  message(FATAL_ERROR "riscv64-unknown-elf-gcc was not found. On Debian 12: apt-get install gcc-riscv64-unknown-elf "
    "picolibc-riscv64-unknown-elf (or run ./dev, which does it).")
endif()

# isa-spec 2.2 counts the CSR instructions to the base, as the names of the packaged libraries do
set(WEIR_RISCV_FLAGS --specs=picolibc.specs -march=rv32imac -misa-spec=2.2 -mabi=ilp32 -mcmodel=medlow -ffreestanding)
# frame pointers: a register trace tells from them which call an access came from
set(WEIR_RISCV_C_FLAGS -std=c11 -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -ffunction-sections
  -fdata-sections -Wall -Wextra -Wpedantic -Wshadow -Werror)

# weir_riscv_archive(NAME MAP SOURCE…): libNAME.a in this directory from C and assembly sources and the register header
# of MAP, a target NAME, and the variable NAME_FILE for the archive's path.
function(weir_riscv_archive name map)
  set(generated ${CMAKE_BINARY_DIR}/generated/${map})
  set(objects)
  foreach(source ${ARGN})
    file(RELATIVE_PATH stem ${CMAKE_SOURCE_DIR} ${source})
    string(MAKE_C_IDENTIFIER ${stem} stem)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/${stem}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${RISCV_CC} ${WEIR_RISCV_FLAGS} ${WEIR_RISCV_C_FLAGS} -I${CMAKE_SOURCE_DIR}
              -I${generated} -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
      DEPENDS ${source} ${generated}/weir_registers.h DEPFILE ${object}.d VERBATIM
      COMMENT "RISC-V: ${stem}")
    list(APPEND objects ${object})
  endforeach()
  set(archive ${CMAKE_CURRENT_BINARY_DIR}/lib${name}.a)
  add_custom_command(OUTPUT ${archive}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive} COMMAND ${RISCV_AR} rcs ${archive} ${objects}
    DEPENDS ${objects} VERBATIM COMMENT "RISC-V: lib${name}.a")
  add_custom_target(${name} DEPENDS ${archive})
  add_dependencies(${name} ${map}_generated)
  set_target_properties(${name} PROPERTIES WEIR_ARCHIVE ${archive})
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir)
endfunction()

# weir_riscv_program(NAME ARCHIVES… [WHOLE]): NAME.elf in this directory from archives made as above, all in the memory
# as sw/firmware/firmware.ld lays it out, and a target NAME_elf. WHOLE: functions that nothing calls stay too.
function(weir_riscv_program name)
  cmake_parse_arguments(program "WHOLE" "" "" ${ARGN})
  set(archives)
  foreach(archive ${program_UNPARSED_ARGUMENTS})
    get_target_property(file ${archive} WEIR_ARCHIVE)
    list(APPEND archives ${file})
  endforeach()
  set(collect -Wl,--gc-sections)
  if(program_WHOLE)
    set(collect -Wl,--no-gc-sections)
  endif()
  set(script ${CMAKE_SOURCE_DIR}/sw/firmware/firmware.ld)
  set(elf ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf)
  add_custom_command(OUTPUT ${elf}
    COMMAND ${RISCV_CC} ${WEIR_RISCV_FLAGS} -nostartfiles ${collect} -Wl,--no-warn-rwx-segments -T ${script}
            -Wl,--whole-archive ${archives} -Wl,--no-whole-archive -o ${elf}
    DEPENDS ${archives} ${script} VERBATIM COMMENT "RISC-V: ${name}.elf")
  add_custom_target(${name}_elf DEPENDS ${elf})
  add_dependencies(${name}_elf ${program_UNPARSED_ARGUMENTS})
endfunction()
