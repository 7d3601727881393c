#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "model/process.h"
#include "platform/watch.h"

/// The one contract between the process table and the system that it is read from. Each system
/// implements it in platform/<system>/; no other floor includes a system's header.
namespace procscope {

struct ReaderOptions {
  /// Where the process file system is mounted. Systems without one take no notice.
  std::string root = "/proc";
  /// Keys of the environment that kEnv reads.
  std::vector<std::string> env_keys;
  /// Longest argv or environment that is read; what is cut says so.
  uint32_t max_field_bytes = 1 << 20;
};

/// One row in the making. Owned by the thread that reads; text lies in a blob of its own until the
/// row joins a table.
struct RowDraft {
  struct FieldFault {
    Field field;
    FaultKind kind;
    Call call;
    int32_t code;
  };

  ProcessRow row;
  std::string blob;
  std::vector<FieldFault> faults;
  /// Differs when the process runs another program or has moved its arguments; set by glance().
  uint64_t image = 0;

  void start(int32_t pid) {
    row = ProcessRow{};
    row.pid = pid;
    image = 0;
    blob.clear();
    faults.clear();
  }
  void put(Field field, TextRef ProcessRow::*member, std::string_view text) {
    row.*member = {static_cast<uint32_t>(blob.size()), static_cast<uint32_t>(text.size())};
    blob += text;
    row.present |= bit(field);
  }
  [[nodiscard]] std::string_view text(TextRef ref) const {
    return std::string_view(blob).substr(ref.offset, ref.length);
  }
  void fail(FieldMask fields, FaultKind kind, Call call, int32_t code) {
    for (int i = 0; i < kFields; ++i) {
      if ((fields >> i & 1) != 0) {
        faults.push_back({static_cast<Field>(i), kind, call, code});
      }
    }
  }
};

/// What not to wait for.
struct Avoid {
  /// One bit (1 << class) for each BlockClass that must not be waited for.
  uint8_t classes = 0;
  /// The fault of what is left out for that reason.
  FaultKind why = FaultKind::kTimeout;

  [[nodiscard]] bool includes(BlockClass c) const {
    return (classes >> static_cast<uint8_t>(c) & 1) != 0;
  }
};

/// What to read of one row.
struct RowPlan {
  FieldMask fields = 0;
  Avoid avoid;
};

enum class RowOutcome : uint8_t {
  kRow,
  /// The process ended before anything of it was read.
  kVanished,
};

/// What a system keeps open of a process that is looked at again and again.
class KeptRow {
 public:
  virtual ~KeptRow() = default;
};

/// Born with make_reader(); prepare() before anything else. Afterwards const and safe to use from
/// several threads at once, each with its own draft and watch.
class Reader {
 public:
  virtual ~Reader() = default;

  /// Fields that this system can answer at all.
  [[nodiscard]] virtual FieldMask supported() const = 0;

  /// Whether reading these fields may wait for ever. Where it cannot, the caller may read on its
  /// own thread.
  [[nodiscard]] virtual bool may_wait(FieldMask fields) const = 0;

  /// Opens what the other calls need.
  virtual Result<std::monostate> prepare(Watch& watch) = 0;

  /// Identity of this boot; empty where the system gives none. After prepare().
  [[nodiscard]] virtual const std::string& boot_id() const = 0;

  /// Appends every pid of the table, ascending as the system lists them.
  virtual Result<std::monostate> list(std::vector<int32_t>& pids, Watch& watch) const = 0;

  /// Reads one process as planned. Each field is then in `draft.row.present` or has its fault (both
  /// for a value that was cut).
  virtual RowOutcome read(int32_t pid, const RowPlan& plan, RowDraft& draft,
                          Watch& watch) const = 0;

  /// Room for what glance() keeps of one process.
  [[nodiscard]] virtual std::unique_ptr<KeptRow> keep(int32_t pid) const = 0;

  /// Reads the fields of kStatFields among `fields`, and the image. Keeps what makes the next
  /// glance cheaper in `kept` as far as the budget goes. Waits for nothing where
  /// may_wait(kStatFields) is false.
  virtual RowOutcome glance(KeptRow& kept, FieldMask fields, Budget& budget,
                            RowDraft& draft) const = 0;

  /// The path (or the thing) that a fault of this field speaks of.
  [[nodiscard]] virtual std::string path_of(int32_t pid, Field field) const = 0;
};

/// The reader of the system that this was built for; elsewhere the unsupported one.
std::unique_ptr<Reader> make_reader(ReaderOptions options);

/// Answers every question with an `unsupported` fault.
std::unique_ptr<Reader> make_unsupported_reader();

/// Milliseconds since the system booted, the time that it slept included.
double uptime_ms();

}  // namespace procscope
