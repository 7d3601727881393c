#include "parse/locks.h"

#include "base/scan.h"

namespace procscope {

namespace {

LockType type_of(std::string_view word) {
  if (word == "FLOCK") {
    return LockType::kFlock;
  }
  if (word == "POSIX" || word == "ACCESS") {
    return LockType::kPosix;
  }
  if (word == "OFDLCK") {
    return LockType::kOfd;
  }
  if (word == "LEASE") {
    return LockType::kLease;
  }
  return word == "DELEG" ? LockType::kDelegation : LockType::kOther;
}

LockMode mode_of(std::string_view word) {
  if (word == "READ") {
    return LockMode::kRead;
  }
  return word == "WRITE" || word == "RW" ? LockMode::kWrite : LockMode::kNone;
}

/// `fd:00:2531452`: device in hexadecimal, inode in decimal. `<none>:0` stands for no inode.
bool parse_inode(std::string_view word, LockRow& row) {
  if (word.starts_with("<none>")) {
    return true;
  }
  Scan scan(word);
  const auto major = whole_number<uint32_t>(scan.until(':'), 16);
  const auto minor = whole_number<uint32_t>(scan.until(':'), 16);
  const auto ino = whole_number<uint64_t>(scan.rest());
  if (!major || !minor || !ino) {
    return false;
  }
  row.major = *major;
  row.minor = *minor;
  row.ino = *ino;
  return true;
}

}  // namespace

std::optional<LockLine> parse_lock(std::string_view line) {
  Scan scan(line);
  LockLine lock;
  scan.skip_blanks();
  const auto id = whole_number<uint64_t>(scan.until(':'));
  std::string_view word = scan.word();
  // Waiters that wait for a waiter are indented by further blanks, which word() passes over.
  if (word == "->") {
    lock.row.waiting = 1;
    word = scan.word();
  }
  if (!id || word.empty()) {
    return std::nullopt;
  }
  lock.row.id = static_cast<double>(*id);
  lock.row.type = static_cast<uint8_t>(type_of(word));
  lock.state = scan.word();
  lock.row.mode = static_cast<uint8_t>(mode_of(scan.word()));
  const auto taker = scan.number<int32_t>();
  const bool has_inode = parse_inode(scan.word(), lock.row);
  const auto start = scan.number<uint64_t>();
  const std::string_view end = scan.word();
  const auto end_number = whole_number<uint64_t>(end);
  if (!taker || !has_inode || !start || (end != "EOF" && !end_number)) {
    return std::nullopt;
  }
  lock.row.taker = *taker;
  lock.row.start = *start;
  lock.row.end = end_number.value_or(LockRow::kEndOfFile);
  return lock;
}

}  // namespace procscope
