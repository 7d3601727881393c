#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "fake_machine.h"
#include "poll/follow.h"
#include "poll/follow_reads.h"
#include "poll/sampler.h"

namespace procscope {

namespace {

/// A root with one child; io of the child waits at the gate as long as it hangs.
struct Tree {
  FakeMachine machine;
  FakeProcess& root = machine.start(1, 0, 1);
  FakeProcess& child = machine.start(2, 1, 2);
  Follower follower{machine, {1, true, true, true}};
  double now = 0;

  SampleRow look() {
    SampleRow row;
    follower.look(now += 20, row, nullptr);
    return row;
  }
  void hang() { child.io_gate = std::make_shared<Gate>(); }
  /// Lets the reads go; returns when nobody reads any more.
  void let_go() {
    child.io_gate->open();
    wait_until_none_is_parked();
    child.io_gate = nullptr;
  }
};

bool has_io(const SampleRow& row) { return (row.present & bit(UsageField::kIo)) != 0; }

}  // namespace

TEST_CASE("follow: io that hangs costs its own numbers, one thread and one wait") {
  Tree tree;
  tree.look();
  tree.root.io.rchar = 10;
  tree.child.io.rchar = 5;
  CHECK(tree.look().read_chars == 15);
  tree.hang();
  tree.root.io.rchar = 20;
  tree.root.runtime = 30;
  const int reads = tree.child.io_reads;
  SampleRow row = tree.look();
  CHECK_FALSE(has_io(row));
  CHECK(row.read_chars == 25);
  CHECK(row.cpu == 30);
  CHECK(row.processes == 2);
  CHECK(tree.follower.fault().kind == FaultKind::kTimeout);
  // One thread for one target: its counters are not asked for either.
  CHECK(tree.follower.fault().path == "stat of the fake");
  CHECK(parked_threads() == 1);
  for (int i = 0; i < 50; ++i) {
    row = tree.look();
    CHECK_FALSE(has_io(row));
  }
  CHECK(tree.child.io_reads == reads + 1);
  CHECK(parked_threads() == 1);
  tree.let_go();
  tree.child.io.rchar = 105;
  row = tree.look();
  CHECK(has_io(row));
  CHECK(row.read_chars == 125);
}

TEST_CASE("follow: io that hung at the first look counts from the first numbers that came") {
  Tree tree;
  tree.child.io.rchar = 5000;
  tree.hang();
  CHECK_FALSE(has_io(tree.look()));
  tree.let_go();
  CHECK(tree.look().read_chars == 0);
  tree.child.io.rchar = 5001;
  CHECK(tree.look().read_chars == 1);
}

TEST_CASE("follow: of a child that started since, all counts, however late it comes") {
  Tree tree;
  tree.look();
  FakeProcess& late = tree.machine.start(3, 1, 2000);
  late.io.rchar = 70;
  late.io_gate = std::make_shared<Gate>();
  CHECK(tree.look().processes == 3);
  late.io_gate->open();
  wait_until_none_is_parked();
  late.io_gate = nullptr;
  CHECK(tree.look().read_chars == 70);
}

TEST_CASE("follow: an ended child is not counted twice by a parent whose io came late") {
  Tree tree;
  tree.look();
  tree.child.io.rchar = 100;
  CHECK(tree.look().read_chars == 100);
  tree.root.io_gate = std::make_shared<Gate>();
  tree.look();
  tree.machine.end(2, nullptr);
  for (int i = 0; i < 5; ++i) {
    CHECK(tree.look().read_chars == 100);
  }
  tree.root.io_gate->open();
  wait_until_none_is_parked();
  tree.root.io_gate = nullptr;
  tree.root.io.rchar = 103;
  CHECK(tree.look().read_chars == 103);
}

TEST_CASE("follow: as many as hang at once park a thread each, and the rest is read") {
  FakeMachine machine;
  machine.start(1, 0, 1);
  const auto gate = std::make_shared<Gate>();
  for (int32_t pid = 2; pid < 6; ++pid) {
    machine.start(pid, 1, 2).io_gate = gate;
  }
  FakeProcess& last = machine.start(6, 1, 2);
  Follower follower(machine, {1, true, true, true});
  double now = 0;
  SampleRow row;
  follower.look(now += 20, row, nullptr);
  last.io.wchar = 9;
  while (row.write_chars != 9) {
    follower.look(now += 20, row, nullptr);
  }
  CHECK(row.processes == 6);
  CHECK(parked_threads() == 4);
  gate->open();
  wait_until_none_is_parked();
}

TEST_CASE("follow: counters that hang cost their own numbers, and memory and time go on") {
  Tree tree;
  tree.look();
  tree.child.stat_gate = std::make_shared<Gate>();
  tree.child.counters.minor_faults = 8;
  tree.child.runtime = 12;
  tree.root.counters.minor_faults = 3;
  SampleRow row = tree.look();
  CHECK(row.minor_faults == 3);
  CHECK(row.cpu == 12);
  CHECK(row.processes == 2);
  CHECK(tree.follower.fault().path == "stat of the fake");
  for (int i = 0; i < 50; ++i) {
    tree.look();
  }
  CHECK(parked_threads() == 1);
  tree.child.stat_gate->open();
  wait_until_none_is_parked();
  CHECK(tree.look().minor_faults == 11);
}

TEST_CASE("follow: a stranger that hangs keeps nobody out, and is looked at again") {
  FakeMachine machine;
  machine.start(1, 0, 1);
  FakeProcess& stranger = machine.start(2, 9, 2);
  stranger.stat_gate = std::make_shared<Gate>();
  Follower follower(machine, {1, true, false, false});
  double now = 0;
  SampleRow row;
  follower.look(now += 20, row, nullptr);
  FakeProcess& own = machine.start(3, 1, 2000);
  // Not in the list of children: only the table shows it.
  machine.processes.at(1)->children.clear();
  CHECK(own.counters.ppid == 1);
  while (row.processes != 2) {
    follower.look(now += 20, row, nullptr);
  }
  CHECK(parked_threads() == 1);
  stranger.stat_gate->open();
  wait_until_none_is_parked();
  stranger.counters.ppid = 1;
  while (row.processes != 3) {
    follower.look(now += 20, row, nullptr);
  }
}

TEST_CASE("follow: a root that hangs from the first is a timeout and no end") {
  FakeMachine machine;
  const auto gate = std::make_shared<Gate>();
  machine.start(1, 0, 1).stat_gate = gate;
  Follower follower(machine, {1, true, false, false});
  SampleRow row;
  follower.look(20, row, nullptr);
  CHECK_FALSE(follower.started());
  CHECK(follower.fault().kind == FaultKind::kTimeout);
  gate->open();
  wait_until_none_is_parked();
}

TEST_CASE("io: past the bound of parked threads nothing is asked that may hang") {
  FakeMachine machine;
  const auto gate = std::make_shared<Gate>();
  FakeProcess& one = machine.start(1, 0, 1);
  one.io_gate = gate;
  const auto ask = [&](const std::string& root) {
    std::vector<FollowTarget> targets{{1, std::move(machine.open(1).value())}};
    return read_followed(root, std::move(targets), true, std::chrono::milliseconds(50)).io.at(0);
  };
  while (parked_threads() < kMostParked) {
    ask("/root" + std::to_string(parked_threads()));
  }
  const int reads = one.io_reads;
  const Result<ProcIo> refused = ask("/one-more");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.fault().kind == FaultKind::kLimit);
  CHECK(one.io_reads == reads);
  gate->open();
  wait_until_none_is_parked();
  CHECK(ask("/one-more").ok());
}

