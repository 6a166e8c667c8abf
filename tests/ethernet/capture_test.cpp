// SPDX-License-Identifier: Apache-2.0
// Captures: files written by hand, round trips through our writer and through tshark, and files that are wrong.
#include <gmock/gmock.h>

#include "models/ethernet/capture_reader.h"
#include "models/ethernet/capture_writer.h"
#include "models/ethernet/mac_control.h"
#include "models/ethernet/rocev2.h"
#include "tests/ethernet/support.h"

namespace weir::ethernet {
namespace {

using ::testing::ElementsAre;
using testing::from_hex;
using ::testing::HasSubstr;
using testing::octet_string;
using testing::receive;
using testing::temporary_file;
using testing::to_hex;
using testing::tshark_fields;
namespace golden = testing::golden;

/// A pcap file, made octet by octet. Magic a1b2c3d4: microseconds, a1b23c4d: nanoseconds.
class pcap_file {
public:
    explicit pcap_file(std::uint32_t magic = 0xa1b2c3d4, bool big_endian = false, std::uint32_t link_type = 1)
        : big_endian_(big_endian) {
        put(magic, 4);
        put(2, 2);
        put(4, 2);
        put(0, 4);
        put(0, 4);
        put(262'144, 4);
        put(link_type, 4);
    }
    pcap_file& add(std::uint32_t seconds, std::uint32_t fraction, const octet_string& held, std::uint32_t length) {
        put(seconds, 4);
        put(fraction, 4);
        put(static_cast<std::uint32_t>(held.size()), 4);
        put(length, 4);
        octets.insert(octets.end(), held.begin(), held.end());
        return *this;
    }
    octet_string octets;

private:
    void put(std::uint32_t value, int count) {
        for (int i = 0; i < count; ++i) {
            octets.push_back(static_cast<std::uint8_t>(value >> (8 * (big_endian_ ? count - 1 - i : i))));
        }
    }
    bool big_endian_;
};

octet_string without_fcs(std::string_view hex) {
    octet_string octets = from_hex(hex);
    octets.resize(octets.size() - 4);
    return octets;
}

std::string error_of(const std::string& path, const capture_options& options = {}) {
    try {
        (void)read_capture(path, options);
    } catch (const capture_error& e) {
        const std::string text = e.what();
        EXPECT_EQ(text.find(path + ": "), 0U) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        return text.substr(path.size() + 2);
    }
    return "no error";
}

TEST(capture_reader, reads_microseconds_and_nanoseconds_in_either_byte_order) {
    for (const bool nano : {false, true}) {
        for (const bool big : {false, true}) {
            const temporary_file file(".pcap");
            pcap_file pcap(nano ? 0xa1b23c4d : 0xa1b2c3d4, big);
            const octet_string body = without_fcs(golden::pfc_xoff_c3_ffff);
            pcap.add(1'700'000'000, 999'999, body, 60).add(1'700'000'001, 1, body, 60);
            file.write(pcap.octets);
            const capture got = read_capture(file.path());
            ASSERT_EQ(got.frames.size(), 2U);
            EXPECT_EQ(got.frames[0].time, picoseconds{0});
            EXPECT_EQ(got.frames[1].time, nano ? nanoseconds(999'000'002) : nanoseconds(2'000));
            EXPECT_EQ(got.origin_ns, 1'700'000'000'000'000'000 + (nano ? 999'999 : 999'999'000));
            EXPECT_EQ(got.frames[1].wire_length, 64U);
            frame f;
            got.frames[1].fill(f);
            EXPECT_EQ(to_hex(f.wire_octets()), golden::pfc_xoff_c3_ffff);
        }
    }
}

TEST(capture_reader, pads_a_frame_that_was_caught_before_its_mac_padded_it) {
    const temporary_file file(".pcap");
    file.write(
        pcap_file().add(0, 0, without_fcs(golden::pfc_xoff_c3_ffff), 60).add(0, 0, octet_string(42, 1), 42).octets);
    EXPECT_EQ(read_capture(file.path()).frames[1].wire_length, 64U);
}

TEST(capture_reader, keeps_the_length_of_a_frame_that_was_cut_short) {
    const temporary_file file(".pcap");
    file.write(pcap_file().add(0, 0, octet_string(96, 1), 1514).octets);
    const capture got = read_capture(file.path());
    EXPECT_EQ(got.frames[0].octets.size(), 96U);
    EXPECT_EQ(got.frames[0].wire_length, 1518U);
}

TEST(capture_reader, checks_the_fcs_when_told_that_it_is_there) {
    const temporary_file file(".pcap");
    file.write(pcap_file()
                   .add(0, 0, from_hex(golden::pfc_xoff_c3_ffff), 64)
                   .add(0, 0, from_hex(golden::pfc_bad_fcs), 64)
                   .add(0, 0, octet_string(40, 0), 40)
                   .octets);
    capture_options options;
    options.fcs_included = true;
    const capture got = read_capture(file.path(), options);
    EXPECT_TRUE(got.frames[0].fcs_good);
    EXPECT_FALSE(got.frames[1].fcs_good);
    EXPECT_EQ(got.frames[0].wire_length, 64U);
    EXPECT_EQ(got.frames[0].octets.size(), 60U);
    EXPECT_EQ(got.frames[2].wire_length, 40U) << "a runt with its FCS is a runt";
}

// Bits 26 and 28–31 of a pcap header's link type say that frames carry an FCS, and its length in pairs of octets.
TEST(capture_reader, believes_a_pcap_header_that_declares_the_fcs) {
    const temporary_file file(".pcap");
    file.write(pcap_file(0xa1b2c3d4, false, 0x24000001).add(0, 0, from_hex(golden::pfc_xon_c3), 64).octets);
    const capture got = read_capture(file.path());
    EXPECT_TRUE(got.fcs_included);
    EXPECT_EQ(got.frames[0].wire_length, 64U);
}

TEST(capture_reader, says_what_is_wrong_with_a_file) {
    EXPECT_EQ(error_of("/nonexistent/a.pcap"), "cannot be opened: No such file or directory");

    const temporary_file file(".pcap");
    file.write({});
    EXPECT_EQ(error_of(file.path()), "is empty: a capture starts with a pcap or pcapng header");
    file.write(from_hex("7f454c46020101000000000000000000"));
    EXPECT_EQ(error_of(file.path()), "is not a capture: it starts neither as pcap nor as pcapng");
    file.write(pcap_file().octets);
    EXPECT_EQ(error_of(file.path()), "holds no frames");
    file.write(pcap_file(0xa1b2c3d4, false, 105).add(0, 0, octet_string(60, 0), 60).octets);
    EXPECT_EQ(error_of(file.path()), "has link type IEEE802_11; only Ethernet (EN10MB) can be replayed");
    octet_string short_header = pcap_file().octets;
    short_header.resize(10);
    file.write(short_header);
    EXPECT_THAT(error_of(file.path()), HasSubstr("has no readable capture header"));
}

TEST(capture_reader, says_where_a_file_is_truncated) {
    const temporary_file file(".pcap");
    octet_string octets = pcap_file().add(0, 0, octet_string(60, 0), 60).add(0, 0, octet_string(60, 0), 60).octets;
    ASSERT_EQ(octets.size(), 24U + 2 * 76U);
    octets.resize(octets.size() - 1);
    file.write(octets);
    EXPECT_EQ(error_of(file.path()), "is truncated in frame 2, which starts at octet 100: the file ends inside it");
    octets.resize(108);  // within the frame's header
    file.write(octets);
    EXPECT_EQ(error_of(file.path()), "is truncated in frame 2, which starts at octet 100: the file ends inside it");
    octets.resize(100);  // exactly between two frames: whole
    file.write(octets);
    EXPECT_EQ(error_of(file.path()), "no error");
}

TEST(capture_reader, refuses_frames_longer_than_16000_octets) {
    const temporary_file file(".pcap");
    file.write(pcap_file().add(0, 0, octet_string(60, 0), 15'996).octets);
    EXPECT_EQ(error_of(file.path()), "no error");
    file.write(pcap_file().add(0, 0, octet_string(60, 0), 60).add(0, 0, octet_string(60, 0), 15'997).octets);
    EXPECT_EQ(error_of(file.path()), "frame 2 is 16001 octets long with its FCS; 16000 is the longest");
}

/// Writes the frames that a test captures: PFC, a marked data frame, one with a bad FCS.
void write_sample(const std::string& path, std::uint32_t snap = 0) {
    capture_writer out(path, {{"s0.0", "switch s0, port 0", *data_rate::from_name("400G")}, {"s0.1", "", {}}}, snap);
    frame f;
    build_pfc(f, {0, 1, 2, 3, 4, 5}, 0x28, {0, 0, 0, 0xffff, 0, 7});
    out.write(0, picoseconds{1'000'000'000'001}, f, capture_direction::outbound);
    udp_path path_of_data;
    path_of_data.dscp = 24;
    path_of_data.congestion = ecn::ect0;
    build_rocev2(f, path_of_data, bth{}, 4096);
    f.mark_congestion_experienced();
    out.write(1, picoseconds{1'000'000'083'000}, f, capture_direction::inbound, "marked: queue 3 of port 1");
    build_pause(f, {0, 1, 2, 3, 4, 5}, 1);
    f.fcs_good = false;
    out.write(0, picoseconds{1'000'000'090'000}, f);
    EXPECT_EQ(out.frames(), 3U);
    out.close();
}

TEST(capture_writer, is_read_back_by_our_reader) {
    const temporary_file file(".pcapng");
    write_sample(file.path());
    const capture got = read_capture(file.path());
    EXPECT_TRUE(got.fcs_included) << "if_fcslen says so";
    ASSERT_EQ(got.frames.size(), 3U);
    EXPECT_EQ(got.frames[0].wire_length, 64U);
    EXPECT_EQ(got.frames[1].wire_length, 4158U);
    EXPECT_EQ(got.frames[1].time, nanoseconds(83));
    EXPECT_TRUE(got.frames[1].fcs_good);
    EXPECT_FALSE(got.frames[2].fcs_good);
    frame f;
    got.frames[0].fill(f);
    EXPECT_EQ(parse_mac_control(f).vector, 0x28);
}

TEST(capture_writer, opens_in_tshark_with_vector_times_and_comments) {
    const temporary_file file(".pcapng");
    write_sample(file.path());
    EXPECT_THAT(tshark_fields(file.path(),
                              "frame.number frame.time_epoch frame.len frame.interface_name eth.fcs.status macc.opcode "
                              "macc.cbfc.enbv.c3 macc.cbfc.enbv.c4 macc.cbfc.enbv.c5 macc.cbfc.pause_time.c3 "
                              "macc.cbfc.pause_time.c5 infiniband.bth.opcode ip.dsfield.ecn frame.comment"),
                ElementsAre("1 1.000000000 64 s0.0 1 0x0101 1 0 1 65535 7   ",
                            "2 1.000000083 4158 s0.1 1       4 3 marked: queue 3 of port 1",
                            "3 1.000000090 64 s0.0 0 0x0001        "));
}

TEST(capture_writer, keeps_the_original_length_beside_a_snapped_frame) {
    const temporary_file file(".pcapng");
    write_sample(file.path(), 96);
    EXPECT_THAT(tshark_fields(file.path(), "frame.len frame.cap_len"), ElementsAre("64 64", "4158 96", "64 64"));
    const capture got = read_capture(file.path());
    EXPECT_EQ(got.frames[1].wire_length, 4158U);
    EXPECT_EQ(got.frames[1].octets.size(), 96U);
}

// All twelve golden frames written by us and read by tshark and by our reader give the same octets.
TEST(capture_writer, carries_the_golden_frames_unchanged) {
    const std::vector<std::string_view> all{golden::pfc_xoff_c3_ffff,
                                            golden::pfc_xon_c3,
                                            golden::pfc_c0_4321_c5_1234,
                                            golden::pfc_all8_ffff,
                                            golden::pfc_vector_zero,
                                            golden::pfc_disabled_but_timed_c3,
                                            golden::pfc_reserved_hi_byte,
                                            golden::pfc_tagged_vid0_pcp7,
                                            golden::pause_ffff,
                                            golden::pause_xon,
                                            golden::pfc_bad_da};
    const temporary_file file(".pcapng");
    capture_writer out(file.path(), {{"p", "", {}}});
    for (const auto hex : all) {
        frame f;
        receive(f, from_hex(hex));
        out.write(0, picoseconds{0}, f);
    }
    out.close();
    const capture got = read_capture(file.path());
    ASSERT_EQ(got.frames.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        frame f;
        got.frames[i].fill(f);
        EXPECT_EQ(to_hex(f.wire_octets()), all[i]);
        EXPECT_TRUE(f.fcs_good);
    }
    EXPECT_THAT(tshark_fields(file.path(), "eth.fcs.status"), ::testing::Each("1"));
}

// A disk that fills up while frames are written: `write` goes through the simulator, which takes an exception for a
// defect, so `close` tells.
TEST(capture_writer, says_at_the_end_when_the_disk_was_full) {
    capture_writer out("/dev/full", {{"p", "", {}}});
    frame f;
    f.length = 1518;
    for (int i = 0; i < 1'000; ++i) EXPECT_NO_THROW(out.write(0, picoseconds{i}, f));
    try {
        out.close();
        FAIL() << "a full disk went unnoticed";
    } catch (const capture_write_error& e) {
        EXPECT_STREQ(e.what(), "/dev/full: cannot be written: No space left on device");
    }
}

TEST(capture_writer, says_when_it_cannot_write) {
    EXPECT_THROW(capture_writer("/nonexistent/a.pcapng", {}), capture_write_error);
    try {
        capture_writer out("/dev/full", {{"p", "", {}}});
        out.close();
        FAIL() << "a full disk went unnoticed";
    } catch (const capture_write_error& e) {
        EXPECT_STREQ(e.what(), "/dev/full: cannot be written: No space left on device");
    }
}

}  // namespace
}  // namespace weir::ethernet
