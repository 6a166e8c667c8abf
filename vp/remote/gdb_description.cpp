// SPDX-License-Identifier: Apache-2.0
// target.xml for an RV32 core. CSR numbers: RISC-V manual, volume II (20211203), table 2.5.
#include "vp/remote/gdb_description.h"

#include "fmt/format.h"

namespace weir::vp::remote {

namespace {

constexpr const char* general_registers[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                             "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                             "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

struct named_csr {
    unsigned number;
    const char* name;
};

constexpr named_csr csrs[] = {
    {0x300, "mstatus"},   {0x301, "misa"},          {0x304, "mie"},      {0x305, "mtvec"},    {0x306, "mcounteren"},
    {0x310, "mstatush"},  {0x320, "mcountinhibit"}, {0x340, "mscratch"}, {0x341, "mepc"},     {0x342, "mcause"},
    {0x343, "mtval"},     {0x344, "mip"},           {0xb00, "mcycle"},   {0xb02, "minstret"}, {0xb80, "mcycleh"},
    {0xb82, "minstreth"}, {0xc00, "cycle"},         {0xc02, "instret"},  {0xc80, "cycleh"},   {0xc82, "instreth"},
    {0xf11, "mvendorid"}, {0xf12, "marchid"},       {0xf13, "mimpid"},   {0xf14, "mhartid"}};

}  // namespace

std::string gdb_description(gdb_target& target) {
    std::string xml =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n"
        "<architecture>riscv:rv32</architecture>\n<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
    unsigned number = 0;
    for (const char* const name : general_registers) {
        const char* const type = number == 1 ? "code_ptr" : number == 2 || number == 8 ? "data_ptr" : "int";
        xml += fmt::format("<reg name=\"{}\" bitsize=\"32\" type=\"{}\" regnum=\"{}\"/>\n", name, type, number++);
    }
    xml += fmt::format("<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\" regnum=\"{}\"/>\n</feature>\n", gdb_pc);
    xml += "<feature name=\"org.gnu.gdb.riscv.csr\">\n";
    for (const auto& c : csrs) {
        std::uint32_t ignored = 0;
        if (!target.read_csr(c.number, ignored)) continue;
        xml += fmt::format("<reg name=\"{}\" bitsize=\"32\" type=\"int\" regnum=\"{}\" group=\"csr\"/>\n", c.name,
                           gdb_first_csr + c.number);
    }
    return xml + "</feature>\n</target>\n";
}

}  // namespace weir::vp::remote
