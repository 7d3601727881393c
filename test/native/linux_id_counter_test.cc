#include "platform/linux/id_counter.h"

#include <doctest/doctest.h>

namespace procscope::linux_os {

namespace {

using Starts = ProcessNews::Starts;

/// A machine with one id a millisecond and a thousand of them, looked at every so often.
struct Looks {
  explicit Looks(bool sees_all = true) : counter(1, sees_all, [] { return 1000.0; }) {}
  const ProcessNews& look(double elapsed, int32_t last_pid, int32_t tasks = 50) {
    news.clear();
    counter.take(Loadavg{tasks, last_pid}, elapsed, news);
    return news;
  }
  IdCounter counter;
  ProcessNews news;
};

}  // namespace

TEST_CASE("id counter: the first looks tell nothing, a quiet machine tells that nothing started") {
  Looks machine;
  CHECK(machine.look(1e9, 500).starts == Starts::kUnknown);
  CHECK(machine.look(300, 500).starts == Starts::kUnknown);
  CHECK(machine.look(300, 500).starts == Starts::kNone);
  CHECK_FALSE(machine.news.others_may_have_ended);
  CHECK(machine.look(300, 500, 49).starts == Starts::kNone);
  CHECK(machine.news.others_may_have_ended);
}

TEST_CASE("id counter: what was given out shortly before a look is told by the next one too") {
  Looks machine;
  machine.look(0, 500);
  machine.look(300, 500);
  CHECK(machine.look(300, 510).starts == Starts::kRange);
  CHECK(machine.news.after == 500);
  CHECK(machine.news.upto == 510);
  CHECK(machine.look(10, 512).starts == Starts::kRange);
  CHECK(machine.news.after == 500);
  CHECK(machine.news.upto == 512);
  CHECK(machine.news.others_may_have_ended);
  for (int i = 0; i < 9; ++i) {
    CHECK(machine.look(10, 512).starts == Starts::kRange);
    CHECK(machine.news.after == 500);
  }
  // By the look before this one the first ids were settled, and a moment later the others.
  CHECK(machine.look(10, 512).after == 510);
  CHECK(machine.look(10, 512).starts == Starts::kNone);
}

TEST_CASE("id counter: a task more without an id given out stands behind a chosen id") {
  Looks machine;
  machine.look(0, 500);
  machine.look(300, 500);
  CHECK(machine.look(300, 500, 51).starts == Starts::kUnknown);
  Looks inner(false);
  inner.look(0, 500);
  inner.look(300, 500);
  CHECK(inner.look(300, 500, 51).starts == Starts::kNone);
  CHECK(inner.look(300, 500, 51).others_may_have_ended);
}

TEST_CASE("id counter: ids that began anew, and time for more than there are") {
  Looks machine;
  machine.look(0, 900);
  machine.look(300, 900);
  machine.look(300, 900);
  CHECK(machine.look(300, 30).starts == Starts::kRange);
  CHECK(machine.news.after == 900);
  CHECK(machine.news.upto == 30);
  machine.look(300, 30);
  machine.look(300, 30);
  CHECK(machine.look(1001, 31).starts == Starts::kUnknown);
}

TEST_CASE("id counter: a counter that could not be read begins anew") {
  Looks machine;
  machine.look(0, 500);
  machine.look(300, 500);
  machine.news.clear();
  machine.counter.take(std::nullopt, 300, machine.news);
  CHECK(machine.news.starts == Starts::kUnknown);
  CHECK(machine.news.others_may_have_ended);
  CHECK(machine.look(300, 500).starts == Starts::kUnknown);
  CHECK(machine.look(300, 500).starts == Starts::kUnknown);
  CHECK(machine.look(300, 500).starts == Starts::kNone);
}

}  // namespace procscope::linux_os
