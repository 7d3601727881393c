#include "poll/guard.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include "gate.h"
#include "poll/snapshot.h"

namespace procscope {

namespace {

using std::chrono::milliseconds;

/// Ten processes, some of whose reads wait at the gate.
class StallingReader final : public Reader {
 public:
  Gate gate;
  std::set<int32_t> argv_hangs;
  std::set<int32_t> exe_file_hangs;
  std::set<int32_t> all_hangs;
  std::set<int32_t> throws;
  bool prepare_hangs = false;
  int32_t count = 10;
  mutable std::atomic<int> hung_calls{0};

  FieldMask supported() const override { return kAllFields; }
  bool may_wait(FieldMask fields) const override { return fields != 0 || prepare_hangs; }
  Result<std::monostate> prepare(Watch& watch) override {
    if (prepare_hangs) {
      const Waiting waiting(watch, BlockClass::kFileSystem);
      hang();
    }
    return std::monostate{};
  }
  const std::string& boot_id() const override { return boot_id_; }
  Result<std::monostate> list(std::vector<int32_t>& pids, Watch&) const override {
    for (int32_t pid = 1; pid <= count; ++pid) {
      pids.push_back(pid);
    }
    return std::monostate{};
  }
  RowOutcome read(int32_t pid, const RowPlan& plan, RowDraft& draft, Watch& watch) const override {
    draft.start(pid);
    draft.put(Field::kName, &ProcessRow::name, "name" + std::to_string(pid));
    if (throws.contains(pid)) {
      throw std::bad_alloc();
    }
    if (all_hangs.contains(pid)) {
      hang();
    }
    step(Field::kArgv, BlockClass::kMemoryMap, argv_hangs.contains(pid), plan, draft, watch);
    step(Field::kExeFile, BlockClass::kFileSystem, exe_file_hangs.contains(pid), plan, draft,
         watch);
    return RowOutcome::kRow;
  }
  std::unique_ptr<KeptRow> keep(int32_t) const override { return std::make_unique<KeptRow>(); }
  RowOutcome glance(KeptRow&, FieldMask, Budget&, RowDraft&) const override {
    return RowOutcome::kVanished;
  }

  std::string path_of(int32_t, Field) const override { return {}; }

 private:
  void hang() const {
    hung_calls.fetch_add(1);
    const_cast<Gate&>(gate).wait();
  }
  void step(Field field, BlockClass c, bool hangs, const RowPlan& plan, RowDraft& draft,
            Watch& watch) const {
    if (plan.avoid.includes(c)) {
      draft.fail(bit(field), plan.avoid.why, Call::kRead, 0);
      return;
    }
    const Waiting waiting(watch, c);
    if (hangs) {
      hang();
    }
    draft.row.present |= bit(field);
  }

