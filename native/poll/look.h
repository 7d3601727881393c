#pragma once

#include <chrono>
#include <vector>

#include "platform/files.h"

namespace procscope {

/// Answers the requests in order on reader threads, waiting no longer than the deadline for any
/// call that does not return. After one request of a group hung, the rest of that group is answered
/// with a `timeout` fault at once: they are thought to lie on the same file system.
std::vector<FileAnswer> look_at_files(std::vector<FileRequest> requests,
                                      std::chrono::milliseconds deadline);

}  // namespace procscope
