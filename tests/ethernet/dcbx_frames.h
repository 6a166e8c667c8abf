// SPDX-License-Identifier: Apache-2.0
// LLDP frames octet by octet, FCS not among them, for the two who read them: the model and the driver.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir::ethernet {

using octet_list = std::vector<std::uint8_t>;

inline octet_list operator+(octet_list a, const octet_list& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

namespace dcbx_octets {

inline const octet_list header{0x01, 0x80, 0xc2, 0, 0, 0x0e, 2, 0, 0, 0, 0, 7, 0x88, 0xcc};
inline const octet_list chassis{2, 7, 4, 2, 0, 0, 0, 0, 7};
inline const octet_list port_id{4, 7, 3, 2, 0, 0, 0, 0, 7};
inline const octet_list ttl{6, 2, 0, 120};
inline const octet_list end{0, 0};
// 802.1's other subtypes, and another organization's.
inline const octet_list vlan{254, 6, 0x00, 0x80, 0xc2, 1, 0, 1};
inline const octet_list foreign{254, 5, 0x00, 0x12, 0x0f, 1, 0};
// Priorities {15,4,1,1,15,4,1,4}, shares {0,50,0,0,50,0,0,0}, selection {0,2,0,0,2,0,0,0}, not willing, 8 classes.
inline const octet_list ets_table{0xf4, 0x11, 0xf4, 0x14, 0, 50, 0, 0, 50, 0, 0, 0, 0, 2, 0, 0, 2, 0, 0, 0};
inline const octet_list ets = octet_list{254, 25, 0x00, 0x80, 0xc2, 9, 0} + ets_table;
inline const octet_list recommendation = octet_list{254, 25, 0x00, 0x80, 0xc2, 10, 0} + ets_table;
// Not willing, MBC 0, capability 4, priorities 2, 4 and 5.
inline const octet_list pfc_tlv{254, 6, 0x00, 0x80, 0xc2, 11, 0x04, 0x34};

inline octet_list frame_of(const octet_list& tlvs) {
    return header + chassis + port_id + ttl + tlvs + end;
}
/// With one octet changed.
inline octet_list with(octet_list tlv, std::size_t at, std::uint8_t value) {
    tlv[at] = value;
    return tlv;
}

struct bad_frame {
    std::string name;  ///< of the error
    octet_list octets;
};
inline std::vector<bad_frame> bad_frames() {
    const octet_list short_pfc{254, 5, 0x00, 0x80, 0xc2, 11, 0x04};
    const octet_list long_pfc{254, 7, 0x00, 0x80, 0xc2, 11, 0x04, 0x34, 0};
    const octet_list start = header + chassis + port_id + ttl;
    octet_list long_identifier{2 | 1, 1};  // 257 octets
    long_identifier.resize(2 + 257, 4);
    return {
        {"not_lldp", with(frame_of(pfc_tlv), 13, 0xcd)},
        {"not_lldp", with(frame_of(pfc_tlv), 5, 0x00)},
        {"truncated", start + pfc_tlv},
        {"truncated", start + octet_list{254, 200, 0x00, 0x80, 0xc2}},
        {"truncated", header},
        {"order", header + port_id + chassis + ttl + end},
        {"order", header + chassis + ttl + port_id + end},
        {"order", header + end},
        {"identifier", header + octet_list{2, 1, 4} + port_id + ttl + end},
        {"identifier", header + long_identifier + port_id + ttl + end},
        {"ttl_length", header + chassis + port_id + octet_list{6, 1, 120} + end},
        {"duplicate", frame_of(ttl)},
        {"duplicate", frame_of(pfc_tlv + pfc_tlv)},
        {"duplicate", frame_of(ets + ets)},
        {"duplicate", frame_of(recommendation + recommendation)},
        {"organization", frame_of({254, 3, 0x00, 0x80, 0xc2})},
        {"ets_length", frame_of(with(ets, 1, 24) + octet_list{})},
        {"ets_length", frame_of(octet_list{254, 6, 0x00, 0x80, 0xc2, 10, 0, 0})},
        {"ets_class", frame_of(with(ets, 7, 0x84))},
        {"ets_class", frame_of(with(ets, 10, 0x1e))},
        {"ets_percent", frame_of(with(ets, 12, 49))},
        {"ets_percent", frame_of(with(ets, 11, 101))},
        {"ets_percent", frame_of(with(recommendation, 12, 51))},
        {"ets_selection", frame_of(with(ets, 19, 3))},
        {"ets_selection", frame_of(with(ets, 26, 254))},
        {"pfc_length", frame_of(short_pfc)},
        {"pfc_length", frame_of(long_pfc)},
        {"pfc_capability", frame_of(with(pfc_tlv, 6, 9))},
        {"pfc_capability", frame_of(with(pfc_tlv, 6, 2))},  // three are enabled
    };
}

}  // namespace dcbx_octets
}  // namespace weir::ethernet
