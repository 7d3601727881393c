#include "platform/linux/tasks.h"

#include <string>
#include <vector>

#include "platform/linux/io.h"

namespace procscope::linux_os {

OwnedFd open_living_task(int process, int32_t pid) {
  std::vector<int32_t> tasks;
  if (list_pids(process, "task", tasks) != 0) {
    return {};
  }
  Buffer buffer;
  for (const int32_t task : tasks) {
    if (task == pid) {
      continue;
    }
    OwnedFd directory = open_directory(process, ("task/" + std::to_string(task)).c_str());
    if (!directory.valid()) {
      continue;
    }
    // Who lives has a root, whether we may see it or not.
    const Bytes root = buffer.read_link(directory.get(), "root");
    if (root.ok() || kind_of_errno(root.code) != FaultKind::kGone) {
      return directory;
    }
  }
  return {};
}

}  // namespace procscope::linux_os
