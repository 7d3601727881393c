#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fake_world.h"
#include "platform/process_events.h"
#include "platform/reader.h"

namespace procscope {

/// The processes of a world as a reader sees them. What it keeps open answers for the process that
/// it was opened of, and for no other.
class WorldReader final : public Reader {
 public:
  WorldReader(FakeWorld& world, bool foreign) : world_(world), foreign_(foreign) {}

  FieldMask supported() const override { return kAllFields; }
  bool may_wait(FieldMask) const override { return foreign_; }
  Result<std::monostate> prepare(Watch&) override {
    ++prepared;
    return std::monostate{};
  }
  const std::string& boot_id() const override { return boot_id_; }

  Result<std::monostate> list(std::vector<int32_t>& pids, Watch&) const override {
    world_.meanwhile();
    if (world_.list_fails) {
      return Fault{FaultKind::kIo, 5, Call::kGetdents, "world"};
    }
    for (const auto& [pid, process] : world_.table) {
      pids.push_back(pid);
    }
    world_.meanwhile();
    return std::monostate{};
  }

  RowOutcome read(int32_t pid, const RowPlan& plan, RowDraft& draft, Watch&) const override {
    world_.meanwhile();
    draft.start(pid);
    const auto process = world_.find(pid);
    if (process == nullptr && !world_.threads.contains(pid)) {
      return RowOutcome::kVanished;
    }
    if (process == nullptr) {
      put_thread(pid, plan.fields, draft);
      return RowOutcome::kRow;
    }
    put_stat(*process, plan.fields, draft);
    draft.image = 0;
    const FieldMask facts = plan.fields & mask_of(Field::kArgv, Field::kUid);
    if (facts == 0) {
      return RowOutcome::kRow;
    }
    world_.meanwhile();
    if (world_.stalls(pid)) {
      draft.fail(facts, FaultKind::kTimeout, Call::kRead, 0);
    } else if (process->reaped) {
      draft.fail(facts, FaultKind::kGone, Call::kRead, 3);
    } else {
      draft.put(Field::kArgv, &ProcessRow::argv, process->ended ? "" : process->argv);
      draft.row.uid = process->uid;
      draft.row.present |= bit(Field::kUid);
    }
    return RowOutcome::kRow;
  }

  std::unique_ptr<KeptRow> keep(int32_t pid) const override { return std::make_unique<Kept>(pid); }

  RowOutcome glance(KeptRow& kept, FieldMask fields, Budget& budget,
                    RowDraft& draft) const override {
    world_.meanwhile();
    auto& row = static_cast<Kept&>(kept);
    draft.start(row.pid);
    const auto process = row.process != nullptr ? row.process : world_.find(row.pid);
    if (process == nullptr && world_.threads.contains(row.pid)) {
      put_thread(row.pid, fields, draft);
      return RowOutcome::kRow;
    }
    if (process == nullptr || process->reaped) {
      return RowOutcome::kVanished;
    }
    if (row.process == nullptr && row.share.take(budget)) {
      row.process = process;
    }
    put_stat(*process, fields, draft);
    return RowOutcome::kRow;
  }

  std::string path_of(int32_t, Field) const override { return {}; }

  int prepared = 0;

 private:
  struct Kept final : KeptRow {
    explicit Kept(int32_t id) : pid(id) {}
    const int32_t pid;
    Share share;
    std::shared_ptr<WorldProcess> process;
  };

  static void put_stat(const WorldProcess& process, FieldMask fields, RowDraft& draft) {
    ProcessRow& row = draft.row;
    row.ppid = process.ppid;
    row.start_key = process.start;
    row.start_time = process.start_time;
    row.state = static_cast<uint8_t>(process.state);
    row.threads = process.threads;
    row.present |= fields & kStatFields & ~bit(Field::kName);
    draft.put(Field::kName, &ProcessRow::name, process.name);
    draft.image = process.image;
  }
  /// A path also leads to a thread, although no list shows it.
  static void put_thread(int32_t tid, FieldMask fields, RowDraft& draft) {
    WorldProcess thread;
    thread.start = (uint64_t{1} << 40) + static_cast<uint64_t>(tid);
    thread.threads = 2;
    thread.name = "thread";
    put_stat(thread, fields, draft);
  }

