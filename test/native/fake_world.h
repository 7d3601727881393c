#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace procscope {

/// When something last happened: the count of events, and the time.
struct WorldStamp {
  uint64_t event = 0;
  double time = 0;
};

/// A process of a world that a test moves by hand. Its texts begin with its start, so that what was
/// read of one process and told of another is found out.
struct WorldProcess {
  int32_t pid = 0;
  int32_t ppid = 0;
  uint64_t start = 0;
  double start_time = 0;
  uint64_t image = 1;
  char state = 'S';
  int32_t threads = 1;
  uint32_t uid = 0;
  std::string name;
  std::string argv;
  /// Ended (a zombie until it is reaped), and out of the table.
  bool ended = false;
  bool reaped = false;
  WorldStamp born;
  WorldStamp died;
  WorldStamp left;
  /// A program or name; a stop or another parent; other ids; other arguments of the same program.
  WorldStamp renamed;
  WorldStamp moved;
  WorldStamp owned;
  WorldStamp titled;
};

/// What the connector would tell.
struct WorldEvent {
  bool fork = false;
  int32_t pid = 0;
};

/// Processes and threads; ids are given out in a circle, as the kernel does. Times are
/// milliseconds.
class FakeWorld {
 public:
  explicit FakeWorld(int32_t most) : pid_max(most) { fork(0); }

  const int32_t pid_max;
  double now = 1e6;
  /// The wall clock against the one that is never set.
  double wall_ahead = 0;
  uint64_t events = 0;
  /// Ids given out, the last of them, and tasks in the table.
  uint64_t given = 0;
  int32_t last_pid = 0;
  int32_t tasks = 0;
  std::map<int32_t, std::shared_ptr<WorldProcess>> table;
  std::map<int32_t, int32_t> threads;
  std::vector<std::shared_ptr<WorldProcess>> all;
  std::vector<WorldEvent> told;
  bool listening = false;
  /// Called inside the calls of a reader and of a source of events: what happens in their middle.
  std::function<void()> meanwhile = [] {};
  bool list_fails = false;
  /// Asked for each look at the facts: true = it does not come to an end.
  std::function<bool(int32_t)> stalls = [](int32_t) { return false; };
  /// Asked for each held process: true = its end is told although it lives.
  std::function<bool()> told_wrongly = [] { return false; };

  /// The new pid; 0 = all are taken.
  int32_t fork(int32_t ppid) {
    const int32_t pid = next_pid();
    if (pid == 0) {
      return 0;
    }
    auto process = std::make_shared<WorldProcess>();
    process->pid = pid;
    process->ppid = ppid;
    process->start = ++starts_;
    process->start_time = now;
    if (const auto parent = table.find(ppid); parent != table.end()) {
      process->uid = parent->second->uid;
    }
    process->name = std::to_string(process->start) + ".forked";
    process->argv = process->name;
    process->born = stamp();
    table[pid] = process;
    all.push_back(process);
    ++tasks;
    tell({true, pid});
    return pid;
  }
  void exec(WorldProcess& process, bool renamed) {
    ++process.image;
    process.argv = std::to_string(process.start) + ".exec" + std::to_string(process.image);
    process.name = renamed ? process.argv : process.name;
    process.renamed = stamp();
    tell({false, process.pid});
  }
  void rename(WorldProcess& process) {
    process.name = std::to_string(process.start) + ".name" + std::to_string(events);
    process.renamed = stamp();
    tell({false, process.pid});
  }
  void retitle(WorldProcess& process) {
    process.argv = std::to_string(process.start) + ".title" + std::to_string(events);
    process.titled = stamp();
  }
  void stop_or_go(WorldProcess& process) {
    process.state = process.state == 'T' ? 'S' : 'T';
    process.moved = stamp();
  }
  void set_uid(WorldProcess& process) {
    ++process.uid;
    process.owned = stamp();
    tell({false, process.pid});
  }
  void end(WorldProcess& process) {
    std::erase_if(threads, [&](const auto& thread) {
      const bool own = thread.second == process.pid;
      tasks -= own ? 1 : 0;
      return own;
    });
    process.ended = true;
    process.state = 'Z';
    process.threads = 1;
    process.died = stamp();
    tell({false, process.pid});
    for (const auto& [pid, child] : table) {
      if (child->ppid == process.pid && !child->ended) {
        child->ppid = 1;
        child->moved = {events, now};
      }
    }
  }
  void reap(WorldProcess& process) {
    process.left = stamp();
    process.reaped = true;
    --tasks;
    table.erase(process.pid);
  }
  void start_thread(WorldProcess& process) {
    if (const int32_t tid = next_pid(); tid != 0) {
      ++events;
      threads[tid] = process.pid;
      ++process.threads;
      ++tasks;
    }
  }
  void end_thread(int32_t tid) {
    ++events;
    --table.at(threads.at(tid))->threads;
    threads.erase(tid);
    --tasks;
  }

  [[nodiscard]] std::shared_ptr<WorldProcess> find(int32_t pid) const {
    const auto it = table.find(pid);
    return it == table.end() ? nullptr : it->second;
  }

 private:
  WorldStamp stamp() { return {++events, now}; }
  void tell(WorldEvent event) {
    if (listening) {
      told.push_back(event);
    }
  }
  int32_t next_pid() {
    // Ids below this one are not given out a second time.
    constexpr int32_t kReserved = 2;
    int32_t pid = last_pid;
    for (int32_t tried = 0; tried < pid_max; ++tried) {
      pid = pid >= pid_max ? kReserved : pid + 1;
      if (!table.contains(pid) && !threads.contains(pid)) {
        last_pid = pid;
        ++given;
        return pid;
      }
    }
    return 0;
  }

  uint64_t starts_ = 0;
};

}  // namespace procscope
