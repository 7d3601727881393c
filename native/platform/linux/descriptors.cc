// The files that processes hold, and the locks of the system, from procfs. What a process holds is
// read in process_files.cc; /proc/locks waits for nobody.
#include "platform/descriptors.h"

#include <string>

#include "parse/locks.h"
#include "platform/linux/io.h"
#include "platform/linux/process_files.h"
#include "platform/linux/root.h"

namespace procscope::linux_os {

namespace {

constexpr size_t kLocksLimit = size_t{1} << 26;

class LinuxDescriptorReader final : public DescriptorReader {
 public:
  explicit LinuxDescriptorReader(ReaderOptions options) : root_(std::move(options.root)) {}

  Result<std::monostate> prepare(Watch& watch) override { return root_.open(watch); }
  bool may_wait() const override { return !root_.live(); }

  Result<std::monostate> list(std::vector<int32_t>& pids, Watch& watch) const override {
    return root_.list(pids, watch);
  }

  RowOutcome read(int32_t pid, const FilesPlan& plan, const Avoid& avoid, FilesDraft& draft,
                  Watch& watch) const override {
    draft.clear();
    const auto waiting = root_.guard(watch);
    return read_process_files({root_.fd(), root_.recorded()}, pid, plan, avoid, draft, watch);
  }

  Result<std::monostate> read_locks(Table<LockRow>& locks, Watch& watch) const override {
    const auto waiting = root_.guard(watch);
    Buffer buffer;
    const Bytes bytes =
        buffer.read_file(root_.fd(), "locks", kLocksLimit, Ending::kEmptyRead, &watch);
    const std::string path = root_.path() + "/locks";
    if (!bytes.ok()) {
      return Fault{kind_of_errno(bytes.code), bytes.code, bytes.call, path};
    }
    std::string_view rest = bytes.data;
    while (!rest.empty()) {
      const size_t end = rest.find('\n');
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (const auto lock = parse_lock(line)) {
        add_lock(locks, *lock);
      } else if (!line.empty()) {
        locks.faults.push_back({FaultKind::kMalformed, 0, Call::kParse, path});
      }
    }
    if (bytes.truncated) {
      locks.faults.push_back({FaultKind::kTruncated, 0, Call::kRead, path});
    }
    return std::monostate{};
  }

 private:
  ProcRoot root_;
};

}  // namespace

}  // namespace procscope::linux_os

namespace procscope {

std::unique_ptr<DescriptorReader> make_descriptor_reader(ReaderOptions options) {
  return std::make_unique<linux_os::LinuxDescriptorReader>(std::move(options));
}

}  // namespace procscope
