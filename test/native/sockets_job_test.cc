#include "poll/sockets.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "gate.h"

namespace procscope {

namespace {

using Owners = std::vector<std::pair<int32_t, int32_t>>;

/// Two lists of one socket each and five processes, of which pid N holds the socket of inode 100 as
/// its descriptor N. Some calls wait at the gate.
class StallingSockets final : public SocketReader {
 public:
  Gate gate;
  bool recorded = false;
  bool prepare_hangs = false;
  bool list_of_pids_hangs = false;
  bool interrupted = false;
  std::set<SocketKind> list_hangs;
  std::set<int32_t> descriptors_hang;
  mutable std::atomic<int> hung_calls{0};

  bool may_wait() const override { return recorded; }
  Result<std::monostate> prepare(Watch& watch) override {
    wait(prepare_hangs, watch);
    return std::monostate{};
  }
  std::vector<SocketList> lists() const override {
    return {{SocketKind::kTcp, SocketFamily::kInet}, {SocketKind::kUnix, SocketFamily::kUnix}};
  }
  SocketBatch read(const SocketList& list, size_t most_rows, Watch& watch) const override {
    wait(list_hangs.contains(list.kind), watch);
    SocketBatch batch;
    batch.source = SocketSource::kNetlink;
    ParsedSocket socket;
    socket.row.kind = static_cast<uint8_t>(list.kind);
    socket.row.family = static_cast<uint8_t>(list.family);
    socket.row.inode = list.kind == SocketKind::kTcp ? 100 : 200;
    batch.add(socket, most_rows);
    if (interrupted) {
      batch.faults.push_back({FaultKind::kIo, EINTR, Call::kQuery, path_of(list)});
    }
    return batch;
  }
  std::string path_of(const SocketList& list) const override {
    return list.kind == SocketKind::kTcp ? "tcp" : "unix";
  }
  Result<std::monostate> list_pids(std::vector<int32_t>& pids, Watch& watch) const override {
    wait(list_of_pids_hangs, watch);
    pids = {1, 2, 3, 4, 5};
    return std::monostate{};
  }
  Fault descriptors(int32_t pid, std::vector<SocketDescriptor>& into, Watch& watch) const override {
    wait(descriptors_hang.contains(pid), watch);
    into.push_back({100, pid});
    return {};
  }
  bool shows_everybody(const std::vector<int32_t>&) const override { return true; }

 private:
  void wait(bool hangs, Watch& watch) const {
    if (!hangs) {
      return;
    }
    // As on Linux: only below a root that is not this machine's own is anything marked.
    const auto waiting = recorded ? std::make_unique<Waiting>(watch, BlockClass::kFileSystem)
                                  : std::unique_ptr<Waiting>();
    hung_calls.fetch_add(1);
    const_cast<Gate&>(gate).wait();
  }
};

SocketsRequest request(const char* root = "/fake") {
  SocketsRequest r;
  r.query.root = root;
  r.most_rows = 100;
  r.deadline = std::chrono::milliseconds(400);
  return r;
}

Owners owners_of(const SocketTable& table, uint64_t inode) {
  Owners owners;
  for (const SocketRow& row : table.rows) {
    const std::string_view bytes = row.inode == inode ? table.text(row.owners) : "";
    for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      int32_t pair[2];
      std::memcpy(pair, bytes.data() + at, sizeof pair);
      owners.emplace_back(pair[0], pair[1]);
    }
  }
  return owners;
}

bool knows_owners(const SocketTable& table, size_t row) {
  return (table.rows.at(row).present & bit(SocketField::kOwners)) != 0;
}

}  // namespace

TEST_CASE("sockets: nothing hangs, everybody is seen") {
  const SocketTable table = take_sockets(request(), std::make_shared<StallingSockets>());
  REQUIRE(table.rows.size() == 2);
  CHECK(table.faults.empty());
  CHECK(table.everybody_seen);
  CHECK(owners_of(table, 100) == Owners{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}});
  CHECK(knows_owners(table, 1));
  CHECK(owners_of(table, 200).empty());
  CHECK(parked_threads() == 0);
}

TEST_CASE("sockets: a process that hangs is unseen, and every other owner is named") {
  const auto reader = std::make_shared<StallingSockets>();
  reader->descriptors_hang = {2};
  const SocketTable table = take_sockets(request(), reader);
  CHECK(owners_of(table, 100) == Owners{{1, 1}, {3, 3}, {4, 4}, {5, 5}});
  REQUIRE(table.unseen.size() == 1);
  CHECK(table.unseen[0].pid == 2);
  CHECK(table.unseen[0].kind == FaultKind::kTimeout);
  CHECK_FALSE(table.everybody_seen);
  CHECK(knows_owners(table, 0));
  // Whoever was not seen may hold it.
  CHECK_FALSE(knows_owners(table, 1));
  CHECK(parked_threads() == 1);
  reader->gate.open();
  wait_until_none_is_parked();
}

