// SPDX-License-Identifier: Apache-2.0
// Where the guest's console leads: what it prints goes out there, and what is typed there comes in.
//
//   print          standard output; nothing is typed (the default)
//   stdio          standard output and standard input
//   file:PATH      a file; nothing is typed
//   tcp:PORT       one client at a time on a TCP port of this machine (127.0.0.1); 0: any free one
//   pty            a pseudo-terminal, for screen or minicom
//   none           nowhere
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace weir::vp {

class console {
public:
    virtual ~console() = default;
    virtual void print(const char* text) = 0;
    /// Appends what was typed since the last call; waits for it when `wait`. False: nothing more will ever come.
    virtual bool read(std::string& typed, bool wait) = 0;
    /// Somebody may type.
    [[nodiscard]] virtual bool interactive() const = 0;
};

/// Opens what `where` says (see above). `tell` gets a line about a port or terminal that was opened. Throws
/// config_error.
[[nodiscard]] std::unique_ptr<console> open_console(const std::string& where,
                                                    const std::function<void(const std::string&)>& tell);

}  // namespace weir::vp
