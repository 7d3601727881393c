#include "poll/quiet_wait.h"

#include <doctest/doctest.h>

#include <future>
#include <memory>

namespace procscope {

namespace {

using Milliseconds = QuietWait::Milliseconds;

/// Starts a wait that asks `quiet`; ready when it is over.
std::future<void> over(const std::shared_ptr<QuietWait>& wait, QuietWait::Rhythm rhythm,
                       std::function<bool()> quiet) {
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> future = done->get_future();
  // A second call would throw, on a thread where nobody catches it.
  REQUIRE(QuietWait::start(wait, rhythm, std::move(quiet), [done] { done->set_value(); }) == 0);
  return future;
}

}  // namespace

TEST_CASE("quiet wait: lasts until it is no longer quiet") {
  int asked = 0;
  over(std::make_shared<QuietWait>(), {Milliseconds(0), Milliseconds(0.1)}, [&] {
    return ++asked < 5;
  }).get();
  CHECK(asked == 5);
}

TEST_CASE("quiet wait: asks nothing before the first moment, and ends when it is stopped") {
  const auto wait = std::make_shared<QuietWait>();
  int asked = 0;
  std::future<void> end = over(wait, {Milliseconds(3'600'000), Milliseconds(1)}, [&] {
    ++asked;
    return true;
  });
  wait->stop();
  end.get();
  CHECK(asked == 0);
}

TEST_CASE("quiet wait: ends in the middle, and a second stop is nothing") {
  const auto wait = std::make_shared<QuietWait>();
  std::promise<void> second;
  int asked = 0;
  std::future<void> end = over(wait, {Milliseconds(0), Milliseconds(0.1)}, [&] {
    if (++asked == 2) {
      second.set_value();
    }
    return true;
  });
  second.get_future().get();
  wait->stop();
  end.get();
  CHECK(asked >= 2);
  wait->stop();
}

TEST_CASE("quiet wait: one that was stopped before it began asks nothing") {
  const auto wait = std::make_shared<QuietWait>();
  wait->stop();
  int asked = 0;
  over(wait, {Milliseconds(0), Milliseconds(0)}, [&] {
    ++asked;
    return true;
  }).get();
  CHECK(asked == 0);
}

}  // namespace procscope
