#pragma once

#include <optional>
#include <string_view>

#include "model/socket.h"

namespace procscope {

/// One line of /proc/net/{tcp,udp,udplite,icmp,raw} or of the same files with a 6 at the end
/// (proc_net(5) and Documentation/networking/proc_net_tcp.rst). Nothing for the heading and for
/// what is not of this form.
///
/// The file does not tell the interface, nor how long the queue of a listening socket may be; its
/// timers are in hundredths of a second (USER_HZ, 100 on every system that Linux is built for).
std::optional<ParsedSocket> parse_net_inet(std::string_view line, SocketKind kind,
                                           SocketFamily family);

/// Whether two ends say that nobody is there: no address and no port.
bool has_no_remote(const ParsedSocket& socket);

}  // namespace procscope
