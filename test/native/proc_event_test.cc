#include "parse/proc_event.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>

namespace procscope {

namespace {

template <typename T>
void put(std::string& bytes, T value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof raw);
}

/// A message as the kernel builds it: struct nlmsghdr, struct cn_msg, struct proc_event.
std::string message(uint32_t what, std::initializer_list<int32_t> about, uint32_t index = 1) {
  std::string event;
  put(event, what);
  put(event, uint32_t{0});
  put(event, uint64_t{123456789});
  for (const int32_t each : about) {
    put(event, each);
  }
  event.resize(40);
  std::string bytes;
  put(bytes, static_cast<uint32_t>(16 + 20 + event.size()));
  put(bytes, uint16_t{3});
  put(bytes, uint16_t{0});
  put(bytes, uint64_t{0});
  put(bytes, index);
  put(bytes, uint32_t{1});
  put(bytes, uint64_t{0});
  put(bytes, static_cast<uint16_t>(event.size()));
  put(bytes, uint16_t{0});
  return bytes + event;
}

}  // namespace

TEST_CASE("process events: who each is about") {
  const auto fork = parse_proc_event(message(1, {41, 40, 4712, 4711}));
  REQUIRE(fork);
  CHECK(fork->kind == ProcEvent::Kind::kFork);
  CHECK(fork->pid == 4712);
  CHECK(fork->tgid == 4711);
  const auto exec = parse_proc_event(message(2, {4711, 4711}));
  REQUIRE(exec);
  CHECK(exec->kind == ProcEvent::Kind::kExec);
  CHECK(exec->tgid == 4711);
  const auto exit = parse_proc_event(message(0x80000000, {4712, 4711, 256, 17}));
  REQUIRE(exit);
  CHECK(exit->kind == ProcEvent::Kind::kExit);
  CHECK(exit->pid == 4712);
  CHECK(exit->tgid == 4711);
  CHECK(parse_proc_event(message(0x200, {1, 1}))->kind == ProcEvent::Kind::kName);
  for (const uint32_t ids : {4U, 0x40U, 0x80U}) {
    CHECK(parse_proc_event(message(ids, {1, 1}))->kind == ProcEvent::Kind::kIds);
  }
  CHECK(parse_proc_event(message(0x100, {1, 1}))->kind == ProcEvent::Kind::kOther);
}

TEST_CASE("process events: the answer to a subscription has an error number") {
  const auto refused = parse_proc_event(message(0, {1}));
  REQUIRE(refused);
  CHECK(refused->kind == ProcEvent::Kind::kAnswer);
  CHECK(refused->code == 1);
}

TEST_CASE("process events: what is cut short or of another connector is no event") {
  const std::string whole = message(1, {41, 40, 4712, 4711});
  for (size_t length = 0; length < whole.size(); ++length) {
    CHECK_FALSE(parse_proc_event(std::string_view(whole).substr(0, length)));
  }
  CHECK_FALSE(parse_proc_event(message(1, {41, 40, 4712, 4711}, 2)));
  std::string lying = whole;
  lying[0] = 20;
  CHECK_FALSE(parse_proc_event(lying));
}

}  // namespace procscope