  std::string boot_id_ = "boot";
};

SnapshotRequest request(milliseconds deadline) {
  SnapshotRequest r;
  r.reader.root = "/fake";
  r.fields = mask_of(Field::kName, Field::kArgv, Field::kExeFile);
  r.deadline = deadline;
  return r;
}

bool has(const ProcessTable& table, int32_t pid, Field field) {
  return (table.rows.at(static_cast<size_t>(pid - 1)).present & bit(field)) != 0;
}

FaultKind fault_of(const ProcessTable& table, int32_t pid, Field field) {
  for (const RowFault& fault : table.row_faults) {
    if (table.rows.at(fault.row).pid == pid && fault.field == static_cast<uint8_t>(field)) {
      return fault.kind;
    }
  }
  return FaultKind::kNone;
}

}  // namespace

TEST_CASE("guard: nothing hangs, nothing is parked") {
  const auto reader = std::make_shared<StallingReader>();
  const ProcessTable table = take_snapshot(request(milliseconds(1000)), reader);
  CHECK(table.rows.size() == 10);
  CHECK(table.row_faults.empty());
  CHECK(table.boot_id == "boot");
  CHECK(parked_threads() == 0);
}

TEST_CASE("guard: one hung memory map costs that row's argv and no other row") {
  const auto reader = std::make_shared<StallingReader>();
  reader->argv_hangs = {4};
  const ProcessTable table = take_snapshot(request(milliseconds(1000)), reader);
  REQUIRE(table.rows.size() == 10);
  CHECK(fault_of(table, 4, Field::kArgv) == FaultKind::kTimeout);
  CHECK(table.text(table.rows[3].name) == "name4");
  for (const int32_t pid : {1, 2, 3, 5, 6, 7, 8, 9, 10}) {
    CHECK(has(table, pid, Field::kArgv));
    CHECK(has(table, pid, Field::kExeFile));
  }
  CHECK(parked_threads() == 1);
  reader->gate.open();
  wait_until_none_is_parked();
}

TEST_CASE("guard: a hung file system leaves the argv of the same row alone") {
  const auto reader = std::make_shared<StallingReader>();
  reader->exe_file_hangs = {1};
  const ProcessTable table = take_snapshot(request(milliseconds(1000)), reader);
  CHECK(has(table, 1, Field::kArgv));
  CHECK(fault_of(table, 1, Field::kExeFile) == FaultKind::kTimeout);
  reader->gate.open();
  wait_until_none_is_parked();
}

TEST_CASE("guard: the next look does not wait for what is known to hang") {
  const auto reader = std::make_shared<StallingReader>();
  reader->argv_hangs = {2};
  take_snapshot(request(milliseconds(1000)), reader);
  CHECK(reader->hung_calls == 1);
  for (int i = 0; i < 50; ++i) {
    const ProcessTable again = take_snapshot(request(milliseconds(1000)), reader);
    CHECK(fault_of(again, 2, Field::kArgv) == FaultKind::kTimeout);
    CHECK(has(again, 3, Field::kArgv));
  }
  CHECK(reader->hung_calls == 1);
  CHECK(parked_threads() == 1);
  reader->gate.open();
  wait_until_none_is_parked();
  reader->argv_hangs.clear();
  CHECK(has(take_snapshot(request(milliseconds(1000)), reader), 2, Field::kArgv));
}

TEST_CASE("guard: when the budget is spent, what cannot wait is still read for every row") {
  const auto reader = std::make_shared<StallingReader>();
  reader->count = 40;
  for (int32_t pid = 1; pid <= 40; ++pid) {
    reader->argv_hangs.insert(pid);
  }
  const ProcessTable table = take_snapshot(request(milliseconds(1000)), reader);
  REQUIRE(table.rows.size() == 40);
  for (const ProcessRow& row : table.rows) {
    CHECK(table.text(row.name) == "name" + std::to_string(row.pid));
    CHECK(fault_of(table, row.pid, Field::kArgv) != FaultKind::kNone);
  }
  CHECK(parked_threads() <= kMostParked);
  reader->gate.open();
  wait_until_none_is_parked();
}

TEST_CASE("guard: a call that was not known to wait is given up all the same") {
  const auto reader = std::make_shared<StallingReader>();
  reader->all_hangs = {3};
  const ProcessTable table = take_snapshot(request(milliseconds(1000)), reader);
  REQUIRE(table.rows.size() == 10);
  CHECK(fault_of(table, 3, Field::kName) == FaultKind::kTimeout);
  CHECK(has(table, 4, Field::kArgv));
  reader->gate.open();
  wait_until_none_is_parked();
}

TEST_CASE("guard: a process at which an unmarked call hangs is left out while it does") {
  const auto reader = std::make_shared<StallingReader>();
  reader->all_hangs = {3};
  for (int i = 0; i < 50; ++i) {
    const ProcessTable table = take_snapshot(request(milliseconds(1000)), reader);
    REQUIRE(table.rows.size() == 10);
    CHECK(fault_of(table, 3, Field::kName) == FaultKind::kTimeout);
    CHECK(has(table, 4, Field::kArgv));
  }
  CHECK(reader->hung_calls == 1);
  CHECK(parked_threads() == 1);
  reader->gate.open();
  wait_until_none_is_parked();
  CHECK(has(take_snapshot(request(milliseconds(1000)), reader), 3, Field::kName));
}

TEST_CASE("guard: when the answer is there, nobody else holds what the job keeps") {
  class Quick final : public Job {
   public:
    void run(Lease& lease) override {
      lease.commit([] {});
    }
    void give_up(BlockClass) override {}
    void stop_waiting(FaultKind) override {}
    void abandon(FaultKind) override {}
    std::string stuck_key(BlockClass) const override { return {}; }
  };
  for (int i = 0; i < 1000; ++i) {
    const auto job = std::make_shared<Quick>();
    run_guarded(job, milliseconds(60'000));
    REQUIRE(job.use_count() == 1);
  }
}

TEST_CASE("guard: a root that hangs is a failed table, not an empty one") {
  const auto reader = std::make_shared<StallingReader>();
  reader->prepare_hangs = true;
  const ProcessTable table = take_snapshot(request(milliseconds(1000)), reader);
  CHECK(table.rows.empty());
  REQUIRE(table.faults.size() == 1);
  CHECK(table.faults[0].kind == FaultKind::kTimeout);
  CHECK(table.faults[0].path == "/fake");
  reader->gate.open();
  wait_until_none_is_parked();
}

TEST_CASE("guard: a root that is known to hang is not asked again") {
  const auto reader = std::make_shared<StallingReader>();
  reader->prepare_hangs = true;
  for (int i = 0; i < 50; ++i) {
    const ProcessTable table = take_snapshot(request(milliseconds(1000)), reader);
    REQUIRE(table.faults.size() == 1);
    CHECK(table.faults[0].kind == FaultKind::kTimeout);
  }
  CHECK(reader->hung_calls == 1);
  CHECK(parked_threads() == 1);
  reader->gate.open();
  wait_until_none_is_parked();
}

TEST_CASE("guard: past the bound nothing is tried that can wait, and what cannot is still read") {
  std::vector<std::shared_ptr<StallingReader>> readers;
  while (parked_threads() < kMostParked) {
    readers.push_back(std::make_shared<StallingReader>());
    readers.back()->exe_file_hangs = {1};
    SnapshotRequest r = request(milliseconds(60));
    r.reader.root = "/bound" + std::to_string(readers.size());
    take_snapshot(r, readers.back());
  }
  const size_t bound = parked_threads();
  const auto last = std::make_shared<StallingReader>();
  last->exe_file_hangs = {1};
  for (int i = 0; i < 20; ++i) {
    const ProcessTable table = take_snapshot(request(milliseconds(1000)), last);
    REQUIRE(table.rows.size() == 10);
    CHECK(table.text(table.rows[9].name) == "name10");
    CHECK(fault_of(table, 1, Field::kExeFile) == FaultKind::kLimit);
  }
  CHECK(last->hung_calls == 0);
  CHECK(parked_threads() == bound);
  for (const auto& reader : readers) {
    reader->gate.open();
  }
  wait_until_none_is_parked();
  CHECK(fault_of(take_snapshot(request(milliseconds(1000)), std::make_shared<StallingReader>()), 1,
                 Field::kExeFile) == FaultKind::kNone);
}

TEST_CASE("guard: a reader that fails for want of memory costs its rows and not the program") {
  const auto reader = std::make_shared<StallingReader>();
  reader->throws = {3};
  const ProcessTable table = take_snapshot(request(milliseconds(1000)), reader);
  REQUIRE(table.rows.size() == 10);
  CHECK(has(table, 2, Field::kArgv));
  for (const int32_t pid : {3, 4, 10}) {
    CHECK(fault_of(table, pid, Field::kArgv) == FaultKind::kLimit);
  }
  CHECK(parked_threads() == 0);
}

TEST_CASE("guard: many at once, some of them hung") {
  std::vector<std::shared_ptr<StallingReader>> readers;
  std::vector<std::thread> threads;
  std::atomic<int> whole{0};
  for (int i = 0; i < 8; ++i) {
    readers.push_back(std::make_shared<StallingReader>());
    if (i % 2 == 0) {
      readers.back()->exe_file_hangs = {5};
    }
  }
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      SnapshotRequest r = request(milliseconds(1000));
      r.reader.root = "/fake" + std::to_string(i);
      const ProcessTable table = take_snapshot(r, readers[static_cast<size_t>(i)]);
      whole += table.rows.size() == 10 ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(whole == 8);
  for (const auto& reader : readers) {
    reader->gate.open();
  }
  wait_until_none_is_parked();
}

}  // namespace procscope