TEST_CASE("io: a parked read has the name that the tables look for") {
  FakeMachine machine;
  FakeProcess& one = machine.start(1, 0, 1);
  one.io_gate = std::make_shared<Gate>();
  const auto ask = [&] {
    std::vector<FollowTarget> targets{{1, std::move(machine.open(1).value())}};
    return read_followed("/same", std::move(targets), true, std::chrono::milliseconds(50)).io.at(0);
  };
  CHECK_FALSE(ask().ok());
  CHECK(is_stuck(stuck_key_of("/same", 1, BlockClass::kNone)));
  one.io_gate->open();
  wait_until_none_is_parked();
  CHECK_FALSE(is_stuck(stuck_key_of("/same", 1, BlockClass::kNone)));
}

TEST_CASE("sampler: goes on while io hangs, and stops") {
  FakeMachine machine;
  FakeProcess& root = machine.start(1, 0, 1);
  const auto gate = std::make_shared<Gate>();
  root.io_gate = gate;
  SamplerRequest request;
  request.follow = {1, true, true, true};
  request.capacity = 1000;
  const auto sampler = std::make_shared<Sampler>(request);
  std::thread thread([&] { sampler->run(machine); });
  while (sampler->state().taken < 20) {
    std::this_thread::yield();
  }
  CHECK(sampler->state().fault.kind == FaultKind::kTimeout);
  CHECK(sampler->state().end == SamplerEnd::kRunning);
  CHECK(parked_threads() == 1);
  sampler->stop();
  thread.join();
  CHECK(sampler->state().end == SamplerEnd::kStopped);
  CHECK(parked_threads() == 1);
  for (const SampleRow& row : sampler->drain().samples.rows) {
    CHECK_FALSE(has_io(row));
  }
  gate->open();
  wait_until_none_is_parked();
}

}  // namespace procscope
