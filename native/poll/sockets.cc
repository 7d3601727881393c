#include "poll/sockets.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "poll/guard.h"

namespace procscope {

namespace {

/// Rows by the inode that leads to them, for one look-up a descriptor.
class RowsByInode {
 public:
  explicit RowsByInode(const std::vector<SocketRow>& rows) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].inode != 0) {
        entries_.emplace_back(rows[i].inode, static_cast<uint32_t>(i));
      }
    }
    std::sort(entries_.begin(), entries_.end());
  }

  /// Calls `visit` with each row of this inode: more than one when the list changed while it was
  /// read from a file.
  template <typename F>
  void each(uint64_t inode, F&& visit) const {
    auto it = std::lower_bound(entries_.begin(), entries_.end(), std::pair(inode, uint32_t{0}));
    for (; it != entries_.end() && it->first == inode; ++it) {
      visit(it->second);
    }
  }

 private:
  std::vector<std::pair<uint64_t, uint32_t>> entries_;
};

struct Holder {
  uint32_t row = 0;
  int32_t pid = 0;
  int32_t fd = 0;

  bool operator<(const Holder& other) const {
    return std::tie(row, pid, fd) < std::tie(other.row, other.pid, other.fd);
  }
};

/// Three stretches of work: prepare, the lists one by one, the processes one by one.
class SocketsJob final : public Job {
 public:
  SocketsJob(const SocketsRequest& request, std::shared_ptr<SocketReader> reader)
      : root_(request.query.root),
        request_(request),
        pids_(request.only ? request.pids : std::vector<int32_t>{}),
        reader_(std::move(reader)),
        lists_(reader_->lists()) {}

  void run(Lease& lease) override {
    bool prepared = false;
    bool listed = false;
    const bool goes_on = lease.commit([&] {
      if (reader_->may_wait() && anything_stuck() && is_stuck(stuck_key(BlockClass::kNone))) {
        abandon(FaultKind::kTimeout);
      }
      prepared = prepared_;
    });
    if (!goes_on || (!prepared && !prepare(lease))) {
      return;
    }
    if (!read_lists(lease) || !request_.owners || !lease.commit([&] { listed = listed_; })) {
      return;
    }
    if (listed || list_pids(lease)) {
      look_for_owners(lease);
    }
  }

  void give_up(BlockClass) override { refuse(FaultKind::kTimeout); }

  void stop_waiting(FaultKind why) override {
    if (reader_->may_wait()) {
      abandon(why);
    }
  }

  void abandon(FaultKind why) override {
    while (refuse(why)) {
    }
  }

  // A root that hangs at one file is thought to hang as a whole; on this machine's own only a
  // process can hang.
  [[nodiscard]] std::string stuck_key(BlockClass) const override {
    const bool at_process =
        !reader_->may_wait() && listed_ && next_list_ == lists_.size() && next_pid_ < pids_.size();
    return at_process ? key_of_pid(pids_[next_pid_]) : "sockets:" + root_;
  }

  SocketTable take() {
    finish();
    return std::move(table_);
  }

 private:
  bool prepare(Lease& lease) {
    Result<std::monostate> ready = reader_->prepare(lease.watch());
    return lease.commit([&] {
      prepared_ = true;
      if (!ready) {
        table_.faults.push_back(ready.fault());
        give_up_lists();
      }
    });
  }

  /// Nothing can be read any more: each list is said to come from nowhere.
  void give_up_lists() {
    for (; next_list_ < lists_.size(); ++next_list_) {
      table_.sources.push_back({lists_[next_list_], SocketSource::kNone});
    }
    listed_ = true;
    pids_.clear();
  }

  bool read_lists(Lease& lease) {
    size_t index = 0;
    size_t room = 0;
    const auto next = [&] {
      index = next_list_;
      room = request_.most_rows - table_.rows.size();
      if (next_list_ == lists_.size() && !rows_by_inode_) {
        rows_by_inode_ = std::make_shared<const RowsByInode>(table_.rows);
      }
    };
    bool held = lease.commit(next);
    while (held && index < lists_.size()) {
      SocketBatch batch = reader_->read(lists_[index], room, lease.watch());
      held = lease.commit([&] {
        append(std::move(batch));
        next();
      });
    }
    return held;
  }

  void append(SocketBatch batch) {
    constexpr std::array kTexts = {&SocketRow::local, &SocketRow::remote, &SocketRow::path,
                                   &SocketRow::groups};
    const auto base = static_cast<uint32_t>(table_.blob.size());
    for (SocketRow& row : batch.rows) {
      for (const auto text : kTexts) {
        (row.*text).offset += base;
      }
      table_.rows.push_back(row);
    }
    table_.blob += batch.blob;
    table_.faults.insert(table_.faults.end(), batch.faults.begin(), batch.faults.end());
    table_.sources.push_back({lists_[next_list_], batch.source});
    ++next_list_;
  }