TEST_CASE("sockets: a process that is known to hang is not asked again until it is back") {
  const auto reader = std::make_shared<StallingSockets>();
  reader->descriptors_hang = {2};
  for (int i = 0; i < 50; ++i) {
    const SocketTable table = take_sockets(request(), reader);
    CHECK(owners_of(table, 100).size() == 4);
    REQUIRE(table.unseen.size() == 1);
    CHECK(table.unseen[0].pid == 2);
  }
  CHECK(reader->hung_calls == 1);
  CHECK(parked_threads() == 1);
  SocketsRequest only = request();
  only.only = true;
  only.pids = {2, 4};
  CHECK(owners_of(take_sockets(only, reader), 100) == Owners{{4, 4}});
  CHECK(reader->hung_calls == 1);
  reader->gate.open();
  wait_until_none_is_parked();
  reader->descriptors_hang.clear();
  const SocketTable whole = take_sockets(request(), reader);
  CHECK(whole.everybody_seen);
  CHECK(owners_of(whole, 100).size() == 5);
}

TEST_CASE("sockets: what a thread brings that comes late is thrown away") {
  const auto reader = std::make_shared<StallingSockets>();
  reader->list_hangs = {SocketKind::kTcp};
  reader->descriptors_hang = {5};
  const SocketTable table = take_sockets(request(), reader);
  CHECK(parked_threads() == 2);
  reader->gate.open();
  wait_until_none_is_parked();
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0].inode == 200);
  REQUIRE(table.sources.size() == 2);
  CHECK(table.sources[0].source == SocketSource::kNone);
  CHECK(table.sources[1].source == SocketSource::kNetlink);
  REQUIRE(table.faults.size() == 1);
  CHECK(table.faults[0].kind == FaultKind::kTimeout);
  CHECK(table.faults[0].path == "tcp");
  REQUIRE(table.unseen.size() == 1);
  CHECK(table.unseen[0].pid == 5);
}

TEST_CASE("sockets: a list of pids that hangs leaves the sockets, whose owners are not known") {
  const auto reader = std::make_shared<StallingSockets>();
  reader->list_of_pids_hangs = true;
  const SocketTable table = take_sockets(request(), reader);
  CHECK(table.rows.size() == 2);
  CHECK_FALSE(knows_owners(table, 0));
  REQUIRE(table.faults.size() == 1);
  CHECK(table.faults[0].call == Call::kGetdents);
  reader->gate.open();
  wait_until_none_is_parked();
}

TEST_CASE("sockets: a root that hangs says so for each list, and is left alone while it does") {
  const auto reader = std::make_shared<StallingSockets>();
  reader->recorded = true;
  reader->prepare_hangs = true;
  for (int i = 0; i < 20; ++i) {
    const SocketTable table = take_sockets(request("/recorded"), reader);
    CHECK(table.rows.empty());
    CHECK(table.sources.size() == 2);
    REQUIRE(table.faults.size() == 1);
    CHECK(table.faults[0].kind == FaultKind::kTimeout);
    CHECK(table.faults[0].path == "/recorded");
  }
  CHECK(reader->hung_calls == 1);
  CHECK(parked_threads() == 1);
  reader->gate.open();
  wait_until_none_is_parked();
}

TEST_CASE("sockets: a list that was interrupted keeps its rows beside the fault") {
  const auto reader = std::make_shared<StallingSockets>();
  reader->interrupted = true;
  const SocketTable table = take_sockets(request(), reader);
  CHECK(table.rows.size() == 2);
  REQUIRE(table.faults.size() == 2);
  CHECK(table.faults[0].code == EINTR);
  CHECK(table.faults[1].path == "unix");
  CHECK(owners_of(table, 100).size() == 5);
}

TEST_CASE("sockets: past the bound of parked threads the system's own tables are still read") {
  std::vector<std::shared_ptr<StallingSockets>> readers;
  while (parked_threads() < kMostParked) {
    readers.push_back(std::make_shared<StallingSockets>());
    readers.back()->recorded = true;
    readers.back()->prepare_hangs = true;
    SocketsRequest r = request(("/bound" + std::to_string(readers.size())).c_str());
    r.deadline = std::chrono::milliseconds(50);
    take_sockets(r, readers.back());
  }
  const SocketTable own = take_sockets(request(), std::make_shared<StallingSockets>());
  CHECK(own.rows.size() == 2);
  CHECK(own.everybody_seen);
  const auto recorded = std::make_shared<StallingSockets>();
  recorded->recorded = true;
  const SocketTable refused = take_sockets(request("/one-more"), recorded);
  REQUIRE(refused.faults.size() == 1);
  CHECK(refused.faults[0].kind == FaultKind::kLimit);
  for (const auto& reader : readers) {
    reader->gate.open();
  }
  wait_until_none_is_parked();
}

}  // namespace procscope
