// SPDX-License-Identifier: Apache-2.0
// The points of a study and its runs: which values each has, and the platform that they make.
//
// Points are numbered as a reader of the file would count: the last [[vary]] changes fastest. Runs are numbered point
// by point, seed by seed. Nothing is listed beforehand, so a million points cost nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vp/results/figures.h"
#include "vp/study/study.h"

namespace weir::vp {

/// As a shell has to be given it.
[[nodiscard]] std::string shell_word(const std::string& word);

class study_points {
public:
    /// Loads the platform of the first point, to judge every name that the study uses. Throws config_error. Keeps a
    /// reference to `of`.
    explicit study_points(const study& of);

    [[nodiscard]] const study& of() const { return of_; }
    [[nodiscard]] std::uint64_t points() const { return points_; }
    /// Points times seeds; never wraps.
    [[nodiscard]] std::uint64_t runs() const;

    /// The values of a point, one for each parameter of the study.
    [[nodiscard]] std::vector<study_value> values(std::uint64_t point) const;
    /// The seed of the nth of a point's runs.
    [[nodiscard]] std::uint64_t seed(std::uint64_t point, std::uint64_t nth) const;
    /// The platform of a point. `more`: "name=value" of one more parameter; empty: none.
    [[nodiscard]] platforms::platform_config load(std::uint64_t point, const std::string& more = {}) const;
    /// The adversary of a point. Precondition: the study has one. Throws config_error for one that makes no sense.
    [[nodiscard]] adversary against(std::uint64_t point, const platforms::platform_config& platform) const;
    /// "xoff=100 alpha=1/4", for messages; empty when nothing varies.
    [[nodiscard]] std::string text(std::uint64_t point) const;
    /// The arguments with which `weir run` does the same run.
    [[nodiscard]] std::string command(std::uint64_t point, std::uint64_t seed, const std::string& more = {}) const;

    [[nodiscard]] const std::vector<figure>& figures() const { return figures_; }
    [[nodiscard]] const std::string& platform_name() const { return platform_name_; }
    /// All values that a parameter takes, in the order of the points; a drawn one's by size.
    [[nodiscard]] std::vector<study_value> all_values(std::size_t parameter) const;

    /// Hex: the same for studies whose runs are the same, wherever their files stand. Constraints and limits have no
    /// part in it.
    [[nodiscard]] const std::string& digest() const { return digest_; }

private:
    [[nodiscard]] std::vector<std::string> assignments(std::uint64_t point, const std::string& more,
                                                       bool hardware) const;
    [[nodiscard]] platforms::platform_config load_first(const std::string& more) const;
    void check_adversary_names(const study_parameter& p) const;
    void read_figures(const platforms::platform_config& first);
    void make_digest(const platforms::platform_config& first);

    const study& of_;
    std::uint64_t points_{1};
    std::vector<std::vector<double>> shares_;  ///< of a Latin hypercube: for each parameter, for each point
    std::vector<figure> figures_;
    std::string platform_name_;
    std::string digest_;
};

}  // namespace weir::vp
