#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/owned.h"
#include "base/result.h"
#include "platform/watch.h"

namespace procscope::linux_os {

FaultKind kind_of_errno(int code);

/// Bytes of a file or a link, or the errno and call that kept them away.
struct Bytes {
  std::string_view data;
  int code = 0;
  Call call = Call::kNone;
  /// More was there than the limit lets in.
  bool truncated = false;

  [[nodiscard]] bool ok() const { return code == 0; }
};

/// How a read knows that it has come to the end.
enum class Ending : uint8_t {
  /// The file is one record (stat, status, cmdline, environ, cgroup): the kernel fills the buffer
  /// while it has bytes, so a short read is the end. Asking once more would cost a tenth of a row.
  kShortRead,
  /// A file of many records may come in pieces (Documentation/filesystems/seq_file.rst).
  kEmptyRead,
};

/// Memory that reads of one thread share. Views into it hold until the next read.
class Buffer {
 public:
  explicit Buffer(size_t size = 1 << 16) : bytes_(size) {}

  /// Reads the file `name` below `directory` to its end, at most `limit` bytes. A file that may be
  /// long gets a `watch`, which is told of each piece.
  Bytes read_file(int directory, const char* name, size_t limit, Ending ending,
                  Watch* watch = nullptr);

  /// Gives back what one very large read needed.
  void shrink();

  /// Reads the link `name` below `directory`.
  Bytes read_link(int directory, const char* name);

 private:
  std::vector<char> bytes_;
};

/// Opens for reading what may be anything at all in a root that is no real /proc: never waits for
/// the writer of a pipe, never makes a terminal ours.
OwnedFd open_file(int directory, const char* name);

/// Appends every entry of the directory `name` below `directory` that is a number of a descriptor,
/// as the kernel lists them. Answers 0 or the errno.
int list_numbers(int directory, const char* name, std::vector<int32_t>& numbers);

/// The same for subdirectories whose name can be a pid.
int list_pids(int directory, const char* name, std::vector<int32_t>& pids);

/// Opens a directory for lookups only.
OwnedFd open_directory(int directory, const char* name);

}  // namespace procscope::linux_os
