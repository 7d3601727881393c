// A poller in a world where anything happens at any moment, also in the middle of a poll.
#include "poll/poller.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "poller_trial.h"

namespace procscope {

namespace {

constexpr FieldMask kStates = mask_of(Field::kState, Field::kThreads);

const Settings kSettings[] = {
    {"nothing told", Style::kNone},
    {"nothing told, at each poll", Style::kNone, 1000, kStates},
    {"held", Style::kPidfd},
    {"held, many ids", Style::kPidfd, 1000, 0, 4000},
    {"held, room for some", Style::kPidfd, 16},
    {"held, room for none", Style::kPidfd, 0},
    {"held, at each poll", Style::kPidfd, 16, kStates},
    {"held, facts sooner than glances", Style::kPidfd, 1000, 0, 60, 9000, 2000},
    {"named", Style::kConnector},
    {"named, many ids", Style::kConnector, 1000, 0, 4000},
    {"named, at each poll", Style::kConnector, 1000, kStates},
    {"held, tracked looked at now and then", Style::kPidfd, 16, 0, 60, 3000, 7000, 300},
    {"named, tracked looked at now and then", Style::kConnector, 1000, 0, 60, 3000, 7000, 300},
    {"another root", Style::kForeign},
    {"another root, at each poll", Style::kForeign, 1000, kStates},
};

}  // namespace

TEST_CASE("poller: whatever happens at whatever moment, deltas tell it once and of whom it was") {
  for (const Settings& settings : kSettings) {
    CAPTURE(std::string(settings.name));
    const bool threaded = settings.style == Style::kForeign;
    for (uint32_t seed = 1; seed <= (threaded ? 4U : 20U); ++seed) {
      CAPTURE(seed);
      Trial(settings, seed).run(threaded ? 150 : 400);
    }
  }
}

TEST_CASE("poller: facts that did not come in time stay as they were, and are asked for again") {
  FakeWorld world(100);
  const Settings settings{"", Style::kPidfd, 100, 0, 100, 0, 0};
  Poller poller(request_of(settings), parts_of(world, settings.style));
  poller.poll();
  world.stalls = [](int32_t) { return true; };
  const int32_t pid = world.fork(1);
  world.now += 10;
  PollDelta delta = poller.poll();
  REQUIRE(delta.rows.rows.size() == 1);
  CHECK((delta.rows.rows[0].present & bit(Field::kArgv)) == 0);
  CHECK(delta.rows.row_faults.size() == 2);

  world.stalls = [](int32_t) { return false; };
  world.now += 10;
  delta = poller.poll();
  REQUIRE(delta.rows.rows.size() == 1);
  CHECK(delta.changed[0] == mask_of(Field::kArgv, Field::kUid));
  const std::string before = world.find(pid)->argv;
  CHECK(delta.rows.text(delta.rows.rows[0].argv) == before);

  world.stalls = [](int32_t) { return true; };
  world.exec(*world.find(pid), true);
  world.now += 10;
  delta = poller.poll();
  REQUIRE(delta.rows.rows.size() == 1);
  CHECK(delta.changed[0] == bit(Field::kName));
  CHECK(delta.rows.text(delta.rows.rows[0].argv) == before);
  CHECK(delta.rows.row_faults.size() == 2);

  world.stalls = [](int32_t) { return false; };
  world.now += 10;
  delta = poller.poll();
  REQUIRE(delta.rows.rows.size() == 1);
  CHECK(delta.changed[0] == bit(Field::kArgv));
  CHECK(delta.rows.text(delta.rows.rows[0].argv) == world.find(pid)->argv);
  CHECK(delta.rows.row_faults.empty());
}

TEST_CASE("poller: tracked processes are looked at when their time has come, and not before") {
  FakeWorld world(100);
  Settings settings{"", Style::kConnector};
  settings.tracked_look = 250;
  Poller poller(request_of(settings), parts_of(world, settings.style));
  const int32_t pid = world.fork(1);
  poller.poll();
  world.now += 2000;
  poller.poll();
  const auto glances = [&poller] { return poller.counts().glances; };
  REQUIRE(poller.track(pid));
  const uint64_t before = glances();
  CHECK(poller.poll().idle());
  CHECK(glances() == before + 1);
  world.stop_or_go(*world.find(pid));
  world.now += 249;
  CHECK(poller.poll().idle());
  CHECK(glances() == before + 1);
  world.now += 1;
  const PollDelta delta = poller.poll();
  REQUIRE(delta.changed.size() == 1);
  CHECK(delta.changed[0] == bit(Field::kState));
  CHECK(glances() == before + 2);
}

TEST_CASE("poller: a wall clock that is set changes no process that was there before") {
  FakeWorld world(100);
  const Settings settings{"", Style::kPidfd, 100, 0, 100, 0, 0};
  std::shared_ptr<WorldReader> reader;
  Poller poller(request_of(settings), parts_of(world, settings.style, &reader));
  world.fork(1);
  poller.poll();
  const std::shared_ptr<WorldReader> first = reader;
  world.wall_ahead = 3600e3;
  world.now += 10;
  CHECK(poller.poll().idle());
  CHECK(reader != first);
  CHECK(poller.size() == 2);
}

}  // namespace procscope
