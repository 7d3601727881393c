#pragma once

#include <cstdint>

namespace procscope::linux_os {

/// What stat(2) says of a file, as the kernel has it at hand.
struct FileFacts {
  uint64_t dev = 0;
  uint64_t ino = 0;
  uint64_t rdev = 0;
  uint64_t size = 0;
  uint64_t nlink = 0;
  uint32_t mode = 0;
};

/// Follows `name` below `directory` and asks for its facts without asking the file system's server
/// again (AT_STATX_DONT_SYNC of statx(2)): what identifies a file does not change, and a FUSE
/// server that no longer answers is not waited for. A walk over a network file system may still
/// wait. Answers 0 or the errno.
int file_facts(int directory, const char* name, FileFacts& facts);

}  // namespace procscope::linux_os