  bool list_pids(Lease& lease) {
    std::vector<int32_t> pids;
    Result<std::monostate> ready = std::monostate{};
    bool everybody = false;
    if (!request_.only) {
      ready = reader_->list_pids(pids, lease.watch());
      everybody = ready.ok() && reader_->shows_everybody(pids);
    }
    return lease.commit([&] {
      listed_ = true;
      table_.everybody_seen = everybody;
      if (!ready) {
        table_.faults.push_back(ready.fault());
      } else if (!request_.only) {
        pids_ = std::move(pids);
      }
    });
  }

  void look_for_owners(Lease& lease) {
    std::vector<SocketDescriptor> found;
    std::shared_ptr<const RowsByInode> rows;
    int32_t pid = 0;
    const auto next = [&] {
      while (next_pid_ < pids_.size() && anything_stuck() &&
             is_stuck(key_of_pid(pids_[next_pid_]))) {
        refuse(FaultKind::kTimeout);
      }
      pid = next_pid_ < pids_.size() ? pids_[next_pid_] : 0;
    };
    bool held = lease.commit([&] {
      rows = rows_by_inode_;
      next();
    });
    std::vector<Holder> holders;
    while (held && pid != 0) {
      found.clear();
      holders.clear();
      const Fault fault = reader_->descriptors(pid, found, lease.watch());
      for (const SocketDescriptor& one : found) {
        rows->each(one.inode, [&](uint32_t row) { holders.push_back({row, pid, one.fd}); });
      }
      held = lease.commit([&] {
        holders_.insert(holders_.end(), holders.begin(), holders.end());
        // A process that has ended holds nothing; who named it wants to know.
        if (fault.kind != FaultKind::kNone && (fault.kind != FaultKind::kGone || request_.only)) {
          table_.unseen.push_back({pid, fault.kind, fault.call, fault.code});
        }
        ++next_pid_;
        next();
      });
    }
  }

  [[nodiscard]] std::string key_of_pid(int32_t pid) const {
    return stuck_key_of(root_, pid, BlockClass::kNone);
  }

  /// Answers the step in progress with a fault; false when no step is left.
  bool refuse(FaultKind why) {
    if (!prepared_) {
      prepared_ = true;
      table_.faults.push_back({why, 0, Call::kOpen, root_});
      give_up_lists();
    } else if (next_list_ < lists_.size()) {
      const SocketList& list = lists_[next_list_];
      table_.faults.push_back({why, 0, Call::kRead, reader_->path_of(list)});
      table_.sources.push_back({list, SocketSource::kNone});
      ++next_list_;
    } else if (request_.owners && !listed_) {
      listed_ = true;
      table_.faults.push_back({why, 0, Call::kGetdents, root_});
    } else if (next_pid_ < pids_.size()) {
      table_.unseen.push_back({pids_[next_pid_], why, Call::kOpen, 0});
      ++next_pid_;
    } else {
      return false;
    }
    return true;
  }

  /// Writes the holders beside their rows, and drops the rows that nobody asked about.
  void finish() {
    if (!request_.owners) {
      return;
    }
    table_.everybody_seen = table_.everybody_seen && table_.unseen.empty();
    std::sort(holders_.begin(), holders_.end());
    const size_t most = std::numeric_limits<int32_t>::max() / sizeof(int32_t) / 4;
    if (holders_.size() > most) {
      holders_.resize(most);
      table_.everybody_seen = false;
      table_.faults.push_back({FaultKind::kLimit, 0, Call::kReadlink, root_});
    }
    auto holder = holders_.begin();
    for (size_t i = 0; i < table_.rows.size(); ++i) {
      SocketRow& row = table_.rows[i];
      row.owners.offset = static_cast<uint32_t>(table_.blob.size());
      for (; holder != holders_.end() && holder->row == i; ++holder) {
        put_number(holder->pid);
        put_number(holder->fd);
      }
      row.owners.length = static_cast<uint32_t>(table_.blob.size()) - row.owners.offset;
      // Where no descriptor can lead there is nothing to look for.
      if (row.owners.length > 0 || row.inode == 0 || table_.everybody_seen) {
        row.present |= bit(SocketField::kOwners);
      }
    }
    if (request_.only) {
      std::erase_if(table_.rows, [](const SocketRow& row) { return row.owners.length == 0; });
    }
  }

  void put_number(int32_t value) {
    table_.blob.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  const std::string root_;
  const SocketsRequest request_;
  std::vector<int32_t> pids_;
  const std::shared_ptr<SocketReader> reader_;
  const std::vector<SocketList> lists_;
  SocketTable table_;
  std::vector<Holder> holders_;
  std::shared_ptr<const RowsByInode> rows_by_inode_;
  size_t next_list_ = 0;
  size_t next_pid_ = 0;
  bool prepared_ = false;
  bool listed_ = false;
};

}  // namespace

SocketTable take_sockets(const SocketsRequest& request, std::shared_ptr<SocketReader> reader) {
  auto job = std::make_shared<SocketsJob>(request, std::move(reader));
  run_guarded(job, request.deadline);
  return job->take();
}

SocketTable take_sockets(const SocketsRequest& request) {
  return take_sockets(request, make_socket_reader(request.query));
}

}  // namespace procscope
