#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/socket.h"
#include "platform/watch.h"

/// The contract between the list of sockets and the system that it is read from.
namespace procscope {

enum class SocketWay : uint8_t { kAuto, kNetlink, kProc };

/// What to list.
struct SocketQuery {
  std::string root = "/proc";
  /// One bit (1 << kind) for each SocketKind.
  uint32_t kinds = 0;
  /// One bit (1 << state) for each state that is asked for: of tcp, of the other kinds of IP, and
  /// of all else. Kinds without states (packet) have none of them.
  bool by_state = false;
  uint32_t tcp_states = UINT32_MAX;
  uint32_t ip_states = UINT32_MAX;
  uint32_t other_states = UINT32_MAX;
  /// Only sockets with one of these ports at either end; empty = all.
  std::vector<uint32_t> ports;
  SocketWay way = SocketWay::kAuto;
  /// The network namespace of this process; 0 = our own.
  int32_t netns_of = 0;
  /// How long the kernel may take to answer a netlink request.
  int32_t deadline_ms = 1000;

  [[nodiscard]] bool wants(SocketKind kind) const {
    return (kinds >> static_cast<uint8_t>(kind) & 1) != 0;
  }
  [[nodiscard]] uint32_t states_of(const SocketList& list) const;
  [[nodiscard]] bool takes(const SocketRow& row) const;
};

/// The sockets of one list, and how they were had.
struct SocketBatch : Table<SocketRow> {
  SocketSource source = SocketSource::kNone;

  /// Adds a socket with its texts; false when `most_rows` are there already.
  bool add(const ParsedSocket& socket, size_t most_rows);
};

/// A descriptor of a process that leads to a socket.
struct SocketDescriptor {
  uint64_t inode = 0;
  int32_t fd = 0;
};

/// Const after prepare(), and safe to use from several threads at once.
class SocketReader {
 public:
  virtual ~SocketReader() = default;

  /// Whether reading may wait for ever.
  [[nodiscard]] virtual bool may_wait() const = 0;

  virtual Result<std::monostate> prepare(Watch& watch) = 0;

  /// The lists that the query is about, in the order of their rows.
  [[nodiscard]] virtual std::vector<SocketList> lists() const = 0;

  /// Reads one list, at most `most_rows` of it; what is wrong is in the faults of the batch.
  virtual SocketBatch read(const SocketList& list, size_t most_rows, Watch& watch) const = 0;

  /// What a fault of this list speaks of.
  [[nodiscard]] virtual std::string path_of(const SocketList& list) const = 0;

  /// Appends every pid of the table.
  virtual Result<std::monostate> list_pids(std::vector<int32_t>& pids, Watch& watch) const = 0;

  /// Appends the descriptors of a process that lead to sockets. A fault of kind `gone` says that it
  /// has ended.
  virtual Fault descriptors(int32_t pid, std::vector<SocketDescriptor>& into,
                            Watch& watch) const = 0;

  /// Whether the pids that list_pids() gave can be all that may hold a socket of this system.
  [[nodiscard]] virtual bool shows_everybody(const std::vector<int32_t>& pids) const = 0;
};

/// The reader of the system that this was built for; elsewhere one that answers `unsupported`.
std::unique_ptr<SocketReader> make_socket_reader(SocketQuery query);

/// Answers every question with an `unsupported` fault.
std::unique_ptr<SocketReader> make_unsupported_socket_reader();

}  // namespace procscope
