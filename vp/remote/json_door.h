// SPDX-License-Identifier: Apache-2.0
// The JSON door: one request a line, one reply a line, and events for those who subscribed. docs/remote.md has it all.
//
//   → {"id": 1, "command": "peek", "arguments": {"name": "pg.xoff[0][3]"}}
//   ← {"id":1,"ok":true,"result":{…}}
//   ← {"event":"stop","reason":"halt","time_ps":…}
//
// A client can hurt nobody but itself: what is no request, too long or nested too deeply ends its connection with one
// line that says why; so does not reading what was asked for.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "vp/remote/registry.h"
#include "vp/remote/run_control.h"
#include "vp/remote/stream.h"

namespace weir::vp::remote {

/// What one client may cost.
struct json_door_limits {
    std::size_t line_octets{64 * 1024};
    std::size_t nesting{32};
    std::size_t clients{8};
    std::size_t unread_octets{1024 * 1024};
};

class json_door : public door {
public:
    /// Takes clients from `where`. All references outlive it.
    json_door(const listener& where, const registry& commands, run_control& control,
              const json_door_limits& limits = {});
    ~json_door() override;

    void waits_for(std::vector<pollfd>& all) const override;
    void serve() override;

    [[nodiscard]] std::size_t clients() const { return clients_.size(); }
    /// Says goodbye and waits, a second at the longest, until the clients have it.
    void close();

private:
    struct client;
    void event(const std::string& name, const json& what);
    void accept();
    void read_from(client& c);
    void take_lines(client& c);
    void answer(client& c, const std::string& line);
    void push(client& c, const json& message);
    void flush(client& c);

    const listener& where_;
    const registry& commands_;
    run_control& control_;
    json_door_limits limits_;
    std::list<std::unique_ptr<client>> clients_;
};

}  // namespace weir::vp::remote
