#include "platform/linux/tasks.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "platform/linux/io.h"

namespace procscope::linux_os {

namespace {

/// Who lives has a root, whether we may see it or not.
bool lives(int task) {
  char target[1];
  return ::readlinkat(task, "root", target, sizeof target) >= 0 ||
         kind_of_errno(errno) != FaultKind::kGone;
}

}  // namespace

bool main_thread_ended(int process) { return !lives(process); }

OwnedFd open_living_task(int process, int32_t pid) {
  std::vector<int32_t> tasks;
  if (!main_thread_ended(process) || list_pids(process, "task", tasks) != 0) {
    return {};
  }
  for (const int32_t task : tasks) {
    if (task == pid) {
      continue;
    }
    OwnedFd directory = open_directory(process, ("task/" + std::to_string(task)).c_str());
    if (directory.valid() && lives(directory.get())) {
      return directory;
    }
  }
  return {};
}

}  // namespace procscope::linux_os