  FakeWorld& world_;
  const bool foreign_;
  std::string boot_id_ = "boot";
};

/// Counter of ids and held processes.
class WorldPidfds final : public ProcessEvents {
 public:
  WorldPidfds(FakeWorld& world, Budget& budget) : world_(world), budget_(budget) {}

  EventSource source() const override { return EventSource::kPidfd; }
  void take(ProcessNews& news, double) override {
    news.clear();
    if (seen_) {
      const uint64_t given = world_.given - given_;
      news.after = last_pid_;
      news.upto = world_.last_pid;
      news.starts = given == 0 ? ProcessNews::Starts::kNone
                    : given < static_cast<uint64_t>(world_.pid_max) / 2
                        ? ProcessNews::Starts::kRange
                        : ProcessNews::Starts::kUnknown;
      news.others_may_have_ended = given != 0 || world_.tasks != tasks_;
    }
    seen_ = true;
    given_ = world_.given;
    last_pid_ = world_.last_pid;
    tasks_ = world_.tasks;
    world_.meanwhile();
    take_ended(news.ended);
    world_.meanwhile();
  }
  HoldOutcome hold(int32_t pid, std::unique_ptr<ProcessHold>& hold) override {
    world_.meanwhile();
    auto held = std::make_unique<Hold>(*this);
    if (!held->share.take(budget_)) {
      return HoldOutcome::kRefused;
    }
    held->process = world_.find(pid);
    if (held->process == nullptr) {
      return world_.threads.contains(pid) ? HoldOutcome::kThread : HoldOutcome::kGone;
    }
    hold = std::move(held);
    return HoldOutcome::kHeld;
  }
  void take_ended(std::vector<int32_t>& pids) override {
    for (const Hold* held : holds_) {
      if (held->process != nullptr && (held->process->ended || world_.told_wrongly())) {
        pids.push_back(held->process->pid);
      }
    }
  }

 private:
  struct Hold final : ProcessHold {
    explicit Hold(WorldPidfds& owner) : events(owner) { events.holds_.insert(this); }
    ~Hold() override { events.holds_.erase(this); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    WorldPidfds& events;
    Share share;
    std::shared_ptr<WorldProcess> process;
  };

  FakeWorld& world_;
  Budget& budget_;
  std::set<Hold*> holds_;
  bool seen_ = false;
  uint64_t given_ = 0;
  int32_t last_pid_ = 0;
  int32_t tasks_ = 0;
};

/// Named events, some of which may be lost.
class WorldConnector final : public ProcessEvents {
 public:
  explicit WorldConnector(FakeWorld& world) : world_(world) { world_.listening = true; }

  EventSource source() const override { return EventSource::kConnector; }
  void take(ProcessNews& news, double) override {
    constexpr size_t kRoom = 40;
    news.clear();
    const bool lost = world_.told.size() > kRoom;
    news.starts = lost ? ProcessNews::Starts::kUnknown : ProcessNews::Starts::kNamed;
    news.others_may_have_ended = lost;
    world_.told.resize(std::min(world_.told.size(), kRoom));
    for (const WorldEvent& event : world_.told) {
      (event.fork ? news.started : news.touched).push_back(event.pid);
    }
    world_.told.clear();
    world_.meanwhile();
  }
  HoldOutcome hold(int32_t, std::unique_ptr<ProcessHold>&) override {
    world_.meanwhile();
    return HoldOutcome::kTold;
  }
  void take_ended(std::vector<int32_t>&) override {}

 private:
  FakeWorld& world_;
};

}  // namespace procscope
