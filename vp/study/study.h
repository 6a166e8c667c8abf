// SPDX-License-Identifier: Apache-2.0
// A study: one platform, what varies, how often each point is run, what is collected, and what must hold.
//
//   study.toml ──► load_study ──► study ──► study_points ──► runs, numbered point by point, seed by seed
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/timeline/time.h"
#include "platforms/config.h"
#include "vp/study/adversary.h"

namespace weir::vp {

/// A value as --set and --hw take it.
struct study_value {
    std::string text;
    bool number{false};  ///< it is one, and is written as one into tables
};

/// Something that varies: a value of the program ("xoff"), a hardware key ("switch.s0.ports.cable"), something about
/// the adversary ("adversary.frame"), or "seed".
struct study_parameter {
    std::vector<std::string> names;  ///< all are given the same value; the first is what tables call it
    std::string where;               ///< in the study's file
    std::vector<study_value> values;
    /// Without values: a range from which a Latin hypercube draws.
    double from{0};
    double to{0};
    bool whole{false};        ///< whole numbers only
    bool logarithmic{false};  ///< evenly spread over the logarithm
    std::string unit;         ///< put behind each drawn number: "m"

    [[nodiscard]] const std::string& name() const { return names.front(); }
    [[nodiscard]] bool varies_seed() const { return std::find(names.begin(), names.end(), "seed") != names.end(); }
};

enum class relation_kind : std::uint8_t { below, at_most, above, at_least, equals };

/// "below", … as the file has it.
[[nodiscard]] std::string_view relation_name(relation_kind relation);

struct study_constraint {
    std::string figure;
    relation_kind relation{relation_kind::at_most};
    double bound{0};

    /// A figure that a run does not have holds nothing.
    [[nodiscard]] bool holds(std::optional<double> value) const;
};

/// What `weir size` looks for.
struct size_question {
    std::string find;     ///< name of a program's value or hardware key
    bool smallest{true};  ///< or the greatest
    std::int64_t from{0};
    std::int64_t to{0};
    std::int64_t step{1};
    std::int64_t confirm{16};       ///< values, evenly spread, that are tried on either side of the answer
    std::vector<std::string> each;  ///< parameters of which every combination gets an answer of its own
    std::string headroom_of;        ///< "s0.1": what is looked for is that port's Headroom; empty: it is none
    std::string where;
};

struct study {
    std::string name;  ///< the file's, without folder and ending
    std::string file;
    std::string platform;               ///< paths, as the program can open them
    std::string workload;               ///< empty: the platform's own
    std::vector<std::string> program;   ///< NAME=VALUE for every run
    std::vector<std::string> hardware;  ///< KEY=VALUE for every run
    std::optional<picoseconds> until;
    std::optional<picoseconds> traffic_at;
    std::vector<std::uint64_t> seeds{1};
    std::vector<study_parameter> parameters;
    std::uint64_t drawn_points{0};  ///< of the Latin hypercube; 0: there is none, but a grid
    std::uint64_t drawn_seed{1};
    std::vector<std::string> figures;  ///< those of the constraints among them
    std::vector<std::string> figures_where;
    std::vector<study_constraint> constraints;
    std::optional<std::uint64_t> memory;  ///< octets, of all workers together
    std::optional<std::uint64_t> jobs;
    std::optional<adversary> against;  ///< runs are against an adversary instead of with the platform's workload
    std::string against_where;
    std::optional<size_question> size;
};

/// Reads and judges the file; what it names in the platform is judged by study_points. Throws config_error.
[[nodiscard]] study load_study(const std::string& path);

/// The same from text; relative paths start from the folder of `file`.
[[nodiscard]] study parse_study(std::string_view text, const std::string& file);

}  // namespace weir::vp
