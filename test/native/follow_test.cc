#include "poll/follow.h"

#include <doctest/doctest.h>

#include <cmath>
#include <thread>

#include "fake_machine.h"
#include "poll/sampler.h"

namespace procscope {

namespace {

/// Burns `ms` of user time in a process, as its clock and its counters show it.
void burn(FakeProcess& process, double ms) {
  process.runtime += ms;
  process.counters.user += ms;
}

/// Looks 20 ms after the look before: always a round.
struct Watcher {
  explicit Watcher(FakeMachine& machine, bool io = false)
      : follower(machine, {1, true, true, io}) {}
  SampleRow look() {
    SampleRow row;
    members.clear();
    alive = follower.look(now += 20, row, &members);
    return row;
  }
  Follower follower;
  std::vector<MemberRow> members;
  double now = 0;
  bool alive = false;
};

}  // namespace

TEST_CASE("follow: sums begin at the first look, and percent is of one core") {
  FakeMachine machine;
  FakeProcess& root = machine.start(1, 0, 1);
  burn(root, 500);
  Watcher watcher(machine);
  const SampleRow first = watcher.look();
  CHECK(watcher.alive);
  CHECK(first.cpu == 0);
  CHECK(first.processes == 1);
  CHECK(std::isnan(first.percent));
  burn(root, 10);
  const SampleRow second = watcher.look();
  CHECK(second.cpu == 10);
  CHECK(second.user == 10);
  CHECK(second.percent == 50);
  CHECK(watcher.members.at(0).cpu == 510);
}

TEST_CASE("follow: a child that was seen is not counted again when its parent has waited for it") {
  FakeMachine machine;
  FakeProcess& root = machine.start(1, 0, 1);
  Watcher watcher(machine);
  watcher.look();
  FakeProcess& child = machine.start(2, 1, 1001);
  burn(child, 100);
  CHECK(watcher.look().cpu == 100);
  burn(child, 50);
  machine.end(2, &root);
  const SampleRow after = watcher.look();
  // 100 ms were seen; the last 50 came with the parent's sum.
  CHECK(after.cpu == 150);
  CHECK(after.user == 150);
  CHECK(after.ended == 1);
  CHECK(after.processes == 1);
  CHECK(watcher.look().cpu == 150);
}

TEST_CASE("follow: the parent's sum may come one look after the child is gone") {
  FakeMachine machine;
  FakeProcess& root = machine.start(1, 0, 1);
  Watcher watcher(machine);
  watcher.look();
  burn(machine.start(2, 1, 1001), 100);
  CHECK(watcher.look().cpu == 100);
  machine.end(2, nullptr);
  CHECK(watcher.look().cpu == 100);
  root.counters.waited_user = 120;
  CHECK(watcher.look().cpu == 120);
}

TEST_CASE("follow: a child that came and went between two looks counts through its parent") {
  FakeMachine machine;
  FakeProcess& root = machine.start(1, 0, 1);
  root.counters.waited_user = 70;
  Watcher watcher(machine);
  CHECK(watcher.look().cpu == 0);
  root.counters.waited_user = 100;
  root.counters.waited_minor_faults = 5;
  const SampleRow row = watcher.look();
  CHECK(row.cpu == 30);
  CHECK(row.minor_faults == 5);
}

TEST_CASE(
    "follow: a child that nobody waits for keeps what was seen of it, and sums never go back") {
  FakeMachine machine;
  FakeProcess& root = machine.start(1, 0, 1);
  Watcher watcher(machine);
  watcher.look();
  burn(machine.start(2, 1, 1001), 300);
  CHECK(watcher.look().cpu == 300);
  machine.end(2, nullptr);
  CHECK(watcher.look().cpu == 300);
  watcher.look();
  // Held against the parent for two rounds only, but for what clock ticks round off (20 ms).
  root.counters.waited_user += 200;
  const double later = watcher.look().cpu;
  CHECK(later >= 480);
  CHECK(later <= 500);
}

TEST_CASE("follow: a whole branch that ends at once is counted once") {
  FakeMachine machine;
  FakeProcess& root = machine.start(1, 0, 1);
  Watcher watcher(machine);
  watcher.look();
  FakeProcess& middle = machine.start(2, 1, 1001);
  FakeProcess& leaf = machine.start(3, 2, 1002);
  burn(middle, 10);
  burn(leaf, 40);
  CHECK(watcher.look().cpu == 50);
  machine.end(3, &middle);
  machine.end(2, &root);
  CHECK(root.counters.waited_user == 50);
  CHECK(watcher.look().cpu == 50);
  CHECK(watcher.look().cpu == 50);
}

TEST_CASE("follow: an orphan stays a member") {
  FakeMachine machine;
  FakeProcess& root = machine.start(1, 0, 1);
  machine.start(2, 1, 2);
  FakeProcess& leaf = machine.start(3, 2, 3);
  Watcher watcher(machine);
  CHECK(watcher.look().processes == 3);
  machine.end(2, &root);
  leaf.counters.ppid = 0;
  burn(leaf, 30);
  const SampleRow row = watcher.look();
  CHECK(row.processes == 2);
  CHECK(row.cpu == 30);
}

TEST_CASE("follow: another process with the pid of a member begins at zero") {
  FakeMachine machine;
  FakeProcess& root = machine.start(1, 0, 1);
  burn(machine.start(2, 1, 2), 400);
  Watcher watcher(machine);
  watcher.look();
  machine.end(2, &root);
  FakeProcess& reused = machine.start(2, 1, 1500);
  const SampleRow row = watcher.look();
  CHECK(row.cpu == 0);
  burn(reused, 7);
  CHECK(watcher.look().cpu == 7);
  CHECK(watcher.members.back().start_key == 1500);
}

TEST_CASE("follow: without clocks of processes, clock ticks are counted") {
  FakeMachine machine;
  machine.clocks = false;
  FakeProcess& root = machine.start(1, 0, 1);
  burn(root, 90);
  Watcher watcher(machine);
  watcher.look();
  burn(root, 30);
  CHECK(watcher.look().cpu == 30);
}

TEST_CASE("follow: io of a waited-for child is in the parent's, and a refusal is no zero") {
  FakeMachine machine;
  FakeProcess& root = machine.start(1, 0, 1);
  FakeProcess& child = machine.start(2, 1, 2);
  Watcher watcher(machine, true);
  watcher.look();
  child.io.rchar = 1000;
  SampleRow row = watcher.look();
  CHECK(row.read_chars == 1000);
  CHECK((row.present & bit(UsageField::kIo)) != 0);
  machine.end(2, &root);
  row = watcher.look();
  CHECK(row.read_chars == 1000);
  root.io_denied = true;
  row = watcher.look();
  CHECK((row.present & bit(UsageField::kIo)) == 0);
  CHECK(watcher.follower.fault().kind == FaultKind::kDenied);
}

TEST_CASE("follow: a root that is not there, that ends, that is a zombie") {
  FakeMachine machine;
  Watcher nobody(machine);
  nobody.look();
  CHECK_FALSE(nobody.alive);
  CHECK_FALSE(nobody.follower.started());
  CHECK(nobody.follower.fault().kind == FaultKind::kGone);

  FakeProcess& root = machine.start(1, 0, 1);
  Watcher watcher(machine);
  watcher.look();
  CHECK(watcher.alive);
  root.counters.zombie = true;
  watcher.look();
  CHECK_FALSE(watcher.alive);

  Watcher other(machine);
  root.counters.zombie = false;
  other.look();
  machine.end(1, nullptr);
  other.look();
  CHECK_FALSE(other.alive);
  CHECK(other.follower.started());
}

TEST_CASE("sampler: a slow reader loses the oldest, and is told how many") {
  FakeMachine machine;
  machine.start(1, 0, 1);
  SamplerRequest request;
  request.follow.pid = 1;
  request.interval = std::chrono::microseconds(100);
  request.capacity = 5;
  request.members = true;
  const auto sampler = std::make_shared<Sampler>(request);
  std::thread thread([&] { sampler->run(machine); });
  while (sampler->state().dropped < 40) {
    std::this_thread::yield();
  }
  sampler->stop();
  thread.join();
  const SampleBatch batch = sampler->drain();
  const SamplerState state = sampler->state();
  CHECK(state.end == SamplerEnd::kStopped);
  REQUIRE(batch.samples.rows.size() == 5);
  CHECK(batch.members.rows.size() == 5);
  CHECK(batch.members.rows.at(4).sample == 4);
  CHECK(batch.dropped == state.dropped);
  CHECK(state.taken == state.dropped + 5);
  for (size_t i = 0; i < 5; ++i) {
    CHECK(batch.samples.rows[i].sequence == static_cast<double>(state.dropped + i));
  }
  CHECK(sampler->drain().samples.rows.empty());
  bool woken = false;
  sampler->when_ready([&] { woken = true; });
  CHECK(woken);
}

TEST_CASE("sampler: ends with its root, and says why it could not begin") {
  FakeMachine machine;
  SamplerRequest request;
  request.follow.pid = 1;
  request.capacity = 10;
  const auto nobody = std::make_shared<Sampler>(request);
  nobody->run(machine);
  CHECK(nobody->state().end == SamplerEnd::kFault);
  CHECK(nobody->state().fault.kind == FaultKind::kGone);

  machine.start(1, 0, 1).counters.zombie = true;
  const auto ended = std::make_shared<Sampler>(request);
  ended->run(machine);
  CHECK(ended->state().end == SamplerEnd::kRootEnded);
  CHECK(ended->drain().samples.rows.size() == 1);
}

}  // namespace procscope
