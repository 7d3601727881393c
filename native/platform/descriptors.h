#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/descriptor.h"
#include "platform/reader.h"

/// The contract for the files that processes hold, and for the locks of the system.
namespace procscope {

struct FilesPlan {
  FieldMask fields = 0;
  /// One bit a FileRole.
  uint8_t roles = 0;
  /// Only files with one of these inode numbers; empty = all.
  std::unordered_set<uint64_t> inodes;
  /// Most rows of one process.
  uint32_t max_rows = 1 << 20;
};

/// The files of one process in the making, and the locks on them.
struct FilesDraft {
  Table<FileRow> files;
  Table<LockRow> locks;

  /// How far it was written.
  struct End {
    size_t rows;
    size_t faults;
    size_t locks;
  };
  [[nodiscard]] End end() const {
    return {files.rows.size(), files.row_faults.size(), locks.rows.size()};
  }
  /// Takes back what was written since. Its texts stay in the blob, and nothing points to them.
  void cut_back(const End& to) {
    files.rows.resize(to.rows);
    files.row_faults.resize(to.faults);
    locks.rows.resize(to.locks);
  }

  void clear() {
    files.rows.clear();
    files.row_faults.clear();
    files.blob.clear();
    locks.rows.clear();
    locks.blob.clear();
  }
};

/// As Reader: prepare() first, then const and safe to use from several threads at once.
class DescriptorReader {
 public:
  virtual ~DescriptorReader() = default;
  virtual Result<std::monostate> prepare(Watch& watch) = 0;
  [[nodiscard]] virtual bool may_wait() const = 0;
  virtual Result<std::monostate> list(std::vector<int32_t>& pids, Watch& watch) const = 0;

  /// Reads the files of one process; what must not be waited for has a fault on its row.
  virtual RowOutcome read(int32_t pid, const FilesPlan& plan, const Avoid& avoid, FilesDraft& draft,
                          Watch& watch) const = 0;

  /// The locks of the system, waiters included.
  virtual Result<std::monostate> read_locks(Table<LockRow>& locks, Watch& watch) const = 0;
};

std::unique_ptr<DescriptorReader> make_descriptor_reader(ReaderOptions options);

}  // namespace procscope
