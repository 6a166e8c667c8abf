// SPDX-License-Identifier: Apache-2.0
#include "vp/run/turning_point.h"

#include <utility>

#include "models/mmu/tap.h"
#include "models/port/tap.h"

namespace weir::vp {

/// Sees one chip, and pauses the run when the event comes.
class turning_point::watcher : public mmu::tap, public port::tap {
public:
    watcher(const turning_point& owner, platforms::machine& m, asic::switch_asic& chip)
        : owner_(owner), machine_(m), chip_(chip) {
        chip.memory().observe(*this);
        for (std::size_t p = 0; p < chip.ports(); ++p) chip.port(p).mac.observe(*this);
    }
    ~watcher() override {
        chip_.memory().forget(*this);
        for (std::size_t p = 0; p < chip_.ports(); ++p) chip_.port(p).mac.forget(*this);
    }
    watcher(const watcher&) = delete;
    watcher& operator=(const watcher&) = delete;

    void admitted(const mmu::arrival& /*a*/, mmu::cells /*size*/) override {
        const turn_request& wanted = owner_.request_;
        if (wanted.event == turn_event::occupancy && chip_.memory().used() > wanted.cells) pause();
    }
    void departed(std::uint16_t /*port*/, std::uint8_t /*queue*/, const mmu::queued_frame& f) override {
        if (f.frame->note.drop_reason != 0) dropped();
    }
    void judged(std::uint16_t /*port*/, std::uint8_t /*group*/, bool paused) override {
        if (paused && owner_.request_.event == turn_event::first_xoff) pause();
    }
    void received(const ethernet::frame& /*f*/, picoseconds /*now*/, mmu::drop_reason why) override {
        if (why != mmu::drop_reason::none) dropped();
    }
    void sent(const ethernet::frame& /*f*/, picoseconds /*now*/) override {}

private:
    void dropped() {
        if (owner_.request_.event == turn_event::first_drop) pause();
    }
    void pause() {
        if (!owner_.taken_ && machine_.time().now() >= owner_.origin_) machine_.time().pause();
    }

    const turning_point& owner_;
    platforms::machine& machine_;
    asic::switch_asic& chip_;
};

turning_point::turning_point(booted_machine& run, turn_request request, picoseconds origin, samplers& written)
    : run_(run), request_(std::move(request)), origin_(origin), written_(written) {
    if (request_.event == turn_event::time) return;
    platforms::machine& m = *run_.hardware;
    for (std::size_t s = 0; s < m.switches(); ++s) {
        watchers_.push_back(std::make_unique<watcher>(*this, m, m.chip(s)));
    }
}

turning_point::~turning_point() = default;

picoseconds turning_point::planned() const {
    return request_.event == turn_event::time && !taken_ ? origin_ + request_.at : never;
}

void turning_point::take() {
    taken_ = true;
    written_.flush();
    const turn_choice choice = request_.choose(run_.hardware->time().now() - origin_);
    if (!choice.output.empty()) written_.continue_in(choice.output);
    change_program(run_, choice.assignments, "--set");
}

}  // namespace weir::vp
