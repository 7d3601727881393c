#include "parse/net_unix.h"

#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view file = procscope::fuzz::text(data, size);
  procscope::NetUnix sockets(file);
  size_t count = 0;
  while (const auto socket = sockets.next()) {
    procscope::fuzz::require_inside(file, socket->path);
    ++count;
  }
  // No record is shorter than its numbers.
  procscope::fuzz::require(count * 13 <= size + 13);
  procscope::fuzz::require(!sockets.next());
  return 0;
}
