// SPDX-License-Identifier: Apache-2.0
#include "platforms/collectives.h"

#include <fmt/format.h>

#include "platforms/generated_flow.h"

namespace weir::platforms {
namespace {

/// Part `part` of `octets` in `parts` whole parts that differ by one octet at most.
std::uint64_t share(std::uint64_t octets, std::uint64_t part, std::uint64_t parts) {
    return octets / parts + (part < octets % parts ? 1 : 0);
}

class collective_maker {
public:
    collective_maker(std::vector<flow>& flows, const collective& what, std::vector<rank_progress>& progress,
                     const flow_template& make)
        : flows_(flows), what_(what), progress_(progress), make_(make), n_(what.ranks.size()) {}

    /// `first`: which part of the vector rank 0 sends first.
    void ring(std::size_t first) {
        for (std::size_t step = 0; step + 1 < n_; ++step) {
            std::vector<rank_progress> next(n_);
            for (std::size_t rank = 0; rank < n_; ++rank) {
                const std::size_t part = (rank + first + n_ - step) % n_;
                const std::size_t to = (rank + 1) % n_;
                next[to].after = {send(rank, to, share(what_.octets, part, n_), progress_[rank])};
            }
            progress_ = std::move(next);
        }
    }

    void all_to_all() {
        std::vector<rank_progress> next(n_);
        for (std::size_t rank = 0; rank < n_; ++rank) {
            for (std::size_t distance = 1; distance < n_; ++distance) {
                const std::size_t to = (rank + distance) % n_;
                next[to].after.push_back(send(rank, to, share(what_.octets, to, n_), progress_[rank]));
            }
        }
        progress_ = std::move(next);
    }

    /// A step begins at a rank when its own message of the step before and the one for it have arrived.
    void shifted_all_to_all() {
        std::vector<rank_progress> received(n_);
        for (std::size_t distance = 1; distance < n_; ++distance) {
            std::vector<rank_progress> next(n_);
            for (std::size_t rank = 0; rank < n_; ++rank) {
                const std::size_t to = (rank + distance) % n_;
                const std::uint32_t sent = send(rank, to, share(what_.octets, to, n_), progress_[rank]);
                next[rank].after.push_back(sent);
                next[to].after.push_back(sent);
                received[to].after.push_back(sent);
            }
            progress_ = std::move(next);
        }
        progress_ = std::move(received);
    }

    /// Rank i's children are 2i + 1 and 2i + 2.
    void tree() {
        const std::size_t pieces = what_.pieces;
        std::vector<std::vector<std::uint32_t>> up(n_);    // by child: its flows to its parent, a piece each
        std::vector<std::vector<std::uint32_t>> down(n_);  // by child: the flows that it gets
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            for (std::size_t rank = n_ - 1; rank > 0; --rank) {
                // The first piece is behind what the rank waits for, the others are behind the first.
                rank_progress ready = piece == 0 ? progress_[rank] : rank_progress{{up[rank][piece - 1]}, {}};
                add_children(ready, up, rank, piece);
                up[rank].push_back(send(rank, (rank - 1) / 2, share(what_.octets, piece, pieces), ready));
            }
            for (std::size_t rank = 1; rank < n_; ++rank) {
                const std::size_t parent = (rank - 1) / 2;
                rank_progress ready = parent == 0 && piece == 0 ? progress_[0] : rank_progress{};
                if (parent == 0) {
                    add_children(ready, up, 0, piece);
                } else {
                    ready.after.push_back(down[parent][piece]);
                }
                if (piece > 0) ready.after.push_back(down[rank][piece - 1]);
                down[rank].push_back(send(parent, rank, share(what_.octets, piece, pieces), ready));
            }
        }
        for (std::size_t rank = 1; rank < n_; ++rank) progress_[rank] = {down[rank], picoseconds{0}};
        progress_[0] = {up[1], picoseconds{0}};
        if (n_ > 2) progress_[0].after.insert(progress_[0].after.end(), up[2].begin(), up[2].end());
    }

private:
    void add_children(rank_progress& ready, const std::vector<std::vector<std::uint32_t>>& up, std::size_t rank,
                      std::size_t piece) const {
        for (const std::size_t child : {2 * rank + 1, 2 * rank + 2}) {
            if (child < n_) ready.after.push_back(up[child][piece]);
        }
    }

    std::uint32_t send(std::size_t from, std::size_t to, std::uint64_t octets, const rank_progress& ready) {
        flow made = make_(what_.ranks[from], what_.ranks[to]);
        made.octets = octets;
        made.after = ready.after;
        if (made.after.empty()) {
            made.start += ready.delay;
        } else {
            made.delay = ready.delay;
        }
        flows_.push_back(std::move(made));
        return static_cast<std::uint32_t>(flows_.size() - 1);
    }

    std::vector<flow>& flows_;
    const collective& what_;
    std::vector<rank_progress>& progress_;
    const flow_template& make_;
    std::size_t n_;
};

collective_kind kind_of(const workload_config& workload) {
    switch (workload.kind) {
        case workload_kind::tree_all_reduce:
            return collective_kind::tree_all_reduce;
        case workload_kind::all_gather:
            return collective_kind::all_gather;
        case workload_kind::reduce_scatter:
            return collective_kind::reduce_scatter;
        case workload_kind::all_to_all:
            return workload.exchange == exchange_kind::shifted ? collective_kind::shifted_all_to_all
                                                               : collective_kind::all_to_all;
        default:
            return collective_kind::ring_all_reduce;
    }
}

}  // namespace

void add_collective(std::vector<flow>& flows, const collective& what, std::vector<rank_progress>& progress,
                    const flow_template& make) {
    if (what.ranks.size() < 2) return;
    collective_maker maker(flows, what, progress, make);
    switch (what.kind) {
        case collective_kind::reduce_scatter:
            // Rank i gets the whole sum of part i last, so it sends part i − 1 first.
            return maker.ring(what.ranks.size() - 1);
        case collective_kind::all_gather:
            return maker.ring(0);
        case collective_kind::ring_all_reduce:
            maker.ring(what.ranks.size() - 1);
            return maker.ring(0);
        case collective_kind::tree_all_reduce:
            return maker.tree();
        case collective_kind::all_to_all:
            return maker.all_to_all();
        case collective_kind::shifted_all_to_all:
            return maker.shifted_all_to_all();
    }
}

std::uint64_t least_octets(const collective& what) {
    return what.kind == collective_kind::tree_all_reduce ? what.pieces : what.ranks.size();
}

std::vector<flow> make_collective(const platform_config& platform) {
    const workload_config& workload = platform.workload;
    collective what;
    what.kind = kind_of(workload);
    what.ranks = hosts_of(platform, "workload.ranks", workload.ranks);
    what.octets = workload.octets;
    what.pieces = workload.pieces;
    if (what.ranks.size() < 2) {
        throw config_error(
            platform.where(workload.ranks.empty() ? "workload.kind" : "workload.ranks"),
            fmt::format("a collective over {} host{}", what.ranks.size(), what.ranks.size() == 1 ? "" : "s"),
            "at least 2");
    }
    if (what.octets < least_octets(what)) {
        throw config_error(platform.where("workload.octets"),
                           fmt::format("octets {} are too few for {} parts", what.octets, least_octets(what)),
                           "at least 1 for each");
    }
    std::vector<flow> flows;
    std::vector<rank_progress> progress(what.ranks.size());
    add_collective(flows, what, progress, [&](std::uint32_t source, std::uint32_t destination) {
        return generated_flow(platform, source, destination);
    });
    return flows;
}

}  // namespace weir::platforms
