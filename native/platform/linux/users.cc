#include "platform/linux/users.h"

#include <pwd.h>
#include <cerrno>

#include <chrono>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace procscope::linux_os {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kKeep = std::chrono::seconds(30);
constexpr size_t kMostUsers = 4096;
constexpr size_t kMostEntryBytes = 1 << 20;

struct Known {
  std::string name;
  Clock::time_point since;
};

class Users {
 public:
  bool find(uint32_t uid, Clock::time_point now, std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto it = known_.find(uid);
    if (it == known_.end() || now - it->second.since > kKeep) {
      return false;
    }
    name = it->second.name;
    return true;
  }

  void keep(uint32_t uid, Clock::time_point now, const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMostUsers) {
      known_.clear();
    }
    known_[uid] = {name, now};
  }

 private:
  std::mutex mutex_;
  std::unordered_map<uint32_t, Known> known_;
};

// Never destroyed: a reader thread may still be here while the process ends.
Users& users() {
  static auto* const instance = new Users;
  return *instance;
}

bool means_not_found(int code) {
  // getpwuid_r(3) lists these as what systems give for "no such user".
  return code == 0 || code == ENOENT || code == ESRCH || code == EBADF || code == EPERM;
}

}  // namespace

Result<std::string> user_name(uint32_t uid, Watch& watch) {
  const auto now = Clock::now();
  std::string name;
  if (users().find(uid, now, name)) {
    return name;
  }
  std::vector<char> space(1024);
  passwd entry{};
  passwd* found = nullptr;
  for (;;) {
    int code = 0;
    {
      const Waiting waiting(watch, BlockClass::kNameService);
      code = ::getpwuid_r(uid, &entry, space.data(), space.size(), &found);
    }
    if (found != nullptr) {
      name = entry.pw_name;
      break;
    }
    if (code == EINTR) {
      continue;
    }
    if (code == ERANGE && space.size() < kMostEntryBytes) {
      space.resize(space.size() * 4);
      continue;
    }
    if (!means_not_found(code)) {
      return Fault{FaultKind::kIo, code, Call::kGetpwuid, "uid " + std::to_string(uid)};
    }
    break;
  }
  users().keep(uid, now, name);
  return name;
}

}  // namespace procscope::linux_os
