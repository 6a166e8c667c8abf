// SPDX-License-Identifier: Apache-2.0
// What the generator exports: the SVD is XML with every register in it, the SystemRDL is balanced, bad files are
// refused.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "models/registers/map.h"

namespace weir::registers {
namespace {

std::string exported(const std::string& map_name, const std::string& file) {
    std::ifstream in(std::string(WEIR_BINARY_DIR) + "/generated/" + map_name + "/" + file);
    EXPECT_TRUE(in.good()) << map_name << "/" << file;
    return {std::istreambuf_iterator<char>(in), {}};
}

void count_registers(const boost::property_tree::ptree& tree, std::size_t& registers, std::size_t& actions) {
    for (const auto& [name, child] : tree) {
        if (name == "register") ++registers;
        if (name == "readAction") ++actions;
        count_registers(child, registers, actions);
    }
}

TEST(register_exports, the_svd_is_xml_with_every_register_and_its_read_actions) {
    for (const char* name : {"weir_map", "weir_second_map"}) {
        std::istringstream in(exported(name, "map.svd"));
        boost::property_tree::ptree tree;
        ASSERT_NO_THROW(boost::property_tree::read_xml(in, tree)) << name;
        std::size_t registers = 0;
        std::size_t actions = 0;
        count_registers(tree, registers, actions);
        EXPECT_EQ(registers, weir_map().register_count) << name;
        std::size_t expected = 0;
        for (std::uint32_t n = 0; n < weir_map().register_count; ++n)
            for (std::uint32_t f = 0; f < weir_map().registers[n].field_count; ++f)
                if (weir_map().registers[n].fields[f].onread != read_effect::none) ++expected;
        EXPECT_EQ(actions, expected) << name;
        EXPECT_GT(actions, 0u);
    }
}

TEST(register_exports, the_rdl_is_balanced_and_has_every_register) {
    const std::string text = exported("weir_map", "map.rdl");
    int depth = 0;
    bool quoted = false;
    std::size_t registers = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
        if (quoted) continue;
        if (text[i] == '{') ++depth;
        if (text[i] == '}') --depth;
        ASSERT_GE(depth, 0);
        if (text.compare(i, 5, "reg {") == 0) ++registers;
    }
    EXPECT_EQ(depth, 0);
    EXPECT_FALSE(quoted);
    EXPECT_EQ(registers, weir_map().register_count);
}

TEST(register_exports, the_reference_has_a_heading_and_prose_for_every_register) {
    const std::string text = exported("weir_map", "map.md");
    for (std::uint32_t n = 0; n < weir_map().register_count; ++n) {
        const register_descriptor& r = weir_map().registers[n];
        EXPECT_NE(text.find("### `" + std::string(r.block) + "." + std::string(r.name) + "` "), std::string::npos)
            << r.block << "." << r.name;
        EXPECT_FALSE(r.doc.empty()) << r.block << "." << r.name;
        for (std::uint32_t f = 0; f < r.field_count; ++f)
            EXPECT_FALSE(r.fields[f].doc.empty()) << r.name << "." << r.fields[f].name;
    }
}

class generator : public testing::Test {
protected:
    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("weir_generator_" + std::to_string(getpid()));

    void SetUp() override { std::filesystem::create_directories(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }

    /// Runs the generator on a map of one block with the given registers; its exit code, and what it said in `said`.
    int run(const std::string& registers, const std::string& overrides = "") {
        std::ofstream(folder / "a.regs.toml") << "[block]\nname = \"a\"\ndoc = \"A block.\"\n" << registers;
        std::ofstream(folder / "a.map.toml") << "[map]\nname = \"m\"\nmajor = 1\nminor = 0\n[dimensions]\nports = 4\n"
                                                "[[block]]\nname = \"a\"\nfile = \"a.regs.toml\"\nbase = 0\n"
                                             << overrides;
        const std::string command = "python3 " WEIR_SOURCE_DIR "/models/registers/generate.py " +
                                    (folder / "a.map.toml").string() + " " + (folder / "out").string() + " 2> " +
                                    (folder / "said").string();
        const int status = std::system(command.c_str());
        std::ifstream in(folder / "said");
        said = {std::istreambuf_iterator<char>(in), {}};
        return WEXITSTATUS(status);
    }
    std::string said;
};

constexpr const char* good =
    "[[register]]\nname = \"r\"\ndoc = \"R.\"\n[register.fields]\n"
    "x = { bits = \"3:0\", doc = \"X.\" }\n";

TEST_F(generator, accepts_a_small_map) {
    EXPECT_EQ(run(good), 0) << said;
}

TEST_F(generator, refuses_what_it_does_not_know_and_says_where) {
    EXPECT_EQ(run("[[register]]\nname = \"r\"\ndoc = \"R.\"\ncolour = 1\n[register.fields]\n"), 2);
    EXPECT_NE(said.find("a.regs.toml: register r: unknown key \"colour\""), std::string::npos) << said;
}

TEST_F(generator, refuses_fields_that_share_bits) {
    EXPECT_EQ(run(std::string(good) + "y = { bits = \"3\", doc = \"Y.\" }\n"), 2);
    EXPECT_NE(said.find("a.r.y shares bits"), std::string::npos) << said;
}

TEST_F(generator, refuses_a_field_that_leaves_its_register) {
    EXPECT_EQ(run(std::string(good) + "y = { bits = \"32:30\", doc = \"Y.\" }\n"), 2);
    EXPECT_NE(said.find("bits \"32:30\" do not lie in a register of 32 bits"), std::string::npos) << said;
}

TEST_F(generator, refuses_registers_that_stand_on_each_other) {
    EXPECT_EQ(run(std::string(good) + "[[register]]\nname = \"s\"\ndoc = \"S.\"\noffset = 0\n[register.fields]\n"), 2);
    EXPECT_NE(said.find("both stand at 0x0"), std::string::npos) << said;
}

TEST_F(generator, refuses_an_override_of_nothing) {
    EXPECT_EQ(run(good, "[override.\"a.q\"]\noffset = 4\n"), 2);
    EXPECT_NE(said.find("override of \"a.q\", which is no register"), std::string::npos) << said;
}

}  // namespace
}  // namespace weir::registers
